package io.paxoslease.testing;

import io.paxoslease.PaxosLeaseOptions;
import io.paxoslease.monitor.ClientCounts;
import io.paxoslease.protocol.Message;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.paxos.PaxosMessage;
import io.paxoslease.transport.Transport;
import io.paxoslease.transport.netty.PeerState;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The connections of an in-memory cell. A message takes no time and keeps its place behind earlier ones; those that are
 * under way when a connection ends are lost. On the cell's thread, except where it says otherwise.
 */
final class InMemoryNetwork {

    /** As over TCP: a node that is silent for so long is taken for dead. */
    private static final long SILENCE_NANOS = 4_000_000_000L;

    private final InMemoryTime time;
    private final List<InMemoryNode> members = new CopyOnWriteArrayList<>();
    private final List<InMemoryNode> clients = new CopyOnWriteArrayList<>();
    private final Map<NodeId, InMemoryNode> nodes = new ConcurrentHashMap<>();
    /** By their two ends. Compared by identity: a later connection of the same two does not deliver what was sent over an earlier one. */
    private final Map<Set<NodeId>, Object> connections = new HashMap<>();

    InMemoryNetwork(InMemoryTime time, Collection<PaxosLeaseOptions> options) {
        this.time = time;
        options.forEach(this::add);
    }

    /** Any thread, one at a time. */
    void add(PaxosLeaseOptions options) {
        InMemoryNode node = new InMemoryNode(options, nodes.size() + 1);
        nodes.put(node.id, node);
        (options.isClient() ? clients : members).add(node);
    }

    /** Any thread. */
    InMemoryNode node(String id) {
        return Objects.requireNonNull(nodes.get(new NodeId(id)), id);
    }

    /** Any thread. */
    List<NodeId> members() {
        return members.stream().map(node -> node.id).toList();
    }

    /** Whether there is one node only. Any thread. */
    boolean isOfOne() {
        return nodes.size() == 1;
    }

    /** Of a member, as it is shown. On the cell's thread. */
    private ClientCounts countClients(InMemoryNode member) {
        Map<String, Integer> byApplication = new HashMap<>();
        for (InMemoryNode client : clients) {
            if (connection(member, client) != null) {
                byApplication.merge(client.options.application(), 1, Integer::sum);
            }
        }
        int connected =
                byApplication.values().stream().mapToInt(Integer::intValue).sum();
        return new ClientCounts(connected, PaxosLeaseOptions.DEFAULT_MAX_CLIENTS, byApplication);
    }

    /** With how long they have had their memory. Any thread. */
    List<PeerState> peers(InMemoryNode node) {
        Moment now = time.read().moment();
        return node.peers.stream()
                .map(peer -> peer.connected() ? peer.knownFor(memoryNanos(peer.node(), now)) : peer)
                .toList();
    }

    /** A node that has lost none is known for ever. */
    private long memoryNanos(NodeId id, Moment now) {
        Moment lostAt = Objects.requireNonNull(nodes.get(id)).memoryLostAt;
        return lostAt == null ? Long.MAX_VALUE : lostAt.nanosUntil(now);
    }

    void join(InMemoryNode node, InMemoryEnvironment life) {
        node.life = life;
        node.silent = false;
        refresh();
    }

    void leave(InMemoryNode node, InMemoryEnvironment life) {
        life.loop().shutdown();
        if (node.life == life) {
            node.life = null;
            node.silent = false;
            node.memoryLostAt = time.read().moment();
            refresh();
        }
    }

    /** The node's life ends here, and it is not told. */
    void kill(InMemoryNode node) {
        InMemoryEnvironment life = node.life;
        if (life != null) {
            leave(node, life);
        }
    }

    void killSuspended(InMemoryNode node) {
        InMemoryEnvironment life = node.life;
        if (life != null && life.loop().suspension() != null) {
            leave(node, life);
        }
    }

    void cutOff(InMemoryNode node, boolean cut) {
        node.cutOff = cut;
        refresh();
    }

    void suspend(InMemoryNode node) {
        InMemoryEnvironment life = node.life;
        if (life != null && life.loop().suspension() == null) {
            life.loop().suspend();
            Object pause = life.loop().suspension();
            time.add(() -> fallSilent(node, life, pause), SILENCE_NANOS);
        }
    }

