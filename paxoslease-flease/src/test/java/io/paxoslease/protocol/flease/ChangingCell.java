package io.paxoslease.protocol.flease;

import io.paxoslease.protocol.AcquireRequest;
import io.paxoslease.protocol.AcquireRequest.WaitMode;
import io.paxoslease.protocol.ConfigurationGuard;
import io.paxoslease.protocol.Effect;
import io.paxoslease.protocol.Event;
import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Quorum;
import io.paxoslease.protocol.Reading;
import io.paxoslease.protocol.Timing;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Nodes that run Flease while their list of members is changed, in steps of virtual time. They meet as over TCP: each dials the
 * members of its list when it starts and once a second from then on, nodes with equal lists connect, others refuse each other, and
 * connected nodes tell each other once a second whom they refused. Every node asks for one lease all the time. A node's id is one
 * letter, so a list of members is a word.
 */
final class ChangingCell {

    private static final Duration STEP = Duration.ofMillis(20);
    private static final long DIAL_NANOS = 1_000_000_000L;
    private static final Duration LEASE = Duration.ofSeconds(3);
    /** Several times what a change can cost: a silence, and another one beside other configurations. */
    private static final Duration LIMIT = Duration.ofSeconds(60);

    private static final int MAX_DELAY_STEPS = 4;

    private record Flight(NodeId from, NodeId to, FleaseMessage message, long arrival) {}

    /** One life of a node. */
    private final class Member {

        private final NodeId id;
        private final String list;
        private final List<NodeId> members;
        private final FleaseNode node;
        private final Set<NodeId> connected = new TreeSet<>();
        private final Map<NodeId, Member> met = new LinkedHashMap<>();
        private long dialsAt = nanos;
        private boolean asked;
        private Effect.@Nullable Granted granted;
        private @Nullable Reading heldUntil;

        Member(NodeId id, String list) {
            this.id = id;
            this.list = list;
            this.members = ids(list);
            Reading now = now(id);
            this.node = new FleaseNode(
                    id,
                    new Quorum(members),
                    timing,
                    FleaseCell.BOUND.toNanos(),
                    now.moment().plusNanos(silenceNanos),
                    guarded
                            ? new ConfigurationGuard(
                                    id,
                                    members,
                                    silenceNanos,
                                    ConfigurationGuard.SEEN_NANOS,
                                    ConfigurationGuard.LOOK_AROUND_NANOS)
                            : ConfigurationGuard.none(id),
                    () -> new Incarnation(id.name().charAt(0), ++incarnations),
                    random.split(),
                    Long.MAX_VALUE,
                    now);
        }

        boolean believes() {
            Reading until = heldUntil;
            Reading now = now(id);
            return until != null && now.moment().isBefore(until.moment()) && now.wallMicros() < until.wallMicros();
        }

        private void learn(Effect effect) {
            if (effect instanceof Effect.Granted granting) {
                granted = granting;
                heldUntil = granting.until();
            } else if (effect instanceof Effect.Extended extended
                    && granted != null
                    && granted.token() == extended.token()) {
                heldUntil = extended.until();
            } else if (effect instanceof Effect.Lost || effect instanceof Effect.Denied) {
                heldUntil = null;
                asked = false;
            }
        }
    }

    private final boolean guarded;
    private final SplittableRandom random;
    private final Timing timing = new Timing(FleaseCell.MAX_LEASE, FleaseCell.DRIFT);
    private final long silenceNanos = FleaseNode.silenceNanos(timing, FleaseCell.BOUND.toNanos());
    private final Map<NodeId, Member> running = new TreeMap<>();
    private final Map<NodeId, Long> wallOffsetMicros = new HashMap<>();
    private final Map<NodeId, Integer> grants = new HashMap<>();
    private final List<Flight> network = new ArrayList<>();
    private long nanos;
    private long incarnations;
    private long requests;
    private long servedNanos;
    private Duration longestGap = Duration.ZERO;
    private @Nullable String violation;

    /** @param guarded whether nodes are guarded against changes of their configuration; production nodes are */
    ChangingCell(boolean guarded, long seed) {
        this.guarded = guarded;
        this.random = new SplittableRandom(seed);
    }

    private static List<NodeId> ids(String letters) {
        return letters.chars()
                .mapToObj(letter -> new NodeId(String.valueOf((char) letter)))
                .toList();
    }

    private static NodeId id(char letter) {
        return new NodeId(String.valueOf(letter));
    }

    private Reading now(NodeId id) {
        long origin = id.name().charAt(0) * 1_000_000_007L;
        return new Reading(
                new Moment(origin + nanos), FleaseCell.WALL + nanos / 1_000 + wallOffsetMicros.getOrDefault(id, 0L));
    }

    /** Starts those nodes with themselves as the members, and waits until one holds the lease. */
    ChangingCell start(String members) {
        members.chars().forEach(letter -> restart((char) letter, members));
        awaitService();
        return this;
    }

    /** The process ends, if there is one, and another one starts with that list, if it is a member by it. */
    void restart(char letter, String members) {
        NodeId id = id(letter);
        stop(id);
        if (members.indexOf(letter) >= 0) {
            running.put(id, new Member(id, members));
            step(id, new Event.Opened());
        }
    }

    private void stop(NodeId id) {
        Member ended = running.remove(id);
        if (ended != null) {
            network.removeIf(flight -> flight.to().equals(id) || flight.from().equals(id));
            for (NodeId peer : ended.connected) {
                process(peer).connected.remove(id);
                step(peer, new Event.Unreachable(id));
            }
        }
    }

