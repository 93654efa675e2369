package io.paxoslease.protocol.paxos;

import io.paxoslease.protocol.AcquireRequest;
import io.paxoslease.protocol.AcquireRequest.WaitMode;
import io.paxoslease.protocol.Effect;
import io.paxoslease.protocol.Effect.Send;
import io.paxoslease.protocol.Event;
import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.Message;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Quorum;
import io.paxoslease.protocol.Reading;
import io.paxoslease.protocol.Timing;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A cell of nodes whose clocks and network are turned by hand: time stands still until {@link #pass}, and messages wait in
 * one queue until they are delivered or dropped.
 */
final class ProtocolTestCell {

    static final long WALL = 1_700_000_000_000_000L;

    record InFlight(NodeId from, NodeId to, Message message) {}

    final Timing timing;
    final List<NodeId> ids = new ArrayList<>();
    private final Map<NodeId, Node> nodes = new LinkedHashMap<>();
    private final Map<NodeId, List<Effect>> effects = new LinkedHashMap<>();
    final Map<NodeId, Long> wallOffsetMicros = new LinkedHashMap<>();
    final ArrayDeque<InFlight> network = new ArrayDeque<>();
    private final Quorum quorum;
    /** For how long each node's monotonic clock has stood still in all. */
    private final Map<NodeId, Long> sleptNanos = new LinkedHashMap<>();
    /** Since when each suspended node sleeps. */
    private final Map<NodeId, Long> asleepSince = new LinkedHashMap<>();

    private final List<InFlight> forSleepers = new ArrayList<>();
    private long nanos;
    private long requests;
    private long incarnations;

    ProtocolTestCell(int size, Duration maxLeaseTime) {
        this(size, 0, maxLeaseTime);
    }

    /** The clients come after the members. */
    ProtocolTestCell(int size, int clients, Duration maxLeaseTime) {
        timing = new Timing(maxLeaseTime, 0.10);
        for (int i = 0; i < size + clients; i++) {
            ids.add(new NodeId(String.valueOf((char) ('a' + i))));
        }
        quorum = new Quorum(ids.subList(0, size));
        ids.forEach(id -> {
            wallOffsetMicros.put(id, 0L);
            start(id, null);
        });
    }

    NodeId id(int i) {
        return ids.get(i);
    }

    /** Replaces the node by a new one that remembers nothing. */
    void start(NodeId id, @Nullable Moment quarantineEnd) {
        nodes.put(
                id,
                new Node(
                        id,
                        quorum,
                        timing,
                        quarantineEnd,
                        () -> new Incarnation(7, ++incarnations),
                        new SplittableRandom(ids.indexOf(id)),
                        now(id)));
        effects.put(id, new ArrayList<>());
    }

    void restart(NodeId id) {
        start(id, new Moment(nanos).plusNanos(timing.quarantineNanos()));
    }

    Node node(NodeId id) {
        return Objects.requireNonNull(nodes.get(id));
    }

    List<Effect> effects(NodeId id) {
        return Objects.requireNonNull(effects.get(id));
    }

    Reading now(NodeId id) {
        long monotonic = asleepSince.getOrDefault(id, nanos) - sleptNanos.getOrDefault(id, 0L);
        return new Reading(new Moment(monotonic), WALL + nanos / 1_000 + wallOffsetMicros.getOrDefault(id, 0L));
    }

    long nanos() {
        return nanos;
    }

    void step(NodeId id, Event event) {
        for (Effect effect : node(id).step(event, now(id))) {
            if (effect instanceof Effect.ExtendedTogether together) {
                effects(id).addAll(OneByOne.each(together));
            }
            if (effect instanceof Send send) {
                network.add(new InFlight(id, send.to(), send.message()));
            } else {
                effects(id).add(effect);
            }
        }
    }

    long acquire(NodeId id, String resource, long leaseMillis, boolean renewed) {
        return acquire(id, resource, leaseMillis, renewed, WaitMode.WAIT, null);
    }

    long acquire(
            NodeId id, String resource, long leaseMillis, boolean renewed, WaitMode waitMode, @Nullable Duration wait) {
        long request = ++requests;
        Moment giveUpAt = wait == null ? null : new Moment(nanos).plusNanos(wait.toNanos());
        step(
                id,
                new Event.Acquire(
                        new AcquireRequest(request, resource, leaseMillis * 1_000_000, renewed, waitMode, giveUpAt)));
        return request;
    }

    /** Delivers every message, and the answers to it, until the network is empty. */
    void deliverAll() {
        deliver(message -> true);
    }

    /** Delivers what the filter passes, and drops the rest, until the network is empty. */
    void deliver(Predicate<InFlight> passes) {
        for (int i = 0; !network.isEmpty(); i++) {
            if (i > 100_000) {
                throw new IllegalStateException("The conversation does not end: " + network.peek());
            }
            InFlight next = network.remove();
            if (passes.test(next)) {
                arrive(next);
            }
        }
    }

    private void arrive(InFlight message) {
        if (asleepSince.containsKey(message.to())) {
            forSleepers.add(message);
        } else {
            step(message.to(), new Event.Received(message.from(), message.message()));
        }
    }

    /** The machine sleeps, and its monotonic clock with it; what is sent to it waits. */
    void suspend(NodeId id) {
        asleepSince.put(id, nanos);
    }

    /** The machine goes on; what its clocks have to say is the first event that the node hears of. */
    void resume(NodeId id, Event first) {
        sleptNanos.merge(id, nanos - Objects.requireNonNull(asleepSince.remove(id)), Long::sum);
        step(id, first);
        network.addAll(forSleepers);
        forSleepers.clear();
    }

    /** Takes out of the network what the filter selects, without delivering it. */
    List<InFlight> hold(Predicate<InFlight> which) {
        List<InFlight> held = network.stream().filter(which).toList();
        network.removeAll(held);
        return held;
    }

    /** Time passes in steps of at most a millisecond; every node wakes when it wants to; all messages arrive at once. */
    void pass(Duration time) {
        pass(time, message -> true);
    }

    void pass(Duration time, Predicate<InFlight> passes) {
        long end = nanos + time.toNanos();
        while (nanos < end) {
            nanos = Math.min(end, nanos + 1_000_000);
            ids.forEach(this::wakeIfDue);
            deliver(passes);
        }
    }

    /** Time passes, but nobody notices until the next event. */
    void jump(Duration time) {
        nanos += time.toNanos();
    }

    private void wakeIfDue(NodeId id) {
        Moment due = node(id).nextDeadline();
        if (due != null && !asleepSince.containsKey(id) && !now(id).moment().isBefore(due)) {
            step(id, new Event.Woken());
        }
    }

    <E extends Effect> List<E> all(NodeId id, Class<E> type) {
        return effects(id).stream().filter(type::isInstance).map(type::cast).toList();
    }

    <E extends Effect> E last(NodeId id, Class<E> type) {
        List<E> all = all(id, type);
        if (all.isEmpty()) {
            throw new AssertionError("No " + type.getSimpleName() + " at " + id + ": " + effects(id));
        }
        return all.get(all.size() - 1);
    }
}
