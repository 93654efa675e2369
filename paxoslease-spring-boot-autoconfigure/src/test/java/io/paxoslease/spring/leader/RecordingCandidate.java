package io.paxoslease.spring.leader;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.springframework.integration.leader.AbstractCandidate;
import org.springframework.integration.leader.Context;
import org.springframework.integration.leader.event.LeaderEventPublisher;

/** Records, in order, the calls and events of an initiator. */
class RecordingCandidate extends AbstractCandidate implements LeaderEventPublisher {

    /** @param source of an event; null for a call of the candidate */
    record Entry(
            String what,
            Context context,
            @Nullable String role,
            @Nullable Object source) {}

    private static final long PATIENCE_SECONDS = 20;

    private final BlockingQueue<Entry> entries = new LinkedBlockingQueue<>();

    RecordingCandidate(String role) {
        super("candidate", role);
    }

    @Override
    public void onGranted(Context context) throws InterruptedException {
        entries.add(new Entry("granted", context, null, null));
    }

    @Override
    public void onRevoked(Context context) {
        entries.add(new Entry("revoked", context, null, null));
    }

    @Override
    public void publishOnGranted(Object source, Context context, String role) {
        entries.add(new Entry("granted event", context, role, source));
    }

    @Override
    public void publishOnRevoked(Object source, Context context, String role) {
        entries.add(new Entry("revoked event", context, role, source));
    }

    @Override
    public void publishOnFailedToAcquire(Object source, Context context, String role) {
        entries.add(new Entry("failed event", context, role, source));
    }

    /** The next entry, which must be that one. */
    Entry next(String what) throws InterruptedException {
        Entry entry = entries.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
        if (entry == null || !entry.what().equals(what)) {
            throw new AssertionError("Expected '%s', got %s, then %s".formatted(what, entry, entries));
        }
        return entry;
    }

    /** Whether only expected calls and events happened. */
    boolean isEmpty() {
        return entries.isEmpty();
    }
}
