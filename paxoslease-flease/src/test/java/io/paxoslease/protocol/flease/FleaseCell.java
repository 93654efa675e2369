package io.paxoslease.protocol.flease;

import io.paxoslease.protocol.AcquireRequest;
import io.paxoslease.protocol.AcquireRequest.WaitMode;
import io.paxoslease.protocol.ConfigurationGuard;
import io.paxoslease.protocol.Effect;
import io.paxoslease.protocol.Effect.Granted;
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
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Nodes a, b and so on, driven by hand: messages wait in {@link #network} until they are delivered, and time passes when told to. */
final class FleaseCell {

    record InFlight(NodeId from, NodeId to, FleaseMessage message) {}

    /** What all wall clocks show at first, in microseconds; a whole number of slots. */
    static final long WALL = 1_700_000_000_000_000L;

    /** The one that they are in at first. */
    static final long SLOT = WALL / 500_000;

    static final Duration MAX_LEASE = Duration.ofSeconds(5);
    static final Duration BOUND = Duration.ofMillis(500);
    static final double DRIFT = 0.1;

    private final Timing timing = new Timing(MAX_LEASE, DRIFT);
    private final Quorum quorum;
    private final Map<NodeId, FleaseNode> nodes = new HashMap<>();
    private final Map<NodeId, List<Effect>> effects = new HashMap<>();
    private final SplittableRandom random = new SplittableRandom(1);
    final List<InFlight> network = new ArrayList<>();
    final Map<NodeId, Long> wallOffsetMicros = new HashMap<>();
    private long nanos;
    private long requests;
    private long lives;

    /** All nodes serve, and have compared their clocks. */
    FleaseCell(int size) {
        this(size, true);
    }

    FleaseCell(int size, boolean compared) {
        this.quorum =
                new Quorum(IntStream.range(0, size).mapToObj(FleaseCell::id).toList());
        quorum.acceptors().forEach(id -> start(id, null));
        if (compared) {
            quorum.acceptors().forEach(id -> step(id, new Event.Woken()));
            deliverAll();
        }
    }

    static NodeId id(int i) {
        return new NodeId(String.valueOf((char) ('a' + i)));
    }

    void start(NodeId id, @Nullable Moment silentUntil) {
        SplittableRandom own = random.split();
        nodes.put(
                id,
                new FleaseNode(
                        id,
                        quorum,
                        timing,
                        BOUND.toNanos(),
                        silentUntil,
                        ConfigurationGuard.none(id),
                        () -> new Incarnation(id.name().charAt(0), ++lives),
                        own,
                        Long.MAX_VALUE,
                        now(id)));
        effects.put(id, new ArrayList<>());
        network.removeIf(m -> m.to().equals(id) || m.from().equals(id));
    }

    /** Its memory was lost just now. */
    void restart(NodeId id) {
        start(id, now(id).moment().plusNanos(FleaseNode.silenceNanos(timing, BOUND.toNanos())));
    }

    Duration silence() {
        return Duration.ofNanos(FleaseNode.silenceNanos(timing, BOUND.toNanos()));
    }

    FleaseNode node(NodeId id) {
        FleaseNode node = nodes.get(id);
        if (node == null) {
            throw new IllegalArgumentException("no node " + id);
        }
        return node;
    }

    Reading now(NodeId id) {
        return new Reading(new Moment(nanos), WALL + nanos / 1_000 + wallOffsetMicros.getOrDefault(id, 0L));
    }

    void setClock(NodeId id, Duration ahead) {
        wallOffsetMicros.put(id, ahead.toNanos() / 1_000);
    }

    void step(NodeId id, Event event) {
        for (Effect effect : node(id).step(event, now(id))) {
            if (effect instanceof Effect.Send send) {
                network.add(new InFlight(id, send.to(), (FleaseMessage) send.message()));
            } else {
                effectsOf(id).add(effect);
            }
        }
    }

    long acquire(NodeId id, Duration lease, boolean renewed, WaitMode waitMode) {
        long request = ++requests;
        step(id, new Event.Acquire(new AcquireRequest(request, "r", lease.toNanos(), renewed, waitMode, null)));
        return request;
    }

    /** What it is granted; everybody agrees at once. */
    Granted hold(NodeId id, Duration lease, boolean renewed) {
        acquire(id, lease, renewed, WaitMode.WAIT);
        deliverAll();
        return last(id, Granted.class);
    }

    /** What {@code id} has of the register, asked by {@code asker}. */
    Value written(NodeId asker, NodeId id) {
        step(id, new Event.Received(asker, new FleaseMessage.Query(99, List.of("r"))));
        InFlight answer = take(m -> m.message() instanceof FleaseMessage.Known known && known.id() == 99)
                .get(0);
        return ((FleaseMessage.Known) answer.message()).stored().get(0).value();
    }

    /** Delivers what is in flight and what comes of it, but drops what does not pass. */
    void deliver(Predicate<InFlight> passes) {
        while (!network.isEmpty()) {
            InFlight next = network.remove(0);
            if (passes.test(next)) {
                arrive(next);
            }
        }
    }

    void arrive(InFlight message) {
        step(message.to(), new Event.Received(message.from(), message.message()));
    }

    void deliverAll() {
        deliver(m -> true);
    }

    /** Takes what is in flight and passes, in order. */
    List<InFlight> take(Predicate<InFlight> which) {
        List<InFlight> taken = network.stream().filter(which).toList();
        network.removeAll(taken);
        return taken;
    }

    /** Time passes, nobody notices. */
    void jump(Duration time) {
        nanos += time.toNanos();
    }

    /** Time passes in short steps; everybody is woken in time, and messages take no time. */
    void pass(Duration time) {
        pass(time, m -> true);
    }

    void pass(Duration time, Predicate<InFlight> passes) {
        long end = nanos + time.toNanos();
        while (nanos < end) {
            nanos = Math.min(end, nanos + 1_000_000);
            for (NodeId id : quorum.acceptors()) {
                Moment due = node(id).nextDeadline();
                if (due != null && !new Moment(nanos).isBefore(due)) {
                    step(id, new Event.Woken());
                }
            }
            deliver(passes);
        }
    }

    private List<Effect> effectsOf(NodeId id) {
        return effects.computeIfAbsent(id, same -> new ArrayList<>());
    }

    <T extends Effect> List<T> all(NodeId id, Class<T> type) {
        return ofType(effectsOf(id), type).toList();
    }

    private static <T extends Effect> Stream<T> ofType(List<Effect> effects, Class<T> type) {
        return effects.stream().filter(type::isInstance).map(type::cast);
    }

    <T extends Effect> T last(NodeId id, Class<T> type) {
        List<T> all = all(id, type);
        if (all.isEmpty()) {
            throw new AssertionError("no " + type.getSimpleName() + " at " + id + ": " + effects.get(id));
        }
        return all.get(all.size() - 1);
    }
}
