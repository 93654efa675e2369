package io.paxoslease.node;

import io.paxoslease.AcquireOptions;
import io.paxoslease.LeaseTimeoutException;
import io.paxoslease.PaxosLeaseException;
import io.paxoslease.protocol.Printable;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A lease that the cell was asked for. One caller awaits it, and takes it. */
public final class PendingLease {

    private static final Logger log = LoggerFactory.getLogger(PendingLease.class);

    private final NodeRuntime node;
    private final String resource;
    private final long id;
    /** Completed with null: it was withdrawn. Only {@link #granted} and {@link #await()} read it. */
    private final CompletableFuture<HeldLease> answer;

    PendingLease(NodeRuntime node, String resource, long id, CompletableFuture<HeldLease> answer) {
        this.node = node;
        this.resource = resource;
        this.id = id;
        this.answer = answer;
    }

    /** @param givenUp what is given up before; null: nothing */
    static PendingLease ask(NodeRuntime node, String resource, AcquireOptions how, @Nullable HeldLease givenUp) {
        return ask(node, resource, how, null, givenUp);
    }

    /** @param askedFor see {@link NodeRuntime#acquire} */
    static PendingLease ask(
            NodeRuntime node,
            String resource,
            AcquireOptions how,
            @Nullable Duration askedFor,
            @Nullable HeldLease givenUp) {
        long id = node.table().nextId();
        CompletableFuture<HeldLease> answer = new CompletableFuture<>();
        PendingLease pending = new PendingLease(node, resource, id, answer);
        node.acquire(
                resource, how, false, askedFor, id, answer,
                givenUp); // last: who has no memory to wait for it has not asked
        return pending;
    }

    /**
     * Waits for the answer.
     *
     * @return null when the time to wait was over, or the request was withdrawn
     * @throws InterruptedException when the caller was interrupted; the request is withdrawn
     * @throws PaxosLeaseException when the node is stopped, or has failed
     */
    @Nullable
    public HeldLease await() throws InterruptedException {
        try {
            return answer.get();
        } catch (InterruptedException e) {
            withdraw();
            throw e;
        } catch (Error withoutMemory) {
            withdraw();
            throw withoutMemory;
        } catch (ExecutionException e) {
            Throwable cause = e.getCause();
            if (cause instanceof LeaseTimeoutException) {
                return null;
            }
            throw new PaxosLeaseException(cause == null ? "No lease" : Printable.line(cause.getMessage()), cause);
        }
    }

    /** The same, at most that long by the node's clock. */
    public @Nullable HeldLease await(Duration limit) throws InterruptedException {
        ScheduledFuture<?> timer = null;
        boolean timed = false;
        try {
            timer = node.later(this::endWait, TimeUnit.NANOSECONDS.convert(limit));
            timed = true;
            return await();
        } finally {
            if (!timed) { // for want of memory
                withdraw();
            } else if (timer != null) {
                timer.cancel(false);
            }
        }
    }

    /**
     * Waits until one of several, of one node, is granted, and withdraws the others: what they are granted meanwhile is released.
     *
     * @return null when there is none, or the time to wait was over for all of them
     * @throws InterruptedException when the caller was interrupted; all are withdrawn
     * @throws PaxosLeaseException when the node is stopped, or has failed
     */
    public static @Nullable HeldLease awaitFirst(List<PendingLease> asked) throws InterruptedException {
        PendingLease taken = null;
        try {
            CompletableFuture<@Nullable PendingLease> first = new CompletableFuture<>();
            AtomicInteger unanswered = new AtomicInteger(asked.size());
            asked.forEach(each -> each.whenAnswered(() -> {
                if (each.granted() != null) {
                    first.complete(each);
                } else if (unanswered.decrementAndGet() == 0) {
                    first.complete(null);
                }
            }));
            taken = asked.isEmpty() ? null : first.get();
            if (taken == null) { // of all of them none is left to wait for: the last one says why
                return asked.isEmpty() ? null : asked.get(asked.size() - 1).await();
            }
            return taken.granted();
        } catch (ExecutionException impossible) {
            throw new IllegalStateException(impossible);
        } finally {
            for (PendingLease other : asked) {
                if (other != taken) {
                    other.withdraw();
                }
            }
        }
    }

    /** Withdraws the request unless there is an answer: whoever awaits it is told that the time to wait was over. */
    public void endWait() {
        if (answer.completeExceptionally(
                RefusedRequest.late(resource, node.environment().storeTrouble(resource)))) {
            node.withdraw(resource, id);
        }
    }

    /**
     * Withdraws the request, which nothing awaits any more; if it has been granted, the lease is released. That needs no memory, as a failure
     * would: a grant that is about to be answered finds that nothing awaits it.
     */
    @SuppressWarnings("NullAway") // a grant completes it with a lease only
    public void withdraw() {
        try {
            answer.complete(null);
            HeldLease granted = granted();
            if (granted != null) {
                granted.release();
            }
        } finally {
            node.withdraw(resource, id);
        }
    }

    /** Runs the code when the answer is there, on the node's thread, or at once: it must not block. If it fails, the lease is released. */
    public void whenAnswered(Runnable code) {
        answer.whenComplete((lease, failure) -> {
            try {
                code.run();
            } catch (RuntimeException | Error fault) { // a future would keep it to itself
                if (lease != null) {
                    lease.release(); // first: the log may fail as well
                }
                log.error(
                        "Lease '{}' was granted, but handing it over failed: it has been released",
                        Printable.name(resource),
                        fault);
            }
        });
    }

    /** Whether there is an answer. */
    public boolean isAnswered() {
        return answer.isDone();
    }

    /** Whether there is an answer, and it is no lease. */
    public boolean hasFailed() {
        return answer.isDone() && granted() == null;
    }

    /** The lease, if it has been granted; null while there is no answer, and when it was refused or withdrawn. */
    @Nullable
    public HeldLease granted() {
        return answer.isDone() && !answer.isCompletedExceptionally() ? answer.join() : null;
    }
}
