package io.paxoslease.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.paxoslease.AcquireOptions;
import io.paxoslease.Lease;
import io.paxoslease.LossReason;
import io.paxoslease.PaxosLease;
import io.paxoslease.PaxosLeaseOptions;
import io.paxoslease.election.LeaderCandidate;
import io.paxoslease.election.LeaderElection;
import io.paxoslease.election.Leadership;
import io.paxoslease.monitor.NodeStatus;
import io.paxoslease.protocol.Event;
import io.paxoslease.protocol.LeaseAlgorithm;
import io.paxoslease.protocol.Reading;
import io.paxoslease.protocol.Timing;
import io.paxoslease.testing.Eventually;
import io.paxoslease.testing.FailingAppender;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Delayed;
import java.util.concurrent.Executor;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RunnableScheduledFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A node that fails for want of memory ends what rests on it, whichever of its next steps fails too: at the first attempt, at all of the
 * first attempts, or for as long as nothing at all can be done on the node's own thread.
 */
@Tag("slow")
@Timeout(120)
class FaultPathTest {

    /** More than there are points in the path, with what is repeated. */
    private static final int POINTS = 14;

    private static final String TAKES_NO_PART = "This node takes no further part";

    private final Plan plan = new Plan();
    private final List<String> logged = new CopyOnWriteArrayList<>();
    private final AtomicInteger left = new AtomicInteger();
    private volatile int threadsToRefuse;
    private volatile @Nullable ScheduledExecutorService realLoop;
    private volatile @Nullable Executor realCallbacks;

    static IntStream points() {
        return IntStream.rangeClosed(1, POINTS);
    }

    @ParameterizedTest
    @MethodSource("points")
    void whicheverStepFailsTheOthersAreDone(int point) {
        plan.fail(point, point);
        failsAndEnds();
    }

    @ParameterizedTest
    @MethodSource("points")
    void howeverManyStepsFailAllAreDoneInTheEnd(int point) {
        plan.fail(1, point);
        failsAndEnds();
    }

    @Test
    void aLoggerThatIsBrokenForGoodKeepsNothingBack() {
        plan.loggerIsBroken = true;
        failsAndEnds();
    }

    @Test
    void aNodeWhoseThreadHasEndedIsEndedByAnotherOne() {
        try (FailingAppender appender = FailingAppender.onNode(this::isLost);
                PaxosLease handle = node().handle()) {
            LocalNode node = LocalNode.of(handle);
            Holder holder = new Holder(node);
            assertThat(node.status().state()).isEqualTo(NodeStatus.State.SERVING);
            Objects.requireNonNull(node.lifecycle.running())
                    .environment()
                    .loop()
                    .shutdown();
            holder.awaitEnd();
            assertThat(appender.failures()).isZero();
        }
    }

    /** For want of memory, as the executor waits for its next task, while no other thread can be made. */
    @Test
    void aNodeWhoseThreadHasDiedBetweenTwoTasksIsEndedByAnotherOne() {
        try (FailingAppender appender = FailingAppender.onNode(this::isLost);
                PaxosLease handle = node().handle()) {
            LocalNode node = LocalNode.of(handle);
            Holder holder = new Holder(node);
            letItsThreadDie(Integer.MAX_VALUE);
            try {
                Eventually.until("the listeners are told", () -> holder.lost.size() == 2);
            } finally {
                threadsToRefuse = 0;
            }
            holder.awaitEnd();
            assertThat(appender.failures()).isZero();
        }
    }

    @Test
    void aNodeWhoseThreadHasDiedGoesOnWithAnotherOneIfThereCanBeOne() {
        try (PaxosLease handle = node().handle()) {
            LocalNode node = LocalNode.of(handle);
            Lease lease = node.acquire("held", AcquireOptions.renewing()).join();
            letItsThreadDie(1);
            Eventually.until("no other thread was made", () -> threadsToRefuse == 0);
            Eventually.until("it has a thread", () -> pool().getPoolSize() == 1);
            assertThat(lease.isHeld()).isTrue();
            assertThat(node.status().state()).isEqualTo(NodeStatus.State.SERVING);
        }
    }

