package io.paxoslease.node;

import io.paxoslease.AcquireOptions;
import io.paxoslease.Algorithm;
import io.paxoslease.Lease;
import io.paxoslease.LossReason;
import io.paxoslease.NodeObserver;
import io.paxoslease.NodeStartException;
import io.paxoslease.PaxosLeaseException;
import io.paxoslease.PaxosLeaseOptions;
import io.paxoslease.StorageOptions;
import io.paxoslease.StoreStatus;
import io.paxoslease.protocol.AcquireRequest;
import io.paxoslease.protocol.AcquireRequest.WaitMode;
import io.paxoslease.protocol.Event;
import io.paxoslease.protocol.LeaseAlgorithm;
import io.paxoslease.protocol.LeaseView;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeView;
import io.paxoslease.protocol.Reading;
import io.paxoslease.protocol.Timing;
import io.paxoslease.protocol.storage.StoreView;
import io.paxoslease.transport.netty.PeerState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The parts of a node between one start and the next stop. */
public final class RunningNode {

    private static final Logger log = LoggerFactory.getLogger(RunningNode.class);
    private static final long STOP_SECONDS = 5;
    private static final long ASK_SECONDS = 5;
    private static final long LOOK_SECONDS = 1;
    private static final long MILLI = 1_000_000;
    /** Longer waits are no limit at all; also keeps deadlines within half the range of the clock. */
    private static final Duration FOREVER = Duration.ofDays(365);

    private final NodeAlgorithm algorithm;
    private final PaxosLeaseOptions options;
    private final Timing timing;
    private final long defaultLeaseNanos;
    private final NodeClock clock;
    private final ClockGuard guard;
    private final LeaseTable table;
    private final Instruments instruments;
    private final Wiring wiring;
    private final NodeRunner runner;
    private final CallbackRunner callbacks;
    /** Why no request is answered any more; null while they are. */
    private volatile @Nullable PaxosLeaseException over;

    private volatile boolean failed;

    private RunningNode(PaxosLeaseOptions options, Wiring wiring, Instruments instruments) {
        this.wiring = wiring;
        this.instruments = instruments;
        this.clock = wiring.clock();
        this.options = options;
        this.algorithm = NodeAlgorithm.of(options);
        this.timing = timing(options);
        this.defaultLeaseNanos = timing.leaseNanosWithin(options.leaseTime().toNanos());
        this.guard = NodeRunner.guard(options.clockDrift(), algorithm.trustNanos(timing), clock);
        wiring.guardBy(guard);
        this.callbacks = new CallbackRunner(options.nodeId(), wiring.callbacks(), wiring.loop());
        this.table = new LeaseTable(this);
        LeaseAlgorithm node = wiring.newNode(timing, clock.read());
        this.runner =
                new NodeRunner(node, wiring.loop(), clock, guard, wiring.transport(), table, instruments.counts());
    }

    /**
     * Opens the wiring and starts the node.
     *
     * @throws NodeStartException when the node cannot listen
     */
    public static RunningNode start(PaxosLeaseOptions options, Wiring wiring) {
        return start(options, wiring, new Instruments());
    }

    /** @throws NodeStartException when the node cannot listen */
    static RunningNode start(PaxosLeaseOptions options, Wiring wiring, Instruments instruments) {
        RunningNode node = new RunningNode(options, wiring, instruments);
        wiring.open(node.runner, node.clock.read().moment());
        boolean begun = false;
        try {
            node.runner.start();
            begun = true;
        } finally {
            if (!begun) { // without a thread
                node.stop();
            }
        }
        return node;
    }

    /** Ends every lease here, then releases them to the cell, then closes; nothing is held afterwards even if the thread is stuck. */
    void stop() {
        over = LeaseTable.stopped();
        try {
            await(runner.stop(() -> table.loseAll(LossReason.STOPPED)));
        } finally {
            try {
                table.failRequests(LeaseTable.stopped());
                table.loseAll(LossReason.STOPPED);
            } finally {
                wiring.close(); // in any case: a stopped node renews nothing
            }
        }
    }