    /**
     * A rolling change of the members: node by node, each restarted with the new list, or ended when it is no member by it.
     *
     * @param order of the restarts; a capital one crashes and comes back with the list that it had
     * @param pause between one and the next
     */
    void change(String members, String order, Duration pause) {
        for (int i = 0; i < order.length(); i++) {
            char letter = order.charAt(i);
            char node = String.valueOf(letter).toLowerCase(Locale.ROOT).charAt(0);
            restart(node, node == letter ? members : process(id(node)).list);
            pass(pause);
        }
    }

    /** The wall clock of that node is set. */
    void setClock(char letter, Duration ahead) {
        wallOffsetMicros.put(id(letter), ahead.toNanos() / 1_000);
    }

    void pass(Duration time) {
        for (long end = nanos + time.toNanos(); nanos < end; ) {
            passStep();
        }
    }

    /** Until a node holds the lease. */
    void awaitService() {
        long end = nanos + LIMIT.toNanos();
        while (holder() == null) {
            if (nanos > end) {
                throw new AssertionError("no node holds the lease after " + LIMIT + ": " + problems());
            }
            passStep();
        }
    }

    /** Until every node that runs takes part. */
    void awaitAllServing() {
        long end = nanos + LIMIT.toNanos();
        while (!running.keySet().stream().allMatch(this::serves)) {
            if (nanos > end) {
                throw new AssertionError("not every node serves after " + LIMIT + ": " + problems());
            }
            passStep();
        }
    }

    boolean serves(char letter) {
        return serves(id(letter));
    }

    private boolean serves(NodeId id) {
        return process(id).node.serves(now(id));
    }

    private Map<NodeId, String> problems() {
        Map<NodeId, String> problems = new TreeMap<>();
        running.forEach((id, process) ->
                problems.put(id, process.list + " " + process.node.view(now(id)).otherConfiguration()));
        return problems;
    }

    /** Which node holds the lease now; null when none does. */
    @Nullable
    Character holder() {
        for (Member process : running.values()) {
            if (process.believes()) {
                return process.id.name().charAt(0);
            }
        }
        return null;
    }

    /** How often that node was granted the lease. */
    int grants(char letter) {
        return grants.getOrDefault(id(letter), 0);
    }

    /** When there were two holders at once for the first time, and which; null when that was never so. */
    @Nullable
    String violation() {
        return violation;
    }

    /** The longest time that no node held the lease, since the last call. */
    Duration longestGap() {
        Duration gap = longestGap;
        longestGap = Duration.ZERO;
        return gap;
    }

    private Member process(NodeId id) {
        Member process = running.get(id);
        if (process == null) {
            throw new IllegalArgumentException(id + " does not run");
        }
        return process;
    }

    private void passStep() {
        nanos += STEP.toNanos();
        List.copyOf(running.values()).forEach(this::dialIfDue);
        deliver();
        for (Member process : running.values()) {
            Moment due = process.node.nextDeadline();
            if (due != null && !now(process.id).moment().isBefore(due)) {
                step(process.id, new Event.Woken());
            }
            if (!process.asked) {
                process.asked = true;
                step(
                        process.id,
                        new Event.Acquire(
                                new AcquireRequest(++requests, "r", LEASE.toNanos(), true, WaitMode.WAIT, null)));
            }
        }
        judge();
    }

    private void judge() {
        List<NodeId> holders = running.values().stream()
                .filter(Member::believes)
                .map(process -> process.id)
                .toList();
        if (holders.size() > 1 && violation == null) {
            violation = "%s hold the lease after %s".formatted(holders, Duration.ofNanos(nanos));
        }
        if (!holders.isEmpty()) {
            servedNanos = nanos;
        }
        Duration gap = Duration.ofNanos(nanos - servedNanos);
        longestGap = gap.compareTo(longestGap) > 0 ? gap : longestGap;
    }

    private void dialIfDue(Member process) {
        if (nanos < process.dialsAt) {
            return;
        }
        process.dialsAt += DIAL_NANOS + random.nextInt(-2, 3) * STEP.toNanos();
        for (NodeId member : process.members) {
            Member other = running.get(member);
            if (other != null && other != process) {
                meet(process, other);
            }
        }
        process.connected.forEach(peer -> process.met.values().forEach(other -> see(process(peer), other)));
        process.met.clear();
    }

    private void meet(Member one, Member other) {
        if (!one.list.equals(other.list)) {
            one.met.put(other.id, other);
            other.met.put(one.id, one);
            see(one, other);
            see(other, one);
        } else if (one.connected.add(other.id)) {
            other.connected.add(one.id);
            step(one.id, new Event.Reachable(other.id));
            step(other.id, new Event.Reachable(one.id));
        }
    }

    private void see(Member process, Member other) {
        step(
                process.id,
                new Event.OtherConfiguration(
                        other.id, other.members, silenceNanos, "the peers differ: " + other.list, false));
    }

    private void deliver() {
        List<Flight> due = new ArrayList<>();
        for (Iterator<Flight> flights = network.iterator(); flights.hasNext(); ) {
            Flight flight = flights.next();
            if (flight.arrival() <= nanos) {
                flights.remove();
                due.add(flight);
            }
        }
        for (Flight flight : due) {
            step(flight.to(), new Event.Received(flight.from(), flight.message()));
        }
    }

    private void step(NodeId id, Event event) {
        Member process = process(id);
        for (Effect effect : process.node.step(event, now(id))) {
            if (effect instanceof Effect.Send send) {
                if (process.connected.contains(send.to())) {
                    long delay = random.nextInt(1, MAX_DELAY_STEPS + 1) * STEP.toNanos();
                    network.add(new Flight(id, send.to(), (FleaseMessage) send.message(), nanos + delay));
                }
            } else {
                if (effect instanceof Effect.Granted) {
                    grants.merge(id, 1, Integer::sum);
                }
                process.learn(effect);
            }
        }
    }
}
