package io.paxoslease.node;

import io.paxoslease.AcquireOptions;
import io.paxoslease.Lease;
import io.paxoslease.LeaseListener;
import io.paxoslease.LossReason;
import io.paxoslease.Nomination;
import io.paxoslease.monitor.NodeObserver;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Note;
import io.paxoslease.protocol.Reading;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A tenure as its user sees it. The node's thread moves its end; any thread may ask or release. */
public final class HeldLease extends Unfinished.Link implements Lease {

    /** Taken off the deadline: the clock's grain, and the time between the comparison and the answer's use. */
    private static final long MARGIN_NANOS = 1_000_000;

    private static final long RETRY_NANOS = 100_000_000;

    private enum Standing {
        HELD,
        SUSPECT,
        RELEASED,
        LOST
    }

    /** Read as one snapshot, written under this object's lock. A check makes no objects. */
    private record Authority(Standing standing, LeaseEnd end) {

        /** Made before they are needed, so that a lease ends without memory. */
        static final Authority RELEASED = new Authority(Standing.RELEASED, LeaseEnd.OVER);

        static final Authority LOST = new Authority(Standing.LOST, LeaseEnd.OVER);

        static Authority until(Reading end) {
            return new Authority(Standing.HELD, LeaseEnd.of(end));
        }

        Authority suspect() {
            return new Authority(Standing.SUSPECT, end);
        }
    }

    private final NodeRuntime node;
    private final NodeClock clock;
    private final ClockGuard guard;
    private final String resource;
    private final long token;
    final Moment grantedAt;
    private final NodeClock.Use remainingNanos = this::remainingNanos;
    private final List<Consumer<LossReason>> observers = new ArrayList<>(1);
    private volatile Authority authority;
    volatile boolean isOfElection;
    private volatile boolean wanted;
    private volatile @Nullable NodeId firstWaiter;
    private volatile @Nullable BooleanSupplier onContended;
    private volatile @Nullable BooleanSupplier inUse;
    private volatile @Nullable BooleanSupplier inWork;
    private volatile boolean contendedByLoss;
    private volatile @Nullable LossReason loss;

    HeldLease(NodeRuntime node, String resource, long token, Reading until) {
        this.node = node;
        this.clock = node.clock();
        this.guard = node.guard();
        this.resource = resource;
        this.token = token;
        this.grantedAt = clock.read().moment();
        this.authority = Authority.until(until);
    }

    @Override
    public String resource() {
        return resource;
    }

    @Override
    public boolean isHeld() {
        return remainingNanos() > 0;
    }

    @Override
    public Duration remaining() {
        return Duration.ofNanos(remainingNanos());
    }

    @Override
    public long fencingToken() {
        return token;
    }

    /** As its caller gets it; without memory for that it is released, as its caller has nothing to release. */
    public Optional<Lease> handOver() {
        try {
            return Optional.of(this);
        } catch (Error withoutMemory) {
            release();
            throw withoutMemory;
        }
    }

    /** From now on it is an election's, which says by itself when it is lost, and releases it when its candidate has finished. */
    public void belongToElection() {
        isOfElection = true;
    }

    public NodeRuntime node() {
        return node;
    }

    public NodeClock clock() {
        return clock;
    }

    private long remainingNanos() {
        return clock.use(remainingNanos);
    }

    /** Zero when not held. The wall clock can only shorten what the monotonic clock allows (section 5, Holder). */
    public long remainingNanos(long nanos, long wallMicros) {
        Authority snapshot = authority;
        if (snapshot.standing() != Standing.HELD || node.hasFailed()) {
            return 0;
        }
        LeaseEnd end = snapshot.end();
        long remaining = end.untilNanos() - nanos - MARGIN_NANOS;
        boolean trusted = wallMicros < end.lastWallMicros() && guard.trusts(nanos, wallMicros);
        return trusted ? Math.max(0, remaining) : 0;
    }

