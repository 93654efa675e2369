package io.paxoslease.protocol.paxos;

import io.paxoslease.protocol.Effect;
import io.paxoslease.protocol.Event;
import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.Message;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Quorum;
import io.paxoslease.protocol.Reading;
import io.paxoslease.protocol.Timing;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * The cell of a transcript: acceptors, guests that only propose, one monotonic clock that starts at zero, and a network in
 * which messages wait. The nodes start a millisecond before zero, so that counters are above the floors.
 */
final class TranscriptCell {

    /** What the wall clock of a node shows at time zero, unless it is set otherwise. */
    static final long WALL = 1_700_000_000_000_000L;

    private static final long START = -1_000_000;

    record InFlight(NodeId from, NodeId to, Message message) {}

    final Timing timing;
    final List<InFlight> network = new ArrayList<>();
    private final Quorum quorum;
    private final Map<NodeId, Node> nodes = new LinkedHashMap<>();
    private final Map<NodeId, Long> wallOffsetMicros = new LinkedHashMap<>();
    private final Map<Incarnation, String> incarnations = new LinkedHashMap<>();
    private final Map<NodeId, Integer> lives = new LinkedHashMap<>();
    private final Map<NodeId, Long> asleepSince = new LinkedHashMap<>();
    private final Map<NodeId, Long> slept = new LinkedHashMap<>();
    private long nanos = START;

    TranscriptCell(List<NodeId> acceptors, List<NodeId> guests, Duration maxLeaseTime) {
        timing = new Timing(maxLeaseTime, 0.10);
        quorum = new Quorum(acceptors);
        acceptors.forEach(id -> start(id, null));
        guests.forEach(id -> start(id, null));
        nanos = 0;
    }

    private void start(NodeId id, @Nullable Moment quarantineEnd) {
        long seed = nodes.containsKey(id) ? List.copyOf(nodes.keySet()).indexOf(id) : nodes.size();
        SplittableRandom random = new SplittableRandom(seed);
        nodes.put(id, new Node(id, quorum, timing, quarantineEnd, () -> incarnation(id), random, now(id)));
    }

    private Incarnation incarnation(NodeId id) {
        int life = lives.merge(id, 1, Integer::sum);
        Incarnation incarnation = new Incarnation(id.name().hashCode(), life);
        incarnations.put(incarnation, id.name() + life);
        return incarnation;
    }

    /** The node's memory is gone, and it does not know for how long. */
    void restart(NodeId id) {
        start(id, now(id).moment().plusNanos(timing.quarantineNanos()));
    }

    /** A short name, as {@code b2} for the second incarnation of b. */
    String name(Incarnation incarnation) {
        return Objects.requireNonNull(incarnations.get(incarnation));
    }

    List<NodeId> ids() {
        return List.copyOf(nodes.keySet());
    }

    Node node(NodeId id) {
        Node node = nodes.get(id);
        if (node == null) {
            throw new IllegalArgumentException("There is no node " + id);
        }
        return node;
    }

    long nanos() {
        return nanos;
    }

    /** A node's monotonic clock stands still while the machine is suspended; its wall clock does not. */
    Reading now(NodeId id) {
        long wall = WALL + Math.floorDiv(nanos, 1_000L) + wallOffsetMicros.getOrDefault(id, 0L);
        return new Reading(new Moment(asleepSince.getOrDefault(id, nanos) - slept(id)), wall);
    }

    private long slept(NodeId id) {
        return slept.getOrDefault(id, 0L);
    }

    boolean isAsleep(NodeId id) {
        return asleepSince.containsKey(id);
    }

    void suspend(NodeId id) {
        asleepSince.putIfAbsent(id, nanos);
    }

    void resume(NodeId id) {
        Long since = asleepSince.remove(id);
        slept.merge(id, since == null ? 0 : nanos - since, Long::sum);
    }

    void setWall(NodeId id, Duration offset) {
        wallOffsetMicros.put(id, offset.toNanos() / 1_000);
    }

    /** The node handles the event; what it sends waits in the network. */
    List<Effect> step(NodeId id, Event event) {
        List<Effect> effects = OneByOne.of(node(id).step(event, now(id)));
        for (Effect effect : effects) {
            if (effect instanceof Effect.Send send) {
                network.add(new InFlight(id, send.to(), send.message()));
            }
        }
        return effects;
    }

    void jump(long duration) {
        nanos += duration;
    }

    /** Goes to when the next node wants to be woken, but not beyond the end. */
    void goToNextWake(Moment end) {
        Moment next = end;
        for (NodeId id : nodes.keySet()) {
            Moment due = isAsleep(id) ? null : node(id).nextDeadline();
            next = due == null ? next : Moment.earlier(next, due.plusNanos(slept(id)));
        }
        nanos = Math.max(nanos, next.nanos());
    }

    boolean isDue(NodeId id) {
        Moment due = node(id).nextDeadline();
        return due != null && !isAsleep(id) && !now(id).moment().isBefore(due);
    }
}