    /** For want of memory, as it waits for its next task, while no other one can be made: what is handed over waits for no further task. */
    @Test
    void aCallbackThreadThatHasDiedIsFollowedByAnotherOne() {
        try (PaxosLease handle = node().handle()) {
            LocalNode node = LocalNode.of(handle);
            ThreadPoolExecutor callbacks = (ThreadPoolExecutor) Objects.requireNonNull(realCallbacks);
            ThreadFactory before = callbacks.getThreadFactory();
            AtomicInteger refused = new AtomicInteger();
            callbacks.setThreadFactory(task -> {
                if (refused.getAndIncrement() == 0) {
                    throw new OutOfMemoryError("planted: no thread");
                }
                return before.newThread(task);
            });
            CompletableFuture<Boolean> ran = new CompletableFuture<>();
            callbacks.getQueue().add(() -> ran.complete(true));
            assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(callbacks::prestartCoreThread);

            assertThat(ran).succeedsWithin(Duration.ofSeconds(10));
            assertThat(node.status().state()).isEqualTo(NodeStatus.State.SERVING);
        }
    }

    @Test
    void whatWaitsForACallbackThreadRunsAtTheEndOfTheNode() {
        List<String> ran = new CopyOnWriteArrayList<>();
        PaxosLeaseOptions options = PaxosLeaseOptions.builder("solo").build();
        ThreadPoolExecutor callbacks = Threads.callbacks("solo");
        callbacks.setThreadFactory(task -> {
            throw new OutOfMemoryError("planted: no thread");
        });
        callbacks.getQueue().add(() -> ran.add("callback"));
        Threads.keep(callbacks, options);
        assertThat(ran).isEmpty();
        Threads.end(callbacks, options);

        assertThat(ran).containsExactly("callback");
    }

    /** As long as it likes: it is the user's. */
    @Test
    void anExecutorOfTheUsersIsLeftAlone() {
        ThreadPoolExecutor callbacks = Threads.callbacks("user");
        PaxosLeaseOptions options =
                PaxosLeaseOptions.builder("solo").callbackExecutor(callbacks).build();
        callbacks.getQueue().add(() -> {});
        Threads.keep(callbacks, options);
        Threads.end(callbacks, options);

        assertThat(callbacks.getPoolSize()).isZero();
        assertThat(callbacks.isShutdown()).isFalse();
        callbacks.shutdownNow();
    }

    private ScheduledThreadPoolExecutor pool() {
        return (ScheduledThreadPoolExecutor) Objects.requireNonNull(realLoop);
    }

    /** And refuses so many others. */
    private void letItsThreadDie(int refused) {
        ThreadFactory before = pool().getThreadFactory();
        threadsToRefuse = refused;
        pool().setThreadFactory(task -> {
            int refusing = threadsToRefuse;
            if (refusing > 0) {
                threadsToRefuse = refusing - 1;
                throw new OutOfMemoryError("planted: no thread");
            }
            return before.newThread(task);
        });
        pool().getQueue().add(new Death());
    }

    private void failsAndEnds() {
        try (FailingAppender appender = FailingAppender.onNode(this::isLost);
                PaxosLease handle = node().handle()) {
            LocalNode node = LocalNode.of(handle);
            Holder holder = new Holder(node);
            CompletableFuture<Lease> waiting = node.acquire("held", AcquireOptions.renewing());
            plan.armed = true;
            CompletableFuture<Lease> fault = node.acquire("fault", AcquireOptions.renewing());

            holder.awaitEnd();
            assertThat(fault).failsWithin(Duration.ofSeconds(10));
            assertThat(waiting).failsWithin(Duration.ofSeconds(10));
            assertThat(plan.loggerIsBroken || appender.failures() <= POINTS).isTrue();
        }
    }

    /** What the log is spared, or fails with. */
    private boolean isLost(String line) {
        plan.point();
        if (plan.armed && plan.loggerIsBroken) {
            return true;
        }
        logged.add(line);
        return false;
    }

    private LocalNode node() {
        LocalNode node =
                LocalNode.create(PaxosLeaseOptions.builder("solo").build(), options -> new FaultyEnvironment(options));
        node.start();
        return node;
    }

    /** Holds a lease, and leads. */
    private final class Holder implements LeaderCandidate {

        private final LocalNode node;
        private final Lease lease;
        private final List<LossReason> lost = new CopyOnWriteArrayList<>();
        private final List<Leadership> revoked = new CopyOnWriteArrayList<>();
        private final AtomicInteger granted = new AtomicInteger();
        private final LeaderElection election;

