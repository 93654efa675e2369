package io.paxoslease.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.protocol.AcquireRequest;
import io.paxoslease.protocol.ConfigurationGuard;
import io.paxoslease.protocol.Effect;
import io.paxoslease.protocol.Event;
import io.paxoslease.protocol.Generation;
import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.MemberList;
import io.paxoslease.protocol.Message;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Quorum;
import io.paxoslease.protocol.Timing;
import io.paxoslease.protocol.paxos.Node;
import io.paxoslease.protocol.paxos.PaxosMessage;
import io.paxoslease.testing.LogCapture;
import io.paxoslease.transport.Transport;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Node a, a member or all of a cell, whose messages and effects end up in one list. */
class NodeRunnerTest {

    private static final NodeId A = new NodeId("a");
    private static final NodeId B = new NodeId("b");
    private static final NodeId C = new NodeId("c");
    /** Below the time of a round, an eighth of the longest lease. */
    private static final long SOON = 500_000_000;

    private static final Timing TIMING = new Timing(Duration.ofSeconds(5), 0.1);

    private final ScheduledExecutorService loop = Executors.newSingleThreadScheduledExecutor();
    private final SystemClock clock = new SystemClock();
    private final BlockingQueue<String> happened = new LinkedBlockingQueue<>();
    private final BlockingQueue<Integer> sealed = new LinkedBlockingQueue<>();
    private volatile @Nullable RuntimeException fault;
    private volatile @Nullable Error finishFault;
    private volatile @Nullable Error sendFault;
    private volatile @Nullable Message lastSent;
    private volatile boolean ending;

    @AfterEach
    void stop() {
        loop.shutdownNow();
    }

    @Test
    void anEventIsHandledAndItsEffectsAreApplied() throws InterruptedException {
        NodeRunner runner = runner(A);
        runner.submit(acquire(1, "r"));
        assertThat(next()).isEqualTo("Granted 1");
        runner.submit(acquire(2, "r"));
        assertThat(next()).isEqualTo("Denied 2 HELD");
    }

    @Test
    void messagesOfOneBatchLeaveTogether() throws InterruptedException {
        NodeRunner runner = runner(A, B, C);
        CountDownLatch goOn = hold();
        runner.submit(acquire(1, "r"));
        runner.submit(acquire(2, "s"));
        goOn.countDown();

        assertThat(next()).isEqualTo("to b: [Propose, Propose]");
        assertThat(next()).isEqualTo("to c: [Propose, Propose]");
    }

    @Test
    void anyNumberOfEventsIsHandledInOrder() throws InterruptedException {
        NodeRunner runner = runner(A);
        CountDownLatch goOn = hold();
        for (int i = 1; i <= 5_000; i++) {
            runner.submit(acquire(i, "r" + i));
        }
        goOn.countDown();

        for (int i = 1; i <= 5_000; i++) {
            assertThat(next()).isEqualTo("Granted " + i);
        }
    }

    /** Whom it meets from then on is told. */
    @Test
    void theNodeHearsOfGenerationsAndTheTransportOfSeals() throws InterruptedException {
        MemberList before = new MemberList(List.of(A, B), TIMING.maxLeaseTime(), TIMING.drift());
        MemberList after = new MemberList(List.of(A, C), TIMING.maxLeaseTime(), TIMING.drift());
        Generation second = new Generation(2, after, before);
        Node node = new Node(
                A,
                second,
                null,
                ConfigurationGuard.none(A),
                false,
                () -> new Incarnation(1, 2),
                new SplittableRandom(1),
                clock.read());
        InboundGate gate = new InboundGate(runner(loop, node));
        loop.execute(() -> gate.generationSeen(C, second, 2));
        assertThat(sealed).isEmpty();
        gate.open(loop);

        assertThat(sealed.poll(10, TimeUnit.SECONDS)).isEqualTo(2);
    }

    @Test
    void theNodeIsWokenWhenSomethingIsDue() throws InterruptedException {
        NodeRunner runner = runner(A, B, C);
        assertThat(runner.ask(node -> true)).succeedsWithin(Duration.ofSeconds(10)); // its thread runs
        Moment soon = clock.read().moment().plusNanos(SOON);
        runner.submit(new Event.Acquire(
                new AcquireRequest(1, "r", TIMING.maxLeaseNanos(), false, AcquireRequest.WaitMode.WAIT, soon)));

        assertThat(next()).isEqualTo("to b: [Propose]");
        assertThat(next()).isEqualTo("to c: [Propose]");
        assertThat(next()).isEqualTo("Denied 1 TIMED_OUT");
        assertThat(clock.read().moment().isBefore(soon)).isFalse();
    }

