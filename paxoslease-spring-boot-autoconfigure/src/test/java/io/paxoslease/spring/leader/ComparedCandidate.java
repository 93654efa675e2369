package io.paxoslease.spring.leader;

import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.springframework.integration.leader.AbstractCandidate;
import org.springframework.integration.leader.Context;
import org.springframework.integration.leader.event.LeaderEventPublisher;

/** A candidate for both initiators: counts its calls and runs the test's code. Publishes nothing. */
final class ComparedCandidate extends AbstractCandidate implements LeaderEventPublisher {

    final AtomicInteger grants = new AtomicInteger();
    final AtomicInteger revocations = new AtomicInteger();
    volatile Runnable onGranted = () -> {};
    volatile Runnable onRevoked = () -> {};
    private volatile @Nullable Context context;

    ComparedCandidate(String node) {
        super(node, InitiatorCell.ROLE);
    }

    @Override
    public void onGranted(Context granted) {
        context = granted;
        grants.incrementAndGet();
        onGranted.run();
    }

    @Override
    public void onRevoked(Context ended) {
        onRevoked.run();
        revocations.incrementAndGet();
    }

    void yieldLeadership() {
        Context present = context;
        if (present != null) {
            present.yield();
        }
    }

    @Override
    public void publishOnGranted(Object source, Context granted, String role) {}

    @Override
    public void publishOnRevoked(Object source, Context ended, String role) {}

    @Override
    public void publishOnFailedToAcquire(Object source, Context none, String role) {}
}
