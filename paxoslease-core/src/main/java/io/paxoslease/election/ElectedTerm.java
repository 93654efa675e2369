package io.paxoslease.election;

import io.paxoslease.HandOverException;
import io.paxoslease.LossReason;
import io.paxoslease.RevocationReason;
import io.paxoslease.node.HeldLease;
import io.paxoslease.node.TenureGuard;
import io.paxoslease.protocol.Printable;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One leadership of this node. It ends once, for one reason; ending it interrupts a candidate that works in it, and the
 * calls that it guards.
 */
final class ElectedTerm implements Leadership {

    /** Why a leadership ends. */
    enum End {
        RESIGNED,
        STOPPED,
        UNHEALTHY,
        CANDIDATE_FAILED,
        LOST
    }

    /** How long a candidate may take to finish, by default. */
    static final Duration FINISH_LIMIT = Duration.ofSeconds(30);

    private static final Duration YEAR = Duration.ofDays(365);
    private static final Logger log = LoggerFactory.getLogger(ElectedTerm.class);

    private final String role;
    private final HeldLease lease;
    /** The candidate has been called, and has not been revoked yet. */
    private volatile boolean hasCandidate;

    private volatile boolean cutShort;
    private final CountDownLatch ended = new CountDownLatch(1);
    private final TenureGuard guard;
    private volatile @Nullable End end;
    private @Nullable LossReason loss;

    /** Who leads next, if a majority has queued it. */
    private volatile @Nullable String successor;
    /** How the next leader is chosen if this one stops; null: the queue decides. */
    private volatile @Nullable Succession succession;
    /** Done once the next leader has been chosen, or the lease has ended. */
    private final CompletableFuture<Void> chosen = new CompletableFuture<>();

    private final Runnable interruption = this::interrupt;
    private volatile boolean interruptOwed;

    ElectedTerm(String role, HeldLease lease) {
        this.role = role;
        this.lease = lease;
        this.guard = new TenureGuard(this::isLeader, lease::isHeld, () -> {});
        lease.belongToElection();
        lease.keepFor(() -> hasCandidate || !guard.isEmpty());
        lease.observe(this::lost);
    }

    /** On the node's thread, which must not send the interrupt: it may have to close a channel and wait for that. */
    private void lost(LossReason reason) {
        try {
            if (mark(End.LOST, reason)) {
                interruptOwed = true;
            }
            if (interruptOwed) {
                lease.callBack(interruption);
                interruptOwed = false; // not if that had no memory: the loss is told again
            }
        } finally {
            setOver();
        }
    }

    @Override
    public String role() {
        return role;
    }

    @Override
    public boolean isLeader() {
        return end == null && lease.isHeld();
    }

    @Override
    public long fencingToken() {
        return lease.fencingToken();
    }

    @Override
    public Duration remaining() {
        return end == null ? lease.remaining() : Duration.ZERO;
    }

    @Override
    public void check() {
        if (!isLeader()) {
            throw new NotLeaderException(
                    role,
                    "This node's leadership of the role '%s' has ended: %s"
                            .formatted(Printable.name(role), describeEnd()));
        }
    }

    @Override
    public void resign() {
        end(End.RESIGNED, FINISH_LIMIT);
    }

    /**
     * Ends it by choice: from this call on {@link #isLeader()} is false. The first reason stands.
     *
     * @param limit how long the candidate may take to finish, by the node's clock, before the lease is released in any case
     */
    void end(End reason, Duration limit) {
        if (mark(reason, null)) {
            try {
                seekSuccessor();
            } finally {
                endWork(limit);
            }
        }
    }

    private void endWork(Duration limit) {
        try {
            interrupt();
        } finally {
            lease.node().later(() -> releaseAnyway(limit), nanos(limit));
        }
    }

    /** If it stops, the next leader is chosen that way. */
    void succeededBy(Succession rule) {
        succession = rule;
    }

    /** After a failure, and where nothing is chosen, the queue decides. */
    private boolean choosesSuccessor() {
        return end == End.STOPPED && succession != null;
    }

