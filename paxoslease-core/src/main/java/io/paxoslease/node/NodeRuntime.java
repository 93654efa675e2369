package io.paxoslease.node;

import io.paxoslease.AcquireOptions;
import io.paxoslease.LossReason;
import io.paxoslease.NodeStartException;
import io.paxoslease.PaxosLeaseException;
import io.paxoslease.PaxosLeaseOptions;
import io.paxoslease.protocol.AcquireRequest;
import io.paxoslease.protocol.AcquireRequest.WaitMode;
import io.paxoslease.protocol.Event;
import io.paxoslease.protocol.LeaseAlgorithm;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Note;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The parts of a node between one start and the next stop. */
public final class NodeRuntime implements RunningNode {

    private static final Logger log = LoggerFactory.getLogger(NodeRuntime.class);
    private static final long STOP_NANOS = 5_000_000_000L;
    private static final long ASK_SECONDS = 5;
    /** Longer waits are no limit at all; also keeps deadlines within half the range of the clock. */
    static final Duration FOREVER = Duration.ofDays(365);

    private final NodeAlgorithm algorithm;
    private final PaxosLeaseOptions options;
    private final LeaseTimes times;
    private final NodeClock clock;
    private final ClockGuard guard;
    private final LeaseTable table;
    private final NodeInstrumentation instruments;
    private final NodeEnvironment environment;
    private final NodeRunner runner;
    private final NodeRegisters registers;
    private final SuccessorQuestions successors;
    private final CallbackRunner callbacks;
    /** Why no request is answered any more; null while they are. */
    private volatile @Nullable PaxosLeaseException over;

    private volatile boolean failed;
    /** Made at the start: a node that fails for want of memory makes nothing. */
    private final PaxosLeaseException failure =
            new PaxosLeaseException("This PaxosLease node failed and must be restarted");

    private final @Nullable FaultWatch watch;

    private NodeRuntime(PaxosLeaseOptions options, NodeEnvironment environment, NodeInstrumentation instruments) {
        this.environment = environment;
        this.instruments = instruments;
        this.clock = environment.clock();
        this.options = options;
        this.algorithm = NodeAlgorithm.of(options.algorithm());
        this.times = new LeaseTimes(options);
        this.guard = new ClockGuard(
                options.clockDrift(), algorithm.trustNanos(times.timing), clock.readPair(), environment::machineBoot);
        environment.guardBy(guard);
        this.callbacks = new CallbackRunner(options.nodeId(), environment.callbacks());
        this.successors = new SuccessorQuestions(this, algorithm.nominates());
        this.table = newTable();
        LeaseAlgorithm node = environment.newNode(times.timing, clock.read());
        this.runner = new NodeRunner(
                node, environment.loop(), clock, guard, environment.transport(), table, instruments.counts());
        this.registers = new NodeRegisters(options, environment, instruments.counts(), node, runner::run);
        this.watch =
                environment.hasThreads() ? new FaultWatch(options.nodeId(), runner, this::lookAfterCallbacks) : null;
    }

    LeaseTable newTable() {
        return new LeaseTable(
                this,
                new LeaseReporter(clock, observers(), losses()),
                new LossLog(options.nodeId(), environment.loop()),
                new ClockStatusReporter(options, clock));
    }

    /** By {@link FaultWatch}. Never throws. */
    private void lookAfterCallbacks() {
        environment.keepCallbacks();
        callbacks.finish();
    }

    /** Opens the environment and starts the node; throws {@link NodeStartException} when it cannot listen. */
    static NodeRuntime start(PaxosLeaseOptions options, NodeEnvironment environment, NodeInstrumentation instruments) {
        NodeRuntime node = new NodeRuntime(options, environment, instruments);
        environment.open(new RegisterReceiver(node.runner, node.registers, node.observers()));
        try {
            node.runner.start();
            if (node.watch != null) {
                node.watch.start();
            }
            instruments.watches().started(node);
        } catch (RuntimeException | Error withoutThread) {
            node.stop();
            throw withoutThread;
        }
        return node;
    }

    /** Ends every lease here, then releases them to the cell, then closes; nothing is held afterwards even if the thread is stuck. */
    void stop() {
        if (watch != null) {
            watch.stop();
        }
        try {
            over = RefusedRequest.stopped();
            CompletableFuture<Void> done = runner.stop(this::loseAllAtStop);
            // Not cut short by an interrupt: no caller may rely on a lease of a node that has stopped.
            if (!Threads.awaitUninterruptibly(STOP_NANOS, nanos -> Threads.isDone(done, nanos))) {
                log.warn("The node did not stop within 5 seconds: something holds its thread up");
            }
        } finally {
            try {
                endAll();
            } finally {
                close();
            }
        }
    }