    @Override
    public void release() {
        if (stopBeingHeld()) {
            node.giveUp(this);
        }
    }

    @Override
    public void releaseTo(String nodeId) {
        NodeId successor = node.successors().check(nodeId);
        if (stopBeingHeld()) {
            node.giveUp(this, successor);
        }
    }

    @Override
    public CompletableFuture<Nomination> nominate(String nodeId) {
        return node.successors().nominate(this, nodeId);
    }

    /** P6: the holder stops first. Answers whether it was held until now. */
    private synchronized boolean stopBeingHeld() {
        if (isOver()) {
            return false;
        }
        authority = Authority.RELEASED;
        observers.clear();
        return true;
    }

    /** Gives it up and requests it again, in one message; the request queues behind all present ones. */
    public PendingLease releaseAndAsk(AcquireOptions how) {
        boolean mine = stopBeingHeld();
        try {
            return PendingLease.ask(node, resource, how, mine ? this : null);
        } catch (RuntimeException | Error e) {
            if (mine) {
                node.giveUp(this);
            }
            throw e;
        }
    }

    @Override
    public CompletableFuture<Boolean> renew(Duration leaseTime) {
        CompletableFuture<Boolean> result = new CompletableFuture<>();
        OwedAnswer<Boolean> owed = node.callbacks().owe(result);
        CompletableFuture<Boolean> unused = renewNow(leaseTime)
                .whenComplete((extended, failure) -> owed.give(failure == null && Boolean.TRUE.equals(extended), null));
        return result;
    }

    /** The same; the answer completes on the node's thread, and is for waiting only. */
    public CompletableFuture<Boolean> renewNow(Duration leaseTime) {
        return node.renew(this, leaseTime);
    }

    @Override
    public void note(@Nullable String note) {
        node.annotate(this, Note.check(note));
    }

    @Override
    public void onLost(LeaseListener listener) {
        listen(listener);
    }

    /** The same, and answers what is to be forgotten when the listener shall not hear of a loss any more. */
    public Consumer<LossReason> listen(LeaseListener listener) {
        Objects.requireNonNull(listener, "listener");
        AtomicBoolean told = new AtomicBoolean();
        Consumer<LossReason> observer = reason -> node.callbacks().run(() -> tell(listener, reason, told));
        observe(observer);
        return observer;
    }

    /** Until the listener has been called: what comes before it may want memory. */
    private void tell(LeaseListener listener, LossReason reason, AtomicBoolean told) {
        while (!told.get()) {
            try {
                node.observers().aroundListener(NodeObserver.Kind.LOST, resource, () -> {
                    told.set(true);
                    listener.onLost(this, reason);
                });
            } catch (RuntimeException | Error e) {
                if (told.get()) {
                    throw e; // the listener's own
                }
                Threads.park(RETRY_NANOS);
            }
        }
    }

    public synchronized void forget(Consumer<LossReason> observer) {
        observers.remove(observer);
    }

    /** Runs the code on the node's callback executor. */
    public void callBack(Runnable code) {
        node.callbacks().run(code);
    }

    /** The observer runs on the node's thread and must not block; at once and here when the lease is lost already. */
    public void observe(Consumer<LossReason> observer) {
        LossReason reason;
        synchronized (this) {
            reason = loss;
            if (reason == null) {
                if (!isOver()) {
                    observers.add(observer);
                }
                return;
            }
        }
        observer.accept(reason);
    }

    /**
     * Sets what is done when the lease is contended; its user may retain it without using it.
     *
     * @param contended called each time another node, or another user of this node, requests the lease, and when it is lost; by any
     *     thread, must not block; answers whether the lease is given up now
     * @param used answers whether the lease is in use; by any thread, must not block
     */
    public void onContended(BooleanSupplier contended, BooleanSupplier used) {
        inUse = used;
        onContended = contended;
    }

    /** Sets what answers whether work runs under it that has to end before it is free; by any thread, must not block. */
    public void keepFor(BooleanSupplier work) {
        inWork = work;
    }

