package io.paxoslease.protocol;

import io.paxoslease.protocol.AcquireRequest.Patience;
import io.paxoslease.protocol.Effect.Granted;
import io.paxoslease.protocol.Effect.Send;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * One run of a cell, decided by one seed: the production nodes on a simulated clock and network. First come faults: loss,
 * repetition, reordering, delays longer than a lease, partitions, pauses, crashes with loss of memory, clocks that run at
 * different rates within the bound and show different times. Then everything heals, and everybody must get his turn.
 */
final class Simulation {

    private static final Duration MAX_LEASE = Duration.ofMillis(1_000);
    private static final double DRIFT = 0.10;
    private static final long MILLI = 1_000_000;
    private static final long FAULTS_END = 20_000 * MILLI;
    /** Healed: the quarantine, a dead holder's exclusion, every retry's longest wait, and a turn for each in line. */
    private static final long EVERYBODY_SERVED = 6_000 * MILLI;

    private static final String[] RESOURCES = {"r", "s"};

    private record Due(long at, long sequence, Runnable action) {}

    private final SplittableRandom random;
    private final Timing timing = new Timing(MAX_LEASE, DRIFT);
    private final List<SimulatedNode> nodes = new ArrayList<>();
    private final Quorum quorum;
    private final PriorityQueue<Due> agenda =
            new PriorityQueue<>(Comparator.comparingLong(Due::at).thenComparingLong(Due::sequence));
    private final ArrayDeque<String> trace = new ArrayDeque<>();
    private final BeliefChecker checker = new BeliefChecker(this::clockOf);
    private final double loss;
    private final double repetition;
    private final long longestDelay;
    private final double faultRate;
    private long now;
    private long sequence;
    private long requests;
    private long incarnations;
    private long digest;
    private boolean healed;

    Simulation(long seed) {
        random = new SplittableRandom(seed);
        int size = random.nextBoolean() ? 3 : 5;
        loss = random.nextInt(4) * 0.08;
        repetition = random.nextInt(3) * 0.1;
        longestDelay = new long[] {2, 30, 300, 1_500}[random.nextInt(4)] * MILLI;
        faultRate = random.nextInt(4) * 0.1;
        List<NodeId> ids = new ArrayList<>();
        for (int i = 0; i < size; i++) {
            ids.add(new NodeId("n" + i));
        }
        quorum = new Quorum(ids);
        ids.forEach(id -> nodes.add(new SimulatedNode(id)));
    }

    private final class SimulatedNode {
        final NodeId id;
        final double rate = 1 - DRIFT + 2 * DRIFT * random.nextInt(21) / 20;
        final long origin = random.nextLong(-1_000_000 * MILLI, 1_000_000 * MILLI);
        final long wallOffsetMicros = random.nextLong(-200_000, 200_000);
        final Set<NodeId> cutOff = new HashSet<>();
        final List<Granted> held = new ArrayList<>();
        final ArrayDeque<Event> whilePaused = new ArrayDeque<>();

        @Nullable
        Node node;

        boolean paused;
        long wakeAt = Long.MAX_VALUE;

        SimulatedNode(NodeId id) {
            this.id = id;
            this.node = newNode(null);
        }

        private Node newNode(@Nullable Moment quarantineEnd) {
            return new Node(
                    id,
                    quorum,
                    timing,
                    quarantineEnd,
                    () -> new Incarnation(random.nextLong(), ++incarnations),
                    random.split(),
                    reading());
        }

        Reading reading() {
            return new Reading(
                    new Moment(origin + (long) (now * rate)), 1_700_000_000_000_000L + now / 1_000 + wallOffsetMicros);
        }

        void step(Event event) {
            if (paused) {
                whilePaused.add(event);
                return;
            }
            Node running = node;
            if (running == null) {
                return;
            }
            for (Effect effect : running.step(event, reading())) {
                note(id + " " + effect);
                if (effect instanceof Send send) {
                    transmit(this, send.to(), send.message());
                } else {
                    checker.observe(id, effect);
                    if (effect instanceof Granted granted) {
                        hold(this, granted);
                    }
                }
            }
            scheduleWake(running);
        }

        private void scheduleWake(Node running) {
            Moment due = running.nextDeadline();
            if (due != null) {
                long local = Math.max(0, reading().moment().nanosUntil(due));
                long at = now + (long) Math.ceil(local / rate);
                if (at < wakeAt) {
                    wakeAt = at;
                    after(at - now, () -> {
                        if (wakeAt == at) {
                            wakeAt = Long.MAX_VALUE;
                            step(new Event.Woken());
                        }
                    });
                }
            }
        }

        void crash() {
            note(id + " CRASH");
            node = null;
            paused = false;
            whilePaused.clear();
            wakeAt = Long.MAX_VALUE;
            held.clear();
            checker.crashed(id);
        }

        void restart() {
            if (node == null) {
                note(id + " RESTART");
                node = newNode(reading().moment().plusNanos(timing.quarantineNanos()));
                step(new Event.Woken());
            }
        }

        void resume() {
            if (paused) {
                note(id + " RESUME");
                paused = false;
                List<Event> missed = List.copyOf(whilePaused);
                whilePaused.clear();
                missed.forEach(this::step);
            }
        }
    }

    /** @throws BeliefChecker.Violation with the last part of the trace */
    Simulation run() {
        try {
            nodes.forEach(node -> after(random.nextLong(50 * MILLI), () -> live(node)));
            after(0, this::misbehave);
            runUntil(FAULTS_END);
            heal();
            runUntil(FAULTS_END + 2 * EVERYBODY_SERVED);
            return this;
        } catch (AssertionError | IllegalStateException e) {
            throw new AssertionError(e.getMessage() + "\n" + String.join("\n", trace), e);
        }
    }

