package io.paxoslease.exploration;

import io.paxoslease.exploration.Action.Deliver;
import io.paxoslease.protocol.Effect;
import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Timing;
import io.paxoslease.transport.Admission;
import io.paxoslease.transport.CellConfig;
import io.paxoslease.transport.Hello;
import io.paxoslease.transport.Versions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A cell in hand: things happen one at a time, and only when told. Stops at the first violation. */
final class ExploredWorld {

    static final String RESOURCE = "r";
    private static final NodeId[] IDS = new NodeId[26];

    static {
        for (int i = 0; i < IDS.length; i++) {
            IDS[i] = new NodeId(String.valueOf((char) ('a' + i)));
        }
    }

    private final Cell cell;
    private final Timing timing;
    final Peer[] peers;
    final List<Flight> network = new ArrayList<>();
    final Budget budget;
    private final boolean[][] admitted;
    private final @Nullable Story story;
    private int time;
    private int sent;
    private int lastHolder = -1;
    private long lastToken = Long.MIN_VALUE;
    private @Nullable String violation;

    ExploredWorld(Cell cell, @Nullable Story story) {
        this.cell = cell;
        this.timing = cell.timing();
        this.story = story;
        this.budget = new Budget(cell);
        this.peers = new Peer[cell.size()];
        for (int i = 0; i < peers.length; i++) {
            peers[i] = new Peer(cell, i, 0, cell.wallOffsetMicros(i), 0);
        }
        this.admitted = admissions();
    }

    static NodeId id(int number) {
        return IDS[number];
    }

    static int number(NodeId id) {
        return id.name().charAt(0) - 'a';
    }

    int time() {
        return time;
    }

    /** What went wrong; null while nothing did. */
    @Nullable
    String violation() {
        return violation;
    }

    private boolean[][] admissions() {
        boolean[][] result = new boolean[peers.length][peers.length];
        for (int from = 0; from < peers.length; from++) {
            for (int to = 0; to < peers.length; to++) {
                result[from][to] =
                        cell.members.length == 0 || cell.meets() || (isAdmitted(from, to) && isAdmitted(to, from));
            }
        }
        return result;
    }

    private boolean isAdmitted(int from, int to) {
        Hello hello = new Hello(config(from), id(from), id(to), new Incarnation(from, 0), Versions.OURS);
        return new Admission(config(to), id(to)).judge(hello) == null;
    }

    private CellConfig config(int node) {
        return new CellConfig(
                "cell",
                cell.members(node, 0).stream().map(ExploredWorld::id).toList(),
                timing.maxLeaseTime(),
                timing.drift());
    }

    /** Does it if it can be done now; answers whether it could. */
    boolean apply(Action action) {
        if (!isPossible(action)) {
            return false;
        }
        if (story != null) {
            story.tell(this, action);
        }
        budget.spend(action);
        perform(action);
        judge();
        return true;
    }

    boolean isPossible(Action action) {
        if (violation != null || !budget.allows(action, time) || !cell.allows(action)) {
            return false;
        }
        if (action instanceof Deliver deliver) {
            Flight flight = find(deliver);
            return flight != null && arrives(flight) && cell.reaches(flight, peers[flight.to()].configuration());
        }
        if (action instanceof Action.Restart restart && returnsTooLate(restart.node())) {
            return false;
        }
        boolean ofNoNode = action instanceof Action.Tick || action instanceof Action.Restart;
        return ofNoNode || peers[nodeOf(action)].can(action, time);
    }

    /** R7: the list before is returned to before the seal only. */
    private boolean returnsTooLate(int node) {
        boolean returns = cell.marked && !cell.returns && peers[node].returnsNext();
        return returns && Arrays.stream(peers).anyMatch(Peer::knowsSeal);
    }

    /** Whether it can arrive now: its receiver does not sleep. */
    boolean arrives(Flight flight) {
        return !peers[flight.to()].isAsleep(time);
    }

    @Nullable
    Flight find(Deliver deliver) {
        int nth = 0;
        for (Flight flight : network) {
            boolean matches = flight.from() == deliver.from()
                    && flight.to() == deliver.to()
                    && flight.kind().equals(deliver.kind());
            if (matches && ++nth == deliver.nth()) {
                return flight;
            }
        }
        return null;
    }

