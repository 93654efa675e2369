package io.paxoslease.testing;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.election.LeaderCandidate;
import io.paxoslease.election.Leadership;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Notes what an election calls, does what a test wants in the calls, and fails when two of them overlap. */
public final class TestCandidate implements LeaderCandidate {

    /** What the candidate does in a call. */
    public interface Work {
        void run(Leadership leadership) throws InterruptedException;
    }

    private final BlockingQueue<String> events = new LinkedBlockingQueue<>();
    private final BlockingQueue<Leadership> granted = new LinkedBlockingQueue<>();
    private final AtomicInteger inside = new AtomicInteger();
    private volatile Work onGranted = leadership -> {};
    private volatile Work onRevoked = leadership -> {};

    public TestCandidate onGranted(Work work) {
        onGranted = work;
        return this;
    }

    public TestCandidate onRevoked(Work work) {
        onRevoked = work;
        return this;
    }

    @Override
    public void onGranted(Leadership leadership) throws InterruptedException {
        Work work = onGranted; // whoever waits for the grant may change it for the next one
        enter("granted");
        granted.add(leadership);
        try {
            work.run(leadership);
        } finally {
            inside.decrementAndGet();
        }
    }

    @Override
    public void onRevoked(Leadership leadership) {
        Work work = onRevoked;
        enter(leadership.isLeader() ? "revoked while leading" : "revoked");
        try {
            work.run(leadership);
        } catch (InterruptedException e) {
            events.add("interrupted in onRevoked");
        } finally {
            inside.decrementAndGet();
        }
    }

    private void enter(String call) {
        String flag = Thread.currentThread().isInterrupted() ? " with a stale interrupt" : "";
        events.add(inside.incrementAndGet() == 1 ? call + flag : call + " in the middle of another call");
    }

    public void note(String event) {
        events.add(event);
    }

    public String next() throws InterruptedException {
        return String.valueOf(events.poll(10, TimeUnit.SECONDS));
    }

    /** The same for an event that should not come, so that little time is spent on it. */
    public String nextWithin(Duration limit) throws InterruptedException {
        return String.valueOf(events.poll(limit.toMillis(), TimeUnit.MILLISECONDS));
    }

    public Leadership awaitGranted() throws InterruptedException {
        Leadership leadership = granted.poll(10, TimeUnit.SECONDS);
        assertThat(leadership).as("leadership").isNotNull();
        return Objects.requireNonNull(leadership);
    }

    public boolean isQuiet() {
        return events.isEmpty();
    }

    /** Works until it is interrupted, as a leader's loop does. */
    public static void workUntilInterrupted(Leadership leadership) throws InterruptedException {
        new LinkedBlockingQueue<>().take();
    }
}
