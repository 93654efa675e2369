package io.paxoslease.shards;

import io.paxoslease.monitor.NodeObserver.Kind;
import io.paxoslease.node.TenureCall;
import io.paxoslease.node.TenureGuard;
import io.paxoslease.protocol.Printable;
import io.paxoslease.shards.ShardTenure.End;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Takes the worker through one stretch of work on a shard, on a thread of its own: granted, at work, revoked. */
final class ShardWork implements Runnable, TenureGuard.Part {

    private static final Logger log = LoggerFactory.getLogger(ShardNames.LOGGER);

    /** The work that the current thread is for. */
    private static final ThreadLocal<@Nullable ShardWork> working = new ThreadLocal<>();

    private final ShardTenure tenure;
    private final ShardWorker worker;
    private final CountDownLatch ended = new CountDownLatch(1);
    private final AtomicBoolean isTaken = new AtomicBoolean();
    private final Thread maker = Thread.currentThread();

    ShardWork(ShardTenure tenure, ShardWorker worker) {
        this.tenure = tenure;
        this.worker = worker;
    }

    /** The work is to end: whoever marked that interrupts the call of the worker. */
    @Override
    public void end() {
        ended.countDown();
    }

    /** It ends on its own thread after the worker has been revoked, whoever ends the tenure. */
    @Override
    public @Nullable Thread thread() {
        return null;
    }

    /** Whether the current thread works on a shard of that group, revokes the work on it or is in a guarded call for it, however deep. */
    static boolean isOf(GroupPart part) {
        return find(tenure -> tenure.isOf(part)) != null;
    }

    /** The innermost one of the guarded calls that the current thread is in, or else the one that it works on or revokes; null: none. */
    static @Nullable Shard currentShard() {
        Shard inCall = TenureCall.current(Shard.class);
        ShardWork work = working.get();
        return inCall != null ? inCall : work == null ? null : work.tenure;
    }

    /** The stretch of work on that shard that the current thread is in, however deep; null: none. */
    static @Nullable ShardTenure workingOn(GroupPart part, int index) {
        return find(tenure -> tenure.index() == index && tenure.isOf(part));
    }

    private static @Nullable ShardTenure find(Predicate<ShardTenure> such) {
        ShardTenure inCall = TenureCall.find(ShardTenure.class, such);
        ShardWork work = working.get();
        return inCall != null ? inCall : work != null && such.test(work.tenure) ? work.tenure : null;
    }

    /** Decides once who ends it: its thread, or who could not start that. */
    boolean take() {
        return isTaken.compareAndSet(false, true);
    }

    /** @throws IllegalStateException on the thread that is to start it, which is the group's: the work would block that */
    @Override
    public void run() {
        if (Thread.currentThread() == maker) {
            throw new IllegalStateException(
                    "The thread factory of group '%s' has run the work itself. Return a thread that is not started"
                            .formatted(Printable.name(tenure.group())));
        }
        if (!take()) {
            return; // it has failed, or runs
        }
        try {
            working.set(this);
            if (grant()) {
                awaitEnd();
                revoke();
            }
        } finally {
            tenure.mark(End.FAILED); // unless it has ended: what comes before may want memory
            working.remove();
            tenure.guard().remove(this); // in any case: the shard is released after it
        }
    }

    /** Whether the worker was called. */
    private boolean grant() {
        ShardCall call = tenure.enter(true);
        if (call == null) {
            return false;
        }
        try (call) {
            tenure.observed(Kind.SHARD_GRANTED, () -> {
                worker.onGranted(tenure);
                return true;
            });
            if (tenure.end() == null) { // else the interrupt has been spent already
                worker.work(tenure);
            }
        } catch (InterruptedException e) {
            failed(e); // the end of the work, or an interrupt from elsewhere, which means the same
        } catch (Exception | Error e) { // user code, which may throw undeclared
            failed(e);
        }
        return true;
    }

    private void failed(Throwable failure) {
        if (tenure.mark(End.FAILED)) {
            tenure.guard().endParts();
            log.error(
                    "The work on shard {} of group '{}' failed: it starts again after a while",
                    tenure.index(),
                    Printable.name(tenure.group()),
                    failure);
        }
    }

    private void awaitEnd() {
        while (tenure.end() == null) {
            try {
                ended.await();
            } catch (InterruptedException e) {
                failed(e);
            }
        }
        Thread.interrupted(); // it was for the work
    }

    private void revoke() {
        tenure.observedSurely(
                Kind.SHARD_REVOKED,
                () -> {
                    worker.onRevoked(tenure);
                    return true;
                },
                failure -> log.error(
                        "The worker failed in its revocation of shard {} of group '{}'",
                        tenure.index(),
                        Printable.name(tenure.group()),
                        failure));
    }
}
