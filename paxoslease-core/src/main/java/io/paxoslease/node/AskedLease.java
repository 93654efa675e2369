package io.paxoslease.node;

import io.paxoslease.AcquireOptions;
import io.paxoslease.LeaseTimeoutException;
import io.paxoslease.PaxosLease;
import io.paxoslease.PaxosLeaseException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A lease that the cell was asked for. Whoever awaits it takes it; only one does. */
public final class AskedLease {

    private static final Logger log = LoggerFactory.getLogger(PaxosLease.class);

    /** For {@link #await}: as long as the request itself waits. */
    public static final long WITHOUT_LIMIT = Long.MAX_VALUE;

    private final RunningNode node;
    private final String resource;
    private final long id;
    private final CompletableFuture<HeldLease> answer;

    private AskedLease(RunningNode node, String resource, long id, CompletableFuture<HeldLease> answer) {
        this.node = node;
        this.resource = resource;
        this.id = id;
        this.answer = answer;
    }

    static AskedLease ask(RunningNode node, String resource, AcquireOptions how) {
        return ask(node, resource, how, null);
    }

    /** @param givenUp what is given up before; null: nothing */
    static AskedLease ask(RunningNode node, String resource, AcquireOptions how, @Nullable HeldLease givenUp) {
        long id = node.nextId();
        return new AskedLease(node, resource, id, node.acquire(resource, how, id, givenUp));
    }

    /**
     * Waits for the answer.
     *
     * @return null when the time was over, here or at the cell; the request is withdrawn
     * @throws InterruptedException when the caller was interrupted; the request is withdrawn
     * @throws PaxosLeaseException when the node is stopped, or has failed
     */
    @Nullable
    public HeldLease await(long nanos) throws InterruptedException {
        try {
            return nanos == WITHOUT_LIMIT ? answer.get() : answer.get(nanos, TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            withdraw(e);
            throw e;
        } catch (TimeoutException e) {
            withdraw(e);
            return null;
        } catch (ExecutionException e) {
            Throwable cause = e.getCause();
            if (cause instanceof LeaseTimeoutException) {
                return null;
            }
            throw new PaxosLeaseException(cause == null ? "No lease" : String.valueOf(cause.getMessage()), cause);
        }
    }

    /** Nobody wants it any more; if it has been granted, it is released. */
    public void withdraw(Exception why) {
        if (!answer.completeExceptionally(why) && !answer.isCompletedExceptionally()) {
            answer.join().release();
        }
        node.withdraw(resource, id);
    }

    /** Runs the code when the answer is there, on the node's thread, or at once: it must not block. If it fails, the lease is released. */
    public void whenAnswered(Runnable code) {
        answer.whenComplete((lease, failure) -> {
            try {
                code.run();
            } catch (RuntimeException | Error fault) { // a future would keep it to itself
                log.error("Lease '{}' could not be handed over after its grant: it is released", resource, fault);
                if (lease != null) {
                    lease.release();
                }
            }
        });
    }

    /** Whether there is an answer, and it is no lease. */
    public boolean hasFailed() {
        return answer.isCompletedExceptionally();
    }

    /** The lease, if it has been granted; null while there is no answer, and when it was refused. */
    @Nullable
    public HeldLease granted() {
        return answer.isDone() && !answer.isCompletedExceptionally() ? answer.join() : null;
    }
}