    /** The delivery of that very message. */
    Deliver delivery(Flight wanted, boolean stays) {
        int nth = 0;
        for (Flight flight : network) {
            nth += flight.isLike(wanted) ? 1 : 0;
            if (flight.equals(wanted)) {
                return new Deliver(wanted.from(), wanted.to(), wanted.kind(), nth, stays);
            }
        }
        throw new IllegalArgumentException("Not under way: " + wanted);
    }

    private void perform(Action action) {
        if (action instanceof Action.Tick) {
            time++;
            meet();
        } else if (action instanceof Action.Restart restart) {
            Peer before = peers[restart.node()];
            if (before.isToldOfNext()) {
                take(before, before.tellOfNext(time));
            } else {
                peers[restart.node()] = before.restarted(time);
            }
            meet();
        } else if (action instanceof Deliver deliver) {
            Flight flight = find(deliver);
            if (flight != null) {
                if (!deliver.stays()) {
                    network.remove(flight);
                }
                Peer to = peers[flight.to()];
                take(to, to.receive(flight, time));
            }
        } else {
            Peer peer = peers[nodeOf(action)];
            take(peer, peer.perform(action, time));
        }
    }

    /** Nodes that run find each other: there is no partition beside a change. */
    private void meet() {
        if (!cell.meets()) {
            return;
        }
        for (int node = 0; node < peers.length && cell.contested; node++) {
            take(peers[node], peers[node].perform(new Action.Wake(node), time));
        }
        long meeting = meeting();
        for (Peer peer : peers) {
            take(peer, peer.meet(cell.contested ? meeting() : meeting, time));
        }
    }

    private long meeting() {
        long meeting = 0;
        for (Peer peer : peers) {
            meeting = ExploredMeeting.with(meeting, peer.number, peer.look());
        }
        return meeting;
    }

    /** Whose action it is; not for what concerns no single node, or a message. */
    static int nodeOf(Action action) {
        if (action instanceof Action.Acquire acquire) {
            return acquire.node();
        } else if (action instanceof Action.Withdraw withdraw) {
            return withdraw.node();
        } else if (action instanceof Action.Release release) {
            return release.node();
        } else if (action instanceof Action.Renew renew) {
            return renew.node();
        } else if (action instanceof Action.Suspect suspect) {
            return suspect.node();
        } else if (action instanceof Action.SetBack back) {
            return back.node();
        } else if (action instanceof Action.Sleep sleep) {
            return sleep.node();
        } else if (action instanceof Action.Wake wake) {
            return wake.node();
        }
        throw new IllegalArgumentException("Not of one node: " + action);
    }

    private void take(Peer peer, List<Effect> effects) {
        for (Effect effect : effects) {
            if (story != null) {
                story.tell(this, peer.number, effect);
            }
            if (effect instanceof Effect.Send send && admitted[peer.number][number(send.to())]) {
                network.add(new Flight(peer, number(send.to()), send.message(), sent++));
            } else if (effect instanceof Effect.Granted granted && peer.believes(time)) {
                judgeToken(peer, granted.token());
            }
        }
    }

    private void judgeToken(Peer peer, long token) {
        if (cell.checksTokens && token <= lastToken) {
            violation = "the token went from %d at %s to %d at %s"
                    .formatted(lastToken - Cell.WALL, id(lastHolder), token - Cell.WALL, peer.id());
        }
        lastHolder = peer.number;
        lastToken = token;
    }

    /** Who holds has the latest token, also when it was in doubt for a while. */
    private void judgeOrder(Peer peer) {
        if (cell.checksTokens && peer.token() < lastToken) {
            violation = "%s holds with token %d after %s with %d"
                    .formatted(peer.id(), peer.token() - Cell.WALL, id(lastHolder), lastToken - Cell.WALL);
        }
    }

    private void judge() {
        Peer holder = null;
        for (Peer peer : peers) {
            if (peer.believes(time)) {
                if (holder != null) {
                    violation = "both %s and %s hold %s".formatted(holder.id(), peer.id(), RESOURCE);
                    return;
                }
                holder = peer;
                judgeOrder(peer);
            }
        }
    }
}