    /** What guarded work runs under is not released: it expires (S7). */
    private List<Event.LetExpire> loseAllAtStop() {
        List<HeldLease> held = table.held();
        table.loseAll(LossReason.STOPPED); // first: from here on no work begins under them
        return held.stream()
                .filter(HeldLease::isInWork)
                .map(lease -> new Event.LetExpire(lease.resource(), lease.fencingToken()))
                .toList();
    }

    /** In any case: a stopped node renews nothing, and no caller waits for it. */
    private void close() {
        try {
            environment.close();
        } finally {
            callbacks.end();
        }
    }

    /** Each part in any case. */
    private void endAll() {
        try {
            table.failRequests(RefusedRequest.stopped());
        } finally {
            try {
                registers.end(RefusedRequest.stopped());
                watches().stopped(this);
            } finally {
                table.loseAll(LossReason.STOPPED);
            }
        }
    }

    /**
     * If it throws, nothing has been asked, and what was to be given up may not have been.
     *
     * @param askedFor for how long it is asked for, until it is renewed for the time of the options; null: for that
     * @param givenUp what is given up before, of the same resource; the cell hears of both at once
     */
    void acquire(
            String resource,
            AcquireOptions how,
            boolean shared,
            @Nullable Duration askedFor,
            long id,
            CompletableFuture<HeldLease> answer,
            @Nullable HeldLease givenUp) {
        long leaseNanos = times.nanosOf(how, shared);
        Duration wait = how.maxWait();
        WaitMode waitMode = wait != null && wait.isZero() ? WaitMode.TRY_ONCE : WaitMode.WAIT;
        Moment giveUpAt = wait == null || wait.isZero() || wait.compareTo(FOREVER) > 0
                ? null
                : clock.read().moment().plusNanos(wait.toNanos());
        Event asked = new Event.Acquire(new AcquireRequest(
                id,
                resource,
                askedFor == null ? leaseNanos : Math.min(leaseNanos, askedFor.toNanos()),
                how.renewed(),
                waitMode,
                giveUpAt,
                shared,
                how.note() == null ? Note.NONE : how.note(),
                askedFor == null ? 0 : leaseNanos));
        if (givenUp != null) {
            table.forget(givenUp);
        }
        try {
            table.await(id, resource, answer);
            if (givenUp == null) {
                runner.submit(asked);
            } else {
                runner.submit(new Event.GiveUp(resource, givenUp.fencingToken()), asked);
            }
        } catch (RuntimeException | Error withoutMemory) { // the caller is told so, and waits for no answer
            table.withdraw(id);
            throw withoutMemory;
        }
        failIfOver();
    }

    void withdraw(String resource, long id) {
        if (table.withdraw(id)) {
            runner.submit(new Event.Withdraw(resource, id));
        }
    }

    /**
     * The lease is over: the cell hears of it. If there is no memory to say so now, the node says it later by itself: until then it
     * renews a lease that has no holder. Never throws.
     *
     * @return whether it is said now
     */
    boolean giveUp(HeldLease lease) {
        return giveUp(lease, null);
    }

    /**
     * The same.
     *
     * @param successor comes first, if it is queued; null: none does
     */
    boolean giveUp(HeldLease lease, @Nullable NodeId successor) {
        table.forget(lease);
        try {
            runner.submit(
                    successor == null
                            ? new Event.GiveUp(lease.resource(), lease.fencingToken())
                            : new Event.GiveUpTo(lease.resource(), lease.fencingToken(), successor));
            return true;
        } catch (RuntimeException | Error withoutMemory) {
            table.giveUpLater(lease);
            return false;
        }
    }

    /** Another node wants it, and it stays in use here. */
    void inUse(HeldLease lease) {
        runner.submit(new Event.InUse(lease.resource(), lease.fencingToken()));
    }

    /** The holder changes the note; of a lease that has ended nothing happens. */
    void annotate(HeldLease lease, String note) {
        algorithm.checkNote(note);
        runner.submit(new Event.Annotate(lease.resource(), lease.fencingToken(), note));
    }

    /** The answer completes on the node's thread: for waiting only. */
    CompletableFuture<Boolean> renew(HeldLease lease, Duration leaseTime) {
        long nanos = times.nanosOf(leaseTime);
        CompletableFuture<Boolean> answer = new CompletableFuture<>();
        question(id -> new Event.Renew(lease.resource(), lease.fencingToken(), nanos, id), answer);
        return answer;
    }