    /** Not cut short by an interrupt: no caller may rely on a lease of a node that has stopped. */
    private static void await(CompletableFuture<Void> done) {
        boolean stopped = Threads.awaitUninterruptibly(
                TimeUnit.SECONDS.toNanos(STOP_SECONDS), nanos -> Threads.isDone(done, nanos));
        if (!stopped) {
            log.warn("The node did not stop within {} seconds: something holds its thread up", STOP_SECONDS);
        }
    }

    CompletableFuture<HeldLease> acquire(String resource, AcquireOptions how, long id) {
        return acquire(resource, how, id, null);
    }

    /** @param givenUp what is given up before, of the same resource; the cell hears of both at once */
    CompletableFuture<HeldLease> acquire(String resource, AcquireOptions how, long id, @Nullable HeldLease givenUp) {
        CompletableFuture<HeldLease> answer = new CompletableFuture<>();
        Duration time = how.leaseTime();
        long leaseNanos = time == null ? defaultLeaseNanos : checkedNanos(time);
        checkSharing(how, leaseNanos);
        Duration wait = how.maxWait();
        WaitMode waitMode = wait != null && wait.isZero() ? WaitMode.TRY_ONCE : WaitMode.WAIT;
        Moment giveUpAt = wait == null || wait.isZero() || wait.compareTo(FOREVER) > 0
                ? null
                : clock.read().moment().plusNanos(wait.toNanos());
        Event asked = new Event.Acquire(
                new AcquireRequest(id, resource, leaseNanos, how.renewed(), waitMode, giveUpAt, how.sharing()));
        if (givenUp == null) {
            table.await(id, resource, answer);
            runner.submit(asked);
        } else {
            table.forget(givenUp);
            table.await(id, resource, answer);
            runner.submit(new Event.GiveUp(resource, givenUp.fencingToken()), asked);
        }
        failIfOver();
        return answer;
    }

    long nextId() {
        return table.nextId();
    }

    void withdraw(String resource, long id) {
        if (table.withdraw(id)) {
            runner.submit(new Event.Withdraw(resource, id));
        }
    }

    void giveUp(HeldLease lease) {
        table.forget(lease);
        runner.submit(new Event.GiveUp(lease.resource(), lease.fencingToken()));
    }

    /** Another node wants it, and it stays in use here. */
    void inUse(HeldLease lease) {
        runner.submit(new Event.InUse(lease.resource(), lease.fencingToken()));
    }

    /** The answer completes on the node's thread: for waiting only. */
    CompletableFuture<Boolean> renew(HeldLease lease, Duration leaseTime) {
        long nanos = checkedNanos(leaseTime);
        CompletableFuture<Boolean> answer = new CompletableFuture<>();
        long id = table.nextId();
        table.awaitRenewal(id, answer);
        runner.submit(new Event.Renew(lease.resource(), lease.fencingToken(), nanos, id));
        failIfOver();
        return answer;
    }

    /** Waits that long by the node's clock, or until it stops or fails. */
    void pause(Duration time) throws InterruptedException {
        CompletableFuture<Void> end = new CompletableFuture<>();
        long id = table.nextId();
        table.awaitPause(id, end);
        failIfOver();
        try {
            ScheduledFuture<?> timer =
                    wiring.loop().schedule(() -> end.complete(null), time.toNanos(), TimeUnit.NANOSECONDS);
            try {
                end.get();
            } finally {
                timer.cancel(false);
            }
        } catch (RejectedExecutionException | ExecutionException over) {
            log.debug("The node has stopped", over);
        } finally {
            table.forgetPause(id);
        }
    }

