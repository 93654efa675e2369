package io.paxoslease.spring.leader;

import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.integration.leader.Context;

/** Runs the test's code in its calls and events, and records whether two of them overlap. */
final class ScriptedCandidate extends RecordingCandidate {

    interface Work {
        void run(LeaderContext context) throws InterruptedException;
    }

    private static final Work NOTHING = context -> {};

    private final AtomicInteger inside = new AtomicInteger();
    final AtomicInteger overlaps = new AtomicInteger();
    private volatile Work onGranted = NOTHING;
    private volatile Work onRevoked = NOTHING;
    private volatile Work grantedEvent = NOTHING;
    private volatile Work revokedEvent = NOTHING;

    ScriptedCandidate() {
        super(InitiatorCell.ROLE);
    }

    ScriptedCandidate onGranted(Work work) {
        onGranted = work;
        return this;
    }

    ScriptedCandidate onRevoked(Work work) {
        onRevoked = work;
        return this;
    }

    ScriptedCandidate onGrantedEvent(Work work) {
        grantedEvent = work;
        return this;
    }

    ScriptedCandidate onRevokedEvent(Work work) {
        revokedEvent = work;
        return this;
    }

    @Override
    public void onGranted(Context context) throws InterruptedException {
        enter();
        try {
            super.onGranted(context);
            onGranted.run((LeaderContext) context);
        } finally {
            inside.decrementAndGet();
        }
    }

    @Override
    public void onRevoked(Context context) {
        super.onRevoked(context);
        run(onRevoked, context);
    }

    @Override
    public void publishOnGranted(Object source, Context context, String role) {
        super.publishOnGranted(source, context, role);
        run(grantedEvent, context);
    }

    @Override
    public void publishOnRevoked(Object source, Context context, String role) {
        super.publishOnRevoked(source, context, role);
        run(revokedEvent, context);
    }

    private void run(Work work, Context context) {
        enter();
        try {
            work.run((LeaderContext) context);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            inside.decrementAndGet();
        }
    }

    private void enter() {
        if (inside.incrementAndGet() > 1) {
            overlaps.incrementAndGet();
        }
    }

    /** The two entries of a grant; returns its context. */
    LeaderContext nextGrant() throws InterruptedException {
        LeaderContext context = (LeaderContext) next("granted").context();
        next("granted event");
        return context;
    }

    void nextRevocation() throws InterruptedException {
        next("revoked");
        next("revoked event");
    }

    /** Works until it is interrupted, as a leader's loop does. */
    static void work(LeaderContext context) throws InterruptedException {
        new java.util.concurrent.CountDownLatch(1).await();
    }
}