    private void runUntil(long end) {
        for (Due due = agenda.peek(); due != null && due.at() <= end; due = agenda.peek()) {
            agenda.remove();
            now = due.at();
            due.action().run();
        }
        now = end;
    }

    /** A user of the node: asks, holds for a while, releases, asks again. */
    private void live(SimulatedNode user) {
        if (healed) {
            return;
        }
        if (user.node != null && !user.paused) {
            String resource = RESOURCES[random.nextInt(RESOURCES.length)];
            long lease = (50 + random.nextLong(950)) * MILLI;
            Moment giveUpAt =
                    random.nextBoolean() ? null : user.reading().moment().plusNanos(random.nextLong(2_000) * MILLI);
            Patience patience = random.nextInt(5) == 0 ? Patience.ASK_ONCE : Patience.WAIT;
            AcquireRequest request =
                    new AcquireRequest(++requests, resource, lease, random.nextBoolean(), patience, giveUpAt);
            user.step(new Event.Acquire(request));
            if (random.nextInt(10) == 0) {
                after(random.nextLong(300) * MILLI, () -> user.step(new Event.Withdraw(resource, request.id())));
            }
        }
        after(random.nextLong(1_000) * MILLI, () -> live(user));
    }

    private void hold(SimulatedNode holder, Granted granted) {
        holder.held.add(granted);
        long time = healed ? 20 * MILLI : random.nextLong(1_500) * MILLI;
        if (!healed && random.nextInt(3) == 0) {
            after(
                    time / 2,
                    () -> holder.step(new Event.Renew(
                            granted.resource(), granted.token(), (1 + random.nextLong(1_000)) * MILLI, ++requests)));
        }
        after(time, () -> release(holder, granted));
    }

    private void release(SimulatedNode holder, Granted granted) {
        if (holder.paused) {
            after(MILLI, () -> release(holder, granted));
        } else if (holder.held.remove(granted)) {
            checker.released(holder.id, granted.resource());
            holder.step(new Event.GiveUp(granted.resource(), granted.token()));
        }
    }

    private void misbehave() {
        if (healed) {
            return;
        }
        SimulatedNode victim = nodes.get(random.nextInt(nodes.size()));
        if (random.nextDouble() < faultRate) {
            long duration = random.nextLong(2_500) * MILLI;
            switch (random.nextInt(5)) {
                case 0 -> {
                    victim.crash();
                    after(duration, victim::restart);
                }
                case 1 -> {
                    note(victim.id + " PAUSE");
                    victim.paused = victim.node != null;
                    after(duration, victim::resume);
                }
                case 2 -> {
                    SimulatedNode other = nodes.get(random.nextInt(nodes.size()));
                    victim.cutOff.add(other.id);
                    after(duration, () -> victim.cutOff.remove(other.id));
                }
                case 3 -> {
                    // Hints of the transport, which may be wrong.
                    NodeId other = nodes.get(random.nextInt(nodes.size())).id;
                    victim.step(new Event.Unreachable(other));
                    after(duration, () -> victim.step(new Event.Reachable(other)));
                }
                default -> {
                    boolean forgotten = random.nextBoolean();
                    victim.step(new Event.ClocksDisagree(forgotten));
                }
            }
        }
        after(200 * MILLI, this::misbehave);
    }

    private void heal() {
        note("HEAL");
        healed = true;
        nodes.forEach(node -> {
            node.resume();
            node.restart();
            node.cutOff.clear();
            for (Granted granted : List.copyOf(node.held)) {
                release(node, granted);
            }
        });
        runUntil(now + EVERYBODY_SERVED);
        int before = checker.grants();
        for (SimulatedNode node : nodes) {
            node.step(new Event.Acquire(new AcquireRequest(++requests, "r", 200 * MILLI, true, Patience.WAIT, null)));
        }
        runUntil(now + EVERYBODY_SERVED);
        if (checker.grants() < before + nodes.size()) {
            throw new AssertionError("Only %d of %d were served after everything healed"
                    .formatted(checker.grants() - before, nodes.size()));
        }
    }

    private void transmit(SimulatedNode from, NodeId to, Message message) {
        boolean cut = from.cutOff.contains(to);
        if (!healed && (cut || random.nextDouble() < loss)) {
            return;
        }
        int copies = !healed && random.nextDouble() < repetition ? 2 : 1;
        for (int i = 0; i < copies; i++) {
            long longest = healed ? 2 * MILLI : random.nextInt(10) == 0 ? longestDelay : 2 * MILLI;
            after(random.nextLong(longest), () -> nodeOf(to).step(new Event.Received(from.id, message)));
        }
    }

    private void after(long delay, Runnable action) {
        agenda.add(new Due(now + delay, sequence++, action));
    }

    private SimulatedNode nodeOf(NodeId id) {
        return nodes.get(quorum.indexOf(id));
    }

    private Moment clockOf(NodeId id) {
        return nodeOf(id).reading().moment();
    }

    private void note(String line) {
        digest = digest * 31 + now * 17 + line.hashCode();
        trace.add(now / 1_000 + "us " + line);
        if (trace.size() > 200) {
            trace.remove();
        }
    }

    int grants() {
        return checker.grants();
    }

    int handOvers() {
        return checker.handOvers();
    }

    /** Equal for equal seeds. */
    long digest() {
        return digest;
    }
}
