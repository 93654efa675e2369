package io.paxoslease.testing;

import io.paxoslease.node.RegisterTransport;
import io.paxoslease.protocol.Message;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.paxos.PaxosMessage;
import io.paxoslease.protocol.storage.RegisterMessage;
import io.paxoslease.store.Register;
import io.paxoslease.transport.Transport;
import io.paxoslease.transport.netty.PeerState;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Executors;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Who reaches whom in an in-memory cell. A message takes no time and keeps its place behind earlier ones; those that are
 * under way when a connection ends are lost. On the cell's thread, save where it says otherwise.
 */
final class InMemoryNetwork {

    /** As over TCP: who says nothing for so long is taken for dead. */
    private static final long SILENCE_NANOS = 4_000_000_000L;

    private final InMemoryTime time;
    private final Map<NodeId, InMemorySeat> seats = new LinkedHashMap<>();
    private final Map<Pair, Connection> connections = new HashMap<>();

    private record Pair(int lower, int higher) {}

    /** Compared by identity: a later connection of the same two does not deliver what was sent over this one. */
    private static final class Connection {}

    InMemoryNetwork(InMemoryTime time, Collection<String> ids) {
        this.time = time;
        ids.forEach(id -> seats.put(new NodeId(id), new InMemorySeat(new NodeId(id), seats.size() + 1)));
    }

    /** Any thread. */
    InMemorySeat seat(String id) {
        return Objects.requireNonNull(seats.get(new NodeId(id)), id);
    }

    /** Any thread. */
    List<NodeId> members() {
        return List.copyOf(seats.keySet());
    }

    void join(InMemorySeat seat, InMemoryWiring life) {
        seat.life = life;
        seat.silent = false;
        refresh();
    }

    void leave(InMemorySeat seat, InMemoryWiring life) {
        life.loop().shutdown();
        if (seat.life == life) {
            seat.life = null;
            seat.silent = false;
            seat.memoryLostAt = time.read().moment();
            refresh();
        }
    }

    /** The node's life ends here, and it is not told. */
    void kill(InMemorySeat seat) {
        InMemoryWiring life = seat.life;
        if (life != null) {
            leave(seat, life);
        }
    }

    void killSuspended(InMemorySeat seat) {
        InMemoryWiring life = seat.life;
        if (life != null && life.loop().suspension() != null) {
            leave(seat, life);
        }
    }

    void cutOff(InMemorySeat seat, boolean cut) {
        seat.cutOff = cut;
        refresh();
    }

    void suspend(InMemorySeat seat) {
        InMemoryWiring life = seat.life;
        if (life != null && life.loop().suspension() == null) {
            life.loop().suspend();
            Object pause = life.loop().suspension();
            time.add(
                    new InMemoryTask<>(time, null, Executors.callable(() -> fallSilent(seat, life, pause)), 0),
                    SILENCE_NANOS);
        }
    }

    private void fallSilent(InMemorySeat seat, InMemoryWiring life, @Nullable Object pause) {
        if (seat.life == life && life.loop().suspension() == pause) {
            seat.silent = true;
            refresh();
        }
    }

    void resume(InMemorySeat seat) {
        InMemoryWiring life = seat.life;
        if (life != null) {
            life.loop().resume();
            seat.silent = false;
            refresh();
        }
    }

    void deny(InMemorySeat seat, Predicate<String> resources) {
        boolean replaced = seat.denied != null;
        seat.denied = resources;
        if (replaced) {
            tryAgain(seat);
        }
    }

    void denyAcquiring(InMemorySeat seat, Predicate<String> resources) {
        boolean replaced = seat.deniedAcquiring != null;
        seat.deniedAcquiring = resources;
        if (replaced) {
            tryAgain(seat);
        }
    }

    void allow(InMemorySeat seat) {
        if (seat.denied != null || seat.deniedAcquiring != null) {
            seat.denied = null;
            seat.deniedAcquiring = null;
            tryAgain(seat);
        }
    }

    /** Every connection of the node seems to break and to come back, which ends its rounds and its pauses. */
    private void tryAgain(InMemorySeat seat) {
        InMemoryWiring life = seat.life;
        if (life != null) {
            List<NodeId> reached = seats.values().stream()
                    .filter(peer -> connection(seat, peer) != null)
                    .map(peer -> peer.id)
                    .toList();
            reached.forEach(peer -> tell(life, peer, false));
            reached.forEach(peer -> tell(life, peer, true));
        }
    }

    /** To the store that the cell has instead of members: it takes no time, and answers over the same wire. */
    void ask(InMemorySeat from, Register store, List<Message> messages) {
        InMemoryWiring life = from.life;
        for (Message message : from.allowed(messages)) {
            if (message instanceof RegisterMessage.Request request && life != null && !from.cutOff) {
                RegisterMessage.Answer answer = RegisterTransport.serve(store, time, request);
                life.loop().arrive(() -> life.receiver().received(RegisterMessage.STORE, List.of(answer)));
            }
        }
    }

    void send(InMemorySeat from, NodeId to, List<Message> messages) {
        InMemorySeat target = Objects.requireNonNull(seats.get(to), "nodes know members only");
        InMemoryWiring life = target.life;
        Connection connection = connection(from, target);
        List<Message> left = from.allowed(messages);
        messages.forEach(this::passBallot);
        if (life == null || connection == null || left.isEmpty()) {
            return;
        }
        life.loop().arrive(() -> {
            if (connection(from, target) == connection) {
                life.receiver().received(from.id, left);
            }
        });
    }

    private void passBallot(Message message) {
        if (message instanceof PaxosMessage.Prepare prepare) {
            time.pass(prepare.ballot().counter());
        } else if (message instanceof PaxosMessage.Propose propose) {
            time.pass(propose.ballot().counter());
        }
    }

    private @Nullable Connection connection(InMemorySeat one, InMemorySeat other) {
        return connections.get(pair(one, other));
    }

    private static Pair pair(InMemorySeat one, InMemorySeat other) {
        return new Pair(Math.min(one.number, other.number), Math.max(one.number, other.number));
    }

    /** Makes and breaks the connections that have to be, and tells both ends. */
    private void refresh() {
        for (InMemorySeat one : seats.values()) {
            for (InMemorySeat other : seats.values()) {
                if (one.number < other.number) {
                    refresh(one, other);
                }
            }
        }
        seats.values().forEach(this::publishPeers);
    }

    private void refresh(InMemorySeat one, InMemorySeat other) {
        boolean wanted = one.isOnline() && other.isOnline();
        if (wanted == (connection(one, other) != null)) {
            return;
        }
        if (wanted) {
            connections.put(pair(one, other), new Connection());
        } else {
            connections.remove(pair(one, other));
        }
        tell(one.life, other.id, wanted);
        tell(other.life, one.id, wanted);
    }

    private static void tell(@Nullable InMemoryWiring life, NodeId peer, boolean reachable) {
        if (life == null) {
            return;
        }
        Transport.Receiver node = life.receiver();
        life.loop().arrive(() -> {
            if (reachable) {
                node.reachable(peer);
            } else {
                node.unreachable(peer);
            }
        });
    }

    private void publishPeers(InMemorySeat seat) {
        seat.peers = seats.values().stream()
                .filter(peer -> peer != seat)
                .map(peer -> {
                    boolean connected = connection(seat, peer) != null;
                    return new PeerState(peer.id, connected, connected ? null : peer.problem());
                })
                .toList();
    }
}
