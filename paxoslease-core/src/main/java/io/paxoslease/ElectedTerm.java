package io.paxoslease;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/** One leadership of this node. It ends once, for one reason; ending it interrupts a candidate that works in it. */
final class ElectedTerm implements Leadership {

    /** Why a leadership ends. */
    enum End {
        RESIGNED,
        STOPPED,
        CANDIDATE_FAILED,
        LOST;

        /** A lost lease is not released: it may be another's by now. */
        boolean isVoluntary() {
            return this != LOST;
        }
    }

    private final String role;
    private final HeldLease lease;
    private final CountDownLatch ended = new CountDownLatch(1);
    private volatile @Nullable End end;
    private @Nullable String detail;
    private @Nullable Thread worker;

    ElectedTerm(String role, HeldLease lease) {
        this.role = role;
        this.lease = lease;
        lease.observe(reason -> end(End.LOST, reason.name()));
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
    public void resign() {
        end(End.RESIGNED, null);
    }

    /** From this call on nobody is told that this node leads. The first reason stands. */
    void end(End reason, @Nullable String why) {
        synchronized (this) {
            if (end != null) {
                return;
            }
            end = reason;
            detail = why;
            if (worker != null) {
                worker.interrupt();
            }
        }
        ended.countDown();
    }

    /** Runs the candidate's work on this thread; an interrupt of ours never reaches what this thread does afterwards. */
    void work(LeaderCandidate candidate) throws InterruptedException {
        synchronized (this) {
            if (end != null) {
                return;
            }
            worker = Thread.currentThread();
        }
        try {
            candidate.onGranted(this);
        } finally {
            synchronized (this) {
                worker = null;
                if (end != null) {
                    Thread.interrupted();
                }
            }
        }
    }

    void awaitEnd() throws InterruptedException {
        ended.await();
    }

    @Nullable
    End reason() {
        return end;
    }

    /** The reason in words, for the log. */
    synchronized String story() {
        return detail == null ? String.valueOf(end) : end + ": " + detail;
    }

    HeldLease lease() {
        return lease;
    }
}
