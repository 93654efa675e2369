package io.paxoslease.protocol.paxos;

import io.paxoslease.protocol.AcquireRequest;
import io.paxoslease.protocol.AcquireRequest.WaitMode;
import io.paxoslease.protocol.Effect;
import io.paxoslease.protocol.Effect.Granted;
import io.paxoslease.protocol.Effect.Send;
import io.paxoslease.protocol.Event;
import io.paxoslease.protocol.Message;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Quorum;
import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The node of a storm among fresh nodes, on good clocks and a good network. */
final class HonestCell {

    private static final long LEASE = 300_000_000;
    /** The longest exclusion and the longest wait between two tries, twice. */
    private static final long LIMIT = 5_000_000_000L;

    private record InFlight(NodeId from, NodeId to, Message message) {}

    private final NodeStorm storm;
    private final Map<NodeId, Node> nodes = new LinkedHashMap<>();
    private final ArrayDeque<InFlight> network = new ArrayDeque<>();
    private long requests = 1_000_000;

    HonestCell(NodeStorm storm, Quorum quorum) {
        this.storm = storm;
        nodes.put(storm.self, storm.node);
        quorum.acceptors().forEach(id -> nodes.computeIfAbsent(id, other -> storm.newNode(other, 0)));
        storm.pass(1_000_000);
    }

    /** The node acquires the lease, gives it up, and everybody hears of it, save those that are cut off. */
    void serve(NodeId user, String resource, Set<NodeId> cutOff) {
        long id = ++requests;
        long waited = 0;
        Granted granted = step(
                user, new Event.Acquire(new AcquireRequest(id, resource, LEASE, false, WaitMode.WAIT, null)), cutOff);
        while (granted == null) {
            if (waited > LIMIT) {
                throw new AssertionError("%s does not get %s without %s".formatted(user, resource, cutOff));
            }
            long time = nextDeadline();
            waited += time;
            storm.pass(time);
            for (NodeId node : List.copyOf(nodes.keySet())) {
                Granted later = step(node, new Event.Woken(), cutOff);
                granted = later == null ? granted : later;
            }
        }
        if (granted.requestId() != id) {
            throw new AssertionError("Granted to nobody: " + granted);
        }
        step(user, new Event.GiveUp(resource, granted.token()), Set.of());
    }

    private long nextDeadline() {
        long earliest = LIMIT;
        for (Node node : nodes.values()) {
            Moment due = node.nextDeadline();
            earliest = due == null
                    ? earliest
                    : Math.min(earliest, storm.now().moment().nanosUntil(due));
        }
        return Math.max(1_000, earliest);
    }

    /** One event, and the conversation that follows from it. */
    private @Nullable Granted step(NodeId id, Event event, Set<NodeId> cutOff) {
        Granted granted = stepOnly(id, event);
        for (int i = 0; !network.isEmpty(); i++) {
            if (i > 10_000) {
                throw new AssertionError("The conversation does not end: " + network.peek());
            }
            InFlight next = network.remove();
            if (nodes.containsKey(next.to()) && !cutOff.contains(next.to()) && !cutOff.contains(next.from())) {
                Granted later = stepOnly(next.to(), new Event.Received(next.from(), next.message()));
                granted = later == null ? granted : later;
            }
        }
        return granted;
    }

    private @Nullable Granted stepOnly(NodeId id, Event event) {
        List<Effect> effects = id.equals(storm.self)
                ? storm.step(event)
                : Objects.requireNonNull(nodes.get(id)).step(event, storm.now());
        Granted granted = null;
        for (Effect effect : effects) {
            if (effect instanceof Send send) {
                network.add(new InFlight(id, send.to(), send.message()));
            } else if (effect instanceof Granted g) {
                granted = g;
            }
        }
        return granted;
    }
}