        Holder(LocalNode node) {
            this.node = node;
            this.lease = node.acquire("held", AcquireOptions.renewing()).join();
            lease.onLost((which, reason) -> lost.add(reason));
            lease.onLost((which, reason) -> lost.add(reason));
            this.election = LeaderElection.builder(node.handle(), "r").build(this);
            election.start();
            Eventually.until("it leads, and knows it", () -> granted.get() == 1);
        }

        @Override
        public void onGranted(Leadership leadership) {
            granted.incrementAndGet();
        }

        @Override
        public void onRevoked(Leadership leadership) {
            revoked.add(leadership);
        }

        void awaitEnd() {
            try {
                Eventually.until("the lease has ended", () -> !lease.isHeld());
                Eventually.until("it leads no more", () -> !election.isLeader());
                Eventually.until("it is seen from outside", () -> node.status().state() == NodeStatus.State.FAILED);
                Eventually.until("the connections are closed", () -> left.get() > 0);
                Eventually.until("the listeners are told", () -> lost.size() == 2);
                assertThat(lost).containsOnly(LossReason.FAILED);
                Eventually.until("the candidate is told", () -> revoked.size() == 1);
                if (!plan.loggerIsBroken) {
                    Eventually.until(
                            "it is logged",
                            () -> logged.stream()
                                            .filter(line -> line.startsWith(TAKES_NO_PART))
                                            .count()
                                    == 1);
                }
            } finally {
                plan.armed = false;
                election.close();
            }
        }
    }

    /** Comes first, and is no task that the executor guards. */
    private static final class Death extends FutureTask<Void> implements RunnableScheduledFuture<Void> {

        Death() {
            super(() -> null);
        }

        @Override
        public void run() {
            throw new OutOfMemoryError("planted between two tasks");
        }

        @Override
        public boolean isPeriodic() {
            return false;
        }

        @Override
        public long getDelay(TimeUnit unit) {
            return 0;
        }

        @Override
        public int compareTo(Delayed other) {
            return -1;
        }
    }

    /** Which of the next points fail. */
    private static final class Plan {

        private final AtomicInteger passed = new AtomicInteger();
        private volatile int first;
        private volatile int last;
        private volatile boolean armed;
        private volatile boolean loggerIsBroken;

        void fail(int from, int to) {
            first = from;
            last = to;
        }

        void point() {
            if (armed) {
                int n = passed.incrementAndGet();
                if (n >= first && n <= last) {
                    throw new OutOfMemoryError("planted");
                }
            }
        }
    }

    /** A cell of one, whose steps after a fault are points of the plan. */
    private final class FaultyEnvironment extends DelegatingEnvironment {

        private final ScheduledExecutorService loop;

        FaultyEnvironment(PaxosLeaseOptions options) {
            super(StartedNodes.environment(options));
            realCallbacks = machine.callbacks();
            ScheduledExecutorService real = machine.loop();
            realLoop = real;
            List<String> points = List.of("execute", "schedule");
            this.loop = proxy(ScheduledExecutorService.class, real, (method, args) -> {
                if (points.contains(method) && Thread.currentThread().getName().startsWith("paxoslease")) {
                    plan.point();
                }
            });
        }

        @Override
        public ScheduledExecutorService loop() {
            return loop;
        }

        @Override
        public Executor callbacks() {
            Executor real = machine.callbacks();
            return task -> {
                plan.point();
                real.execute(task);
            };
        }

        @Override
        public boolean leave() {
            plan.point();
            boolean done = super.leave();
            left.incrementAndGet();
            return done;
        }

        @Override
        public LeaseAlgorithm newNode(Timing timing, Reading now) {
            return proxy(LeaseAlgorithm.class, machine.newNode(timing, now), (method, args) -> {
                if (args.length > 0
                        && args[0] instanceof Event.Acquire asked
                        && asked.request().resource().equals("fault")) {
                    throw new OutOfMemoryError("planted at first");
                }
            });
        }
    }

    private interface Before {
        void call(String method, Object[] args);
    }

    private static <T> T proxy(Class<T> type, T real, Before before) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (self, method, args) -> {
            before.call(method.getName(), args == null ? new Object[0] : args);
            try {
                return method.invoke(real, args);
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
        }));
    }
}