    boolean isInWork() {
        BooleanSupplier asked = inWork;
        return asked != null && asked.getAsBoolean();
    }

    /** Whether a user of this node would notice its loss. */
    boolean isInUse() {
        BooleanSupplier asked = inUse;
        return asked == null || asked.getAsBoolean();
    }

    /** Whether another node, or another user of this node, has requested it since it was granted. */
    public boolean isWanted() {
        return wanted;
    }

    /** Another node or user requests it. Answers whether it is given up now. */
    boolean wanted() {
        wanted = true;
        return notifyContended();
    }

    /** The same; that node's turn comes first, as far as is known. */
    boolean wanted(@Nullable NodeId first) {
        firstWaiter = first == null ? firstWaiter : first;
        return wanted();
    }

    /** Whose turn comes first, as the members have told this holder: a hint; null: unknown. */
    public @Nullable NodeId firstWaiter() {
        return firstWaiter;
    }

    private boolean notifyContended() {
        BooleanSupplier asked = onContended;
        return asked != null && asked.getAsBoolean();
    }

    synchronized void extend(Reading until) {
        Authority current = authority;
        boolean alone = current.standing() == Standing.HELD && current.end().list() == LeaseEnd.OF_ONE;
        boolean moved = alone && current.end().moves(until);
        if (!moved && !isOver()) {
            authority = Authority.until(until);
        }
    }

    /** The end that it follows with the list of that number; null when it does not, or not any more. */
    @Nullable
    LeaseEnd endOf(long list) {
        LeaseEnd end = authority.end();
        return end.list() == list ? end : null;
    }

    /** It ends when others do, until something is said of it alone. */
    synchronized void follow(LeaseEnd end) {
        if (!isOver()) {
            authority = new Authority(Standing.HELD, end);
        }
    }

    synchronized void suspect() {
        if (!isOver()) {
            authority = authority.suspect();
        }
    }

    /**
     * Whether it ends by this call. When it was over before, nothing happens, except that observers are told that an earlier call could
     * not tell. Throws what one of them has thrown, after the others have been told: the next call tells it again.
     */
    boolean lose(LossReason reason) {
        boolean ends;
        synchronized (this) {
            ends = !isOver();
            if (ends) {
                authority = Authority.LOST;
                loss = reason;
                contendedByLoss = true;
            }
        }
        tellLoss();
        if (takeContention()) {
            try {
                notifyContended();
            } catch (RuntimeException | Error e) {
                contendedByLoss = true;
                throw e;
            }
        }
        return ends;
    }

    private void tellLoss() {
        Throwable failure = null;
        for (int left = untold(); left > 0; left--) {
            Consumer<LossReason> observer = takeUntold();
            try {
                if (observer != null) {
                    observer.accept(Objects.requireNonNull(loss));
                }
            } catch (RuntimeException | Error e) { // as for want of memory
                failure = e;
                putBack(Objects.requireNonNull(observer));
            }
        }
        FaultSteps.raise(failure);
    }

    private synchronized int untold() {
        return loss == null ? 0 : observers.size();
    }

    /** Who is told of the loss next, by one thread only; null when there is none left. */
    private synchronized @Nullable Consumer<LossReason> takeUntold() {
        return observers.isEmpty() ? null : observers.remove(0);
    }

    /** Behind the others. There is room, as it was there before. */
    private synchronized void putBack(Consumer<LossReason> observer) {
        observers.add(observer);
    }

    private synchronized boolean takeContention() {
        boolean contended = contendedByLoss;
        contendedByLoss = false;
        return contended;
    }

    private boolean isOver() {
        Standing standing = authority.standing();
        return standing == Standing.RELEASED || standing == Standing.LOST;
    }

    @Override
    public String toString() {
        return "Lease[" + resource + ", token " + token + ", " + authority.standing() + "]";
    }
}