    /** Waits that long by the node's clock, or until it stops or fails. */
    void pause(Duration time) throws InterruptedException {
        CompletableFuture<Boolean> end = new CompletableFuture<>();
        long id = table.nextId();
        table.awaitAnswer(id, end);
        failIfOver();
        ScheduledFuture<?> timer = null;
        try {
            timer = later(() -> end.complete(true), time.toNanos());
            end.get();
        } catch (ExecutionException impossible) {
            throw new IllegalStateException(impossible);
        } finally {
            table.forgetAnswer(id);
            if (timer != null) {
                timer.cancel(false);
            }
        }
    }

    /**
     * Runs the code on the node's thread after that time by the node's clock, and answers the timer; never, with null, if the node is over by
     * then, or the time is longer than a year. What the code throws ends the node.
     */
    public @Nullable ScheduledFuture<?> later(Runnable code, long nanos) {
        return nanos > FOREVER.toNanos() ? null : Threads.later(environment.loop(), () -> runner.run(code), nanos);
    }

    /** Runs user code off the node's thread, once, whatever the callback executor throws. */
    @Override
    public CallbackRunner callbacks() {
        return callbacks;
    }

    /** Asks the machine something, on its thread, and waits for the answer. */
    <T> T ask(Function<LeaseAlgorithm, T> question) {
        try {
            return runner.ask(question).get(ASK_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new PaxosLeaseException("Interrupted while asking the node", e);
        } catch (ExecutionException | TimeoutException e) {
            throw new PaxosLeaseException("The node does not answer", e);
        }
    }

    /**
     * Asks something whose answer may be with other nodes, and answers the question's number, to be forgotten by.
     *
     * @param event what is asked, made with the number of the question
     * @param answer completes on the node's thread: for waiting only; with false at the latest when the node stops or fails
     */
    long question(LongFunction<Event> event, CompletableFuture<Boolean> answer) {
        long id = table.nextId();
        table.awaitAnswer(id, answer);
        try {
            runner.submit(event.apply(id));
        } catch (RuntimeException | Error withoutMemory) {
            table.forgetAnswer(id);
            throw withoutMemory;
        }
        failIfOver();
        return id;
    }

    NodeRunner runner() {
        return runner;
    }

    /** Asks who waits for leases that are held here. */
    public SuccessorQuestions successors() {
        return successors;
    }

    NodeRegisters registers() {
        return registers;
    }

    LeaseTable table() {
        return table;
    }

    Observers observers() {
        return instruments.observers();
    }

    NodeWatches watches() {
        return instruments.watches();
    }

    Losses losses() {
        return instruments.losses();
    }

    NodeEnvironment environment() {
        return environment;
    }

    /** Checked after a request is on the table: the thread that ends the node marks it first, then clears the table. */
    private void failIfOver() {
        PaxosLeaseException reason = over;
        if (reason != null) {
            table.failRequests(reason);
        }
    }

    /** From now on no lease counts as held, and no request is answered. Sets flags only. */
    void fail(Throwable fault) {
        failed = true;
        over = failure;
        if (failure.getCause() == null) {
            failure.initCause(fault);
        }
    }

    /** What requests are answered with after a fault. */
    PaxosLeaseException failure() {
        return failure;
    }

    boolean endsRegisters() {
        registers.end(failure);
        watches().stopped(this);
        return true;
    }

    /** After a failure: the other nodes do without this one from now on. Whether all connections are closed. */
    boolean leaves() {
        try {
            return environment.leave();
        } catch (RejectedExecutionException ended) {
            return true; // the connections close with the loop
        }
    }

    /** Whether it has been stopped, or has failed: leases that are granted from now on have no holder. */
    @Override
    public boolean isOver() {
        return over != null;
    }

    boolean hasFailed() {
        return failed;
    }

    @Override
    public String nodeId() {
        return options.nodeId();
    }

    @Override
    public long nextId() {
        return table.nextId();
    }

    @Override
    public void submit(Event event) {
        runner.submit(event);
    }

    @Override
    public boolean execute(Runnable task) {
        return runner.execute(() -> runner.run(task));
    }

    PaxosLeaseOptions options() {
        return options;
    }

    LeaseTimes times() {
        return times;
    }

    @Override
    public NodeClock clock() {
        return clock;
    }

    ClockGuard guard() {
        return guard;
    }
}