    @Test
    void whoReliesOnALeaseStopsBeforeTheReleaseIsSent() throws Exception {
        NodeRunner runner = runner(A, B, C);
        runner.submit(acquire(1, "r"));
        assertThat(next()).isEqualTo("to b: [Propose]");
        assertThat(next()).isEqualTo("to c: [Propose]");
        PaxosMessage.Propose asked = (PaxosMessage.Propose) Objects.requireNonNull(lastSent);
        answer(runner, new PaxosMessage.Accepted("r", asked.ballot(), asked.attempt()));
        assertThat(next()).isEqualTo("Granted 1");

        runner.stop(() -> {
                    happened.add("stopped relying");
                    return List.of();
                })
                .get(10, TimeUnit.SECONDS);
        assertThat(next()).isEqualTo("stopped relying");
        assertThat(next()).isEqualTo("to b: [Release]");
        assertThat(next()).isEqualTo("to c: [Release]");
    }

    private void answer(NodeRunner runner, Message answer) {
        loop.execute(() -> runner.received(B, List.of(answer)));
        loop.execute(() -> runner.received(C, List.of(answer)));
    }

    @Test
    void afterTheStopNothingHappens() throws Exception {
        NodeRunner runner = runner(A);
        runner.stop(() -> {
                    happened.add("stopping");
                    return List.of();
                })
                .get(10, TimeUnit.SECONDS);
        runner.submit(acquire(1, "r"));
        runner.received(B, List.of(new PaxosMessage.Release("r", new Incarnation(1, 1), 1)));
        runner.reachable(B);
        assertThat(runner.stop(List::of)).succeedsWithin(Duration.ofSeconds(10));
        loop.shutdown();
        runner.submit(acquire(2, "r"));
        assertThat(runner.stop(List::of)).succeedsWithin(Duration.ofSeconds(10));
        assertThat(runner.ask(node -> node)).isCompletedExceptionally();
        assertThat(loop.awaitTermination(10, TimeUnit.SECONDS)).isTrue();

        assertThat(happened).containsExactly("stopping");
    }

    @Test
    void aNodeThatFindsAFaultInItselfTakesNoFurtherPart() throws InterruptedException {
        try (LogCapture log = LogCapture.of(NodeFault.class)) {
            NodeRunner runner = runner(A);
            fault = new IllegalStateException("an invariant is broken");
            runner.submit(acquire(1, "r"));
            assertThat(next()).isEqualTo("failed: an invariant is broken");
            runner.submit(acquire(2, "r"));
            runner.submit(acquire(3, "s"));
            runner.ask(node -> happened.add("asked"));

            assertThat(next()).isEqualTo("asked");
            assertThat(log.lines())
                    .filteredOn(line -> !line.startsWith("DEBUG")) // of a node that another test has ended
                    .singleElement()
                    .asString()
                    .startsWith("ERROR This node takes no further part: it found a fault in itself at ");
        }
    }

    @Test
    void aFaultInTheBeatEndsTheNodeVisibly() throws InterruptedException {
        NodeRunner runner = runner(A);
        runner.start();
        runner.submit(acquire(1, "r"));
        assertThat(next()).isEqualTo("Granted 1");
        finishFault = new OutOfMemoryError("planted");

        assertThat(next()).isEqualTo("failed: planted");
    }

    /** As Netty's does whose thread dies for want of memory while it handles its own death: it takes tasks for ever, and runs none. */
    @Test
    void aThreadThatHasBegunToEndByItselfEndsTheNode() throws InterruptedException {
        NodeRunner runner = runner(A);
        assertThat(runner.lookAfterFault()).isFalse();
        ending = true;
        runner.lookAfterFault();

        assertThat(next()).startsWith("failed: the thread of this node has ended");
    }

    @Test
    void whatALookThrowsDoesNotEndTheThreadThatLooks() throws InterruptedException {
        AtomicInteger looks = new AtomicInteger();
        CountDownLatch again = new CountDownLatch(1);
        FaultWatch watch = new FaultWatch("a", runner(A), () -> {
            if (looks.incrementAndGet() == 1) {
                throw new OutOfMemoryError("planted");
            }
            again.countDown();
        });
        watch.start();
        try {
            assertThat(again.await(10, TimeUnit.SECONDS)).isTrue();
        } finally {
            watch.stop();
        }
    }

    /** What cannot be sent is lost, as on any network; the node goes on, and so does its beat. */
    @Test
    void anErrorOfTheTransportLosesMessagesAndNothingElse() throws InterruptedException {
        try (LogCapture log = LogCapture.of(SendBuffer.class)) {
            NodeRunner runner = runner(A, B, C);
            runner.start();
            sendFault = new OutOfMemoryError("direct memory");
            runner.submit(acquire(1, "r"));
            log.await("WARN Messages to 'c' were not sent");
            sendFault = null;
            runner.submit(acquire(2, "s"));

            assertThat(next()).isEqualTo("to b: [Propose]");
            assertThat(next()).isEqualTo("to c: [Propose]");
        }
    }

    @Test
    void aQuestionThatEndsInAnErrorIsAnsweredWithIt() {
        assertThat(runner(A).ask(node -> {
                    throw new NoClassDefFoundError("planted");
                }))
                .failsWithin(Duration.ofSeconds(10))
                .withThrowableOfType(ExecutionException.class)
                .withCauseInstanceOf(NoClassDefFoundError.class);
    }