    /** Asks who leads next while the work ends. */
    private void seekSuccessor() {
        Succession rule = succession;
        boolean asks = false;
        try {
            if (rule != null && choosesSuccessor()) {
                CompletableFuture<Boolean> unused = rule.seek(lease).handle(this::choose);
                asks = true;
            }
        } finally {
            if (!asks) { // also if there was no memory to ask
                chosen.complete(null);
            }
        }
    }

    private boolean choose(@Nullable String nodeId, @Nullable Throwable failure) {
        successor = nodeId;
        return chosen.complete(null);
    }

    /** Waits until the next leader has been chosen, or the lease has ended; half a second at most. Keeps the interrupt flag. */
    void awaitSuccessor() {
        if (choosesSuccessor()) { // as soon as the end is marked: the thread that ends the term may not have asked yet
            lease.node().successors().await(chosen);
        }
    }

    /**
     * Gives leadership up in favour of that node.
     *
     * @throws HandOverException when that node does not wait; then this node leads on
     */
    void resignTo(String nodeId) {
        successor = lease.node().successors().nominateOrRefuse(lease, nodeId).name();
        resign();
    }

    /** On the node's thread. */
    private void releaseAnyway(Duration limit) {
        if (lease.isHeld()) {
            cutShort = true;
            lease.callBack(() -> log.warn(
                    "Work on the leader of role '{}' is still running {} after revocation; releasing its lease",
                    Printable.name(role),
                    limit));
        }
        release(); // also a suspect lease, which may be confirmed yet
    }

    /** The candidate is called. If the node stops before {@link #candidateHasEnded}, the lease is not released but expires. */
    void candidateBegins() {
        hasCandidate = true;
    }

    /** It has been revoked. */
    void candidateHasEnded() {
        hasCandidate = false;
    }

    /** Whether its lease was released at the limit, before the candidate and the calls had finished. */
    boolean wasCutShort() {
        return cutShort;
    }

    /** Another node may lead from now on. */
    void release() {
        String next = successor;
        if (next == null) {
            lease.release();
        } else {
            lease.releaseTo(next);
        }
        setOver();
    }

    private void setOver() {
        guard.setOver();
        chosen.complete(null);
    }

    private boolean mark(End reason, @Nullable LossReason why) {
        synchronized (this) {
            if (end != null) {
                return false;
            }
            end = reason;
            loss = why;
        }
        ended.countDown();
        return true;
    }

    /**
     * Interrupts the calls that run under a leadership that has ended, the candidate's among them, and tells the owners of work that goes
     * on; each once.
     */
    void interrupt() {
        guard.endParts();
    }

    /** What runs under this leadership. */
    TenureGuard guard() {
        return guard;
    }

    /** At most a year: no limit is longer. */
    static long nanos(Duration time) {
        return time.compareTo(YEAR) > 0 ? YEAR.toNanos() : time.toNanos();
    }

    void awaitEnd() throws InterruptedException {
        ended.await();
    }

    @Nullable
    End reason() {
        return end;
    }

    /** The reason as others see it. */
    synchronized RevocationReason revocation() {
        if (end == End.RESIGNED) {
            return RevocationReason.YIELDED;
        } else if (end == End.STOPPED) {
            return RevocationReason.STOPPED;
        } else if (end == End.UNHEALTHY) {
            return RevocationReason.UNHEALTHY;
        } else if (end == End.CANDIDATE_FAILED) {
            return RevocationReason.FAILED;
        }
        return loss == null
                ? RevocationReason.EXPIRED
                : switch (loss) {
                    case EXPIRED -> RevocationReason.EXPIRED;
                    case SUSPENDED -> RevocationReason.SUSPENDED;
                    case CLOCK -> RevocationReason.CLOCK;
                    case STOPPED -> RevocationReason.STOPPED;
                    case FAILED -> RevocationReason.FAILED;
                    case REVOKED -> RevocationReason.YIELDED;
                };
    }

    /** The reason in words, for the log. */
    synchronized String describeEnd() {
        if (end == null) {
            return lease.isHeld() ? "not ended" : "its time was over";
        }
        return loss == null ? String.valueOf(end) : end + ": " + loss;
    }

    @Override
    public String toString() {
        return "Leadership of '%s' with fencing token %d".formatted(Printable.name(role), fencingToken());
    }
}