    /**
     * Runs the code on the node's thread after that time by the node's clock; never, if the node is over by then, or the time is longer
     * than a year. What the code throws ends the node.
     *
     * @return the timer; null when there is none
     */
    @Nullable
    public ScheduledFuture<?> later(Runnable code, long nanos) {
        if (nanos > FOREVER.toNanos()) {
            return null;
        }
        try {
            return wiring.loop().schedule(() -> runner.run(code), nanos, TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException over) {
            log.debug("The node has stopped", over);
            return null;
        }
    }

    private void checkSharing(AcquireOptions how, long leaseNanos) {
        if (how.sharing() && options.algorithm() != Algorithm.STORAGE) {
            throw new IllegalArgumentException(
                    "A shared lease needs the algorithm %s, and this node runs %s: ask for one that is not shared"
                            .formatted(Algorithm.STORAGE, options.algorithm()));
        }
        if (how.renewed()) {
            checkRenewable(options, leaseNanos, how.sharing());
        }
    }

    /** What the protocol's times follow from. */
    static Timing timing(PaxosLeaseOptions options) {
        return new Timing(options.maxLeaseTime(), options.clockDrift());
    }

    /**
     * Whether leases of that time can be renewed in time.
     *
     * @param nanos how long the holder may rely on it
     * @throws IllegalArgumentException when the access bound of the store is too long for it
     */
    static void checkRenewable(PaxosLeaseOptions options, long nanos, boolean shared) {
        StorageOptions storage = options.storage();
        if (storage == null) {
            return;
        }
        Timing timing = timing(options);
        long needed = StorageWiring.rules(storage, timing).shortestLeaseNanos(shared);
        if (nanos < needed) {
            throw new IllegalArgumentException(
                    "A%s lease that is renewed must last at least %d ms with an access bound of %s, not %d: ask for more, or lower the access bound if the store is always faster"
                            .formatted(
                                    shared ? " shared" : "",
                                    (needed + MILLI - 1) / MILLI,
                                    storage.accessBound(),
                                    nanos / MILLI));
        }
    }

    private long checkedNanos(Duration leaseTime) {
        if (leaseTime.isNegative() || leaseTime.isZero() || leaseTime.compareTo(options.maxLeaseTime()) > 0) {
            throw new IllegalArgumentException(
                    "The lease time must be above zero and at most the cell's maximum lease time, %s, not %s: "
                                    .formatted(options.maxLeaseTime(), leaseTime)
                            + "ask for less, or raise maxLeaseTime (paxoslease.max-lease-time) on every node");
        }
        return leaseTime.toNanos();
    }

    /** A callback of the application's, inside of what observes it. */
    void around(NodeObserver.Kind kind, String name, Runnable callback) {
        try {
            observers().around(kind, name, callback::run);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Runs user code off the node's thread, once, whatever the callback executor throws; logs what the code throws. */
    void callBack(Runnable code) {
        callbacks.run(code);
    }

    /** Tells the caller on the callback executor. A lease that no thread can be told of is released: no other thread would. */
    void answer(CompletableFuture<Lease> caller, @Nullable HeldLease lease, @Nullable Throwable failure) {
        boolean told = callbacks.runNowOrNever(() -> {
            if (lease == null) {
                caller.completeExceptionally(failure == null ? LeaseTable.stopped() : failure);
            } else if (!caller.complete(lease)) {
                lease.release();
            }
        });
        if (!told) {
            Throwable reason = failure;
            if (lease != null) {
                lease.release();
                reason = new PaxosLeaseException(
                        "Lease '%s' was granted and has been released: no thread could be had to hand it over. See that the callback executor takes tasks, and that the process can create threads"
                                .formatted(lease.resource()));
            }
            Throwable answer = reason == null ? LeaseTable.stopped() : reason;
            callbacks.run(() -> caller.completeExceptionally(answer));
        }
    }

    NodeView view(int limit) {
        return ask(node -> node.view(limit, clock.read()));
    }

    /** What was seen of the store; null when there is none. */
    @Nullable
    StoreStatus store() {
        StorageOptions storage = options.storage();
        if (storage == null) {
            return null;
        }
        Optional<StoreView> seen = ask(node -> algorithm.store(node, clock.read()));
        return seen.map(view -> statusOf(view, storage.register().missing())).orElse(null);
    }

    private static StoreStatus statusOf(StoreView view, Map<String, String> missing) {
        return new StoreStatus(
                view.description(),
                Duration.ofNanos(view.accessNanos()),
                view.count(),
                Duration.ofNanos(view.medianNanos()),
                Duration.ofNanos(view.p99Nanos()),
                Duration.ofNanos(view.maxNanos()),
                view.near(),
                view.slow(),
                view.failed(),
                view.conflicts(),
                view.trouble(),
                view.problem(),
                Collections.unmodifiableMap(new LinkedHashMap<>(missing)));
    }

    /** In the order of the names; null where nothing is known. */
    List<@Nullable LeaseView> views(List<String> resources) {
        return ask(node -> {
            Reading now = clock.read();
            List<@Nullable LeaseView> views = new ArrayList<>(resources.size());
            resources.forEach(resource -> views.add(node.view(resource, now)));
            return views;
        });
    }

    /** Asks the other nodes who holds these, so that the next views tell it for certain as far as they can. Waits a second at most. */
    void look(List<String> resources) {
        CompletableFuture<Void> answer = new CompletableFuture<>();
        long id = table.nextId();
        table.awaitPause(id, answer);
        runner.submit(new Event.QueryHolder(resources, id));
        failIfOver();
        try {
            answer.get(LOOK_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            log.debug("What this node knows must do", e);
        } finally {
            table.forgetPause(id);
        }
    }

    /** What is known of the other members' wall clocks, where they are compared. */
    List<NodeView.PeerClock> peerClocks() {
        return table.peerClocks();
    }

    ClockNews newClockNews() {
        return new ClockNews(options, clock);
    }

    /** See {@link LeaseAlgorithm#addRecords}. */
    int addRecords(int place, int count, Collection<String> resources) {
        return ask(node -> node.addRecords(place, count, clock.read(), resources));
    }

    /** What users of this node hold or wait for; some may come twice. */
    void addOwnResources(Collection<String> resources) {
        table.addResources(resources);
    }

    int heldCount() {
        return table.heldCount();
    }

    @Nullable
    Moment grantedAt(String resource, long token) {
        return table.grantedAt(resource, token);
    }

    boolean revoke(String resource) {
        return table.revoke(resource);
    }

    boolean mayBeSnapshot() {
        return runner.mayBeSnapshot();
    }

    Observers observers() {
        return instruments.observers();
    }

    Losses losses() {
        return instruments.losses();
    }

    LossLog newLossLog() {
        return new LossLog(options.nodeId(), wiring.loop());
    }

    private <T> T ask(Function<LeaseAlgorithm, T> question) {
        try {
            return runner.ask(question).get(ASK_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new PaxosLeaseException("Interrupted while asking the node", e);
        } catch (ExecutionException | TimeoutException e) {
            throw new PaxosLeaseException("The node does not answer", e);
        }
    }

    List<PeerState> peers() {
        return wiring.peers();
    }

    /** Checked after a request is on the table: whoever ends the node marks it first, then clears the table. */
    private void failIfOver() {
        PaxosLeaseException reason = over;
        if (reason != null) {
            table.failRequests(reason);
        }
    }

    void fail(PaxosLeaseException reason) {
        over = reason;
        failed = true;
    }

    /** After a failure: the other nodes do without this one from now on. */
    void leave() {
        try {
            wiring.leave();
        } catch (RejectedExecutionException stopping) {
            log.debug("The connections close with the node", stopping);
        }
    }

    /** Whether it has been stopped, or has failed: leases that are granted from now on are nobody's. */
    boolean isOver() {
        return over != null;
    }

    boolean hasFailed() {
        return failed;
    }

    /** Whether the clocks are trusted now. */
    boolean trustsClocks() {
        return guard.trusts(clock.read());
    }

    NodeClock clock() {
        return clock;
    }

    ClockGuard guard() {
        return guard;
    }
}