    @Test
    void aStopThatMeetsAnErrorIsAnEndAllTheSame() throws InterruptedException {
        NodeRunner runner = runner(A, B, C);
        assertThat(runner.stop(() -> {
                    throw new AssertionError("planted");
                }))
                .succeedsWithin(Duration.ofSeconds(10));
        runner.submit(acquire(1, "r"));
        assertThat(runner.ask(node -> true)).succeedsWithin(Duration.ofSeconds(10));

        assertThat(happened).containsExactly("failed: planted");
    }

    /** The loop has no thread yet and cannot start one; later it can. */
    @Test
    void anEventThatTheLoopDidNotTakeIsHandledLater() throws InterruptedException {
        AtomicBoolean full = new AtomicBoolean();
        NodeRunner runner = runner(new FailingLoop(full), A);
        runner.start();
        full.set(true);
        runner.submit(acquire(1, "r"));
        full.set(false);

        assertThat(next()).isEqualTo("Granted 1");
    }

    @Test
    void aTimerThatCouldNotBeSetIsSetLater() throws InterruptedException {
        AtomicBoolean full = new AtomicBoolean();
        NodeRunner runner = runner(new FailingLoop(full), A, B, C);
        runner.start();
        assertThat(runner.ask(node -> true)).succeedsWithin(Duration.ofSeconds(10));
        loop.execute(() -> {
            full.set(true);
            runner.reachable(B);
            full.set(false);
        });
        Moment soon = clock.read().moment().plusNanos(SOON);
        runner.submit(new Event.Acquire(
                new AcquireRequest(1, "r", TIMING.maxLeaseNanos(), false, AcquireRequest.WaitMode.WAIT, soon)));

        assertThat(next()).isEqualTo("to b: [Propose]");
        assertThat(next()).isEqualTo("to c: [Propose]");
        assertThat(next()).isEqualTo("Denied 1 TIMED_OUT");
    }

    /** Refuses tasks and timers, but not the beat, with an Error while it is told to. */
    private final class FailingLoop extends ScheduledThreadPoolExecutor {

        private final AtomicBoolean full;

        FailingLoop(AtomicBoolean full) {
            super(1);
            this.full = full;
        }

        @Override
        public void execute(Runnable task) {
            fail();
            loop.execute(task);
        }

        @Override
        public ScheduledFuture<?> schedule(Runnable task, long delay, TimeUnit unit) {
            fail();
            return loop.schedule(task, delay, unit);
        }

        @Override
        public ScheduledFuture<?> scheduleWithFixedDelay(Runnable task, long first, long delay, TimeUnit unit) {
            return loop.scheduleWithFixedDelay(task, first, delay, unit);
        }

        private void fail() {
            if (full.get()) {
                throw new OutOfMemoryError("unable to create native thread");
            }
        }
    }

    private CountDownLatch hold() {
        CountDownLatch goOn = new CountDownLatch(1);
        loop.execute(() -> {
            try {
                goOn.await(10, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        return goOn;
    }

    private NodeRunner runner(NodeId... members) {
        return runner(loop, members);
    }

    private NodeRunner runner(ScheduledExecutorService on, NodeId... members) {
        Node node = new Node(
                A,
                new Quorum(List.of(members)),
                TIMING,
                null,
                () -> new Incarnation(1, 2),
                new SplittableRandom(1),
                clock.read());
        return runner(on, node);
    }

    private NodeRunner runner(ScheduledExecutorService on, Node node) {
        ClockGuard guard = new ClockGuard(0.1, TIMING.maxLeaseNanos(), clock.readPair(), () -> null);
        return new NodeRunner(node, on, clock, guard, new Noting(), new Applying(), StartedNodes.counts());
    }

    private static Event acquire(long id, String resource) {
        return new Event.Acquire(new AcquireRequest(
                id, resource, TIMING.maxLeaseNanos(), false, AcquireRequest.WaitMode.TRY_ONCE, null));
    }

    private String next() throws InterruptedException {
        return String.valueOf(happened.poll(10, TimeUnit.SECONDS));
    }

    private final class Noting implements Transport {

        @Override
        public boolean isEnding() {
            return ending;
        }

        @Override
        public void sealed(int generation) {
            sealed.add(generation);
        }

        @Override
        public void send(NodeId to, List<Message> messages) {
            Error planned = sendFault;
            if (planned != null) {
                throw planned;
            }
            List<String> types = new ArrayList<>();
            messages.forEach(message -> types.add(message.getClass().getSimpleName()));
            lastSent = messages.get(messages.size() - 1);
            happened.add("to " + to + ": " + types);
        }
    }

    private final class Applying implements EffectSink {

        @Override
        public void apply(Effect effect) {
            RuntimeException planned = fault;
            if (planned != null) {
                throw planned;
            }
            if (effect instanceof Effect.Granted granted) {
                happened.add("Granted " + granted.requestId());
            } else if (effect instanceof Effect.Denied denied) {
                happened.add("Denied " + denied.requestId() + " " + denied.reason());
            }
        }

        @Override
        public void finish() {
            Error planned = finishFault;
            if (planned != null) {
                finishFault = null;
                throw planned;
            }
        }

        @Override
        public void failed(Throwable cause) {
            happened.add("failed: " + cause.getMessage());
        }
    }
}