    private void fallSilent(InMemoryNode node, InMemoryEnvironment life, @Nullable Object pause) {
        if (node.life == life && life.loop().suspension() == pause) {
            node.silent = true;
            refresh();
        }
    }

    void resume(InMemoryNode node) {
        InMemoryEnvironment life = node.life;
        if (life != null) {
            life.loop().resume();
            node.silent = false;
            refresh();
        }
    }

    void deny(InMemoryNode node, Predicate<String> resources) {
        Predicate<String> before = node.denied;
        node.denied = resources;
        if (before != InMemoryNode.NONE) {
            tryAgain(node);
        }
    }

    void denyAcquiring(InMemoryNode node, Predicate<String> resources) {
        Predicate<String> before = node.deniedAcquiring;
        node.deniedAcquiring = resources;
        if (before != InMemoryNode.NONE) {
            tryAgain(node);
        }
    }

    void allow(InMemoryNode node) {
        if (node.denied != InMemoryNode.NONE || node.deniedAcquiring != InMemoryNode.NONE) {
            node.denied = InMemoryNode.NONE;
            node.deniedAcquiring = InMemoryNode.NONE;
            tryAgain(node);
        }
    }

    /** Every connection of the node seems to break and to come back, which ends its rounds and its pauses. */
    private void tryAgain(InMemoryNode node) {
        InMemoryEnvironment life = node.life;
        if (life != null) {
            List<NodeId> reached = members.stream()
                    .filter(peer -> connection(node, peer) != null)
                    .map(peer -> peer.id)
                    .toList();
            reached.forEach(peer -> tell(life, peer, false));
            reached.forEach(peer -> tell(life, peer, true));
        }
    }

    /** To the store that the cell has instead of members: it takes no time, and answers over the same wire. */
    void ask(InMemoryNode from, NodeId to, UnaryOperator<Message> store, List<Message> messages) {
        InMemoryEnvironment life = from.life;
        for (Message message : from.allowed(messages)) {
            if (life != null && !from.cutOff) {
                Message answer = store.apply(message);
                life.loop().arrive(() -> life.receiver().received(to, List.of(answer)));
            }
        }
    }

    void send(InMemoryNode from, NodeId to, List<Message> messages) {
        InMemoryNode target = Objects.requireNonNull(nodes.get(to), "nodes know those who ask them");
        InMemoryEnvironment life = target.life;
        Object connection = connection(from, target);
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

    private @Nullable Object connection(InMemoryNode one, InMemoryNode other) {
        return one == other ? null : connections.get(Set.of(one.id, other.id));
    }

    /** Makes and breaks the connections that have to be, and tells both ends. */
    private void refresh() {
        for (InMemoryNode one : members) {
            for (InMemoryNode other : members) {
                if (one.number < other.number) {
                    refresh(one, other);
                }
            }
            clients.forEach(client -> refresh(one, client)); // which do not connect to each other
        }
        members.forEach(this::publishPeers);
        clients.forEach(this::publishPeers);
    }

    private void refresh(InMemoryNode one, InMemoryNode other) {
        boolean wanted = one.isOnline() && other.isOnline();
        if (wanted == (connection(one, other) != null)) {
            return;
        }
        if (wanted) {
            connections.put(Set.of(one.id, other.id), new Object());
        } else {
            connections.remove(Set.of(one.id, other.id));
        }
        if (!other.options.isClient() || !wanted) { // a client that comes wakes nothing
            tell(one.life, other.id, wanted);
        }
        tell(other.life, one.id, wanted);
    }

    private static void tell(@Nullable InMemoryEnvironment life, NodeId peer, boolean reachable) {
        if (life == null) {
            return;
        }
        Transport.Receiver receiver = life.receiver();
        life.loop().arrive(() -> {
            if (reachable) {
                receiver.reachable(peer);
            } else {
                receiver.unreachable(peer);
            }
        });
    }

    private void publishPeers(InMemoryNode node) {
        node.clients = node.options.isClient() || clients.isEmpty() ? null : countClients(node);
        node.peers = members.stream()
                .filter(peer -> peer != node)
                .map(peer -> {
                    boolean connected = connection(node, peer) != null;
                    return new PeerState(peer.id, connected, connected ? null : peer.problem());
                })
                .toList();
    }
}
