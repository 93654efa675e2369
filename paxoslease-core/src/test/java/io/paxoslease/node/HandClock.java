package io.paxoslease.node;

import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.Reading;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** A clock that stands still until the test moves it. */
public final class HandClock implements NodeClock {

    private static final Reading START = new Reading(new Moment(-7), 1_700_000_000_000_000L);

    private final AtomicReference<Reading> now = new AtomicReference<>(START);

    private volatile @Nullable Thread late;
    private volatile long lateNanos;

    @Override
    public Reading read() {
        Reading reading = now.get();
        return Thread.currentThread() == late ? reading.plusNanos(lateNanos) : reading;
    }

    /** From now on that thread is held up so long before it reads; nobody is when it is null. */
    public void holdUp(@Nullable Thread thread, long nanos) {
        lateNanos = nanos;
        late = thread;
    }

    public void advance(long nanos) {
        now.updateAndGet(reading -> reading.plusNanos(nanos));
    }

    /** The wall clock is set, the monotonic one goes on. */
    public void setWall(Duration by) {
        now.updateAndGet(reading -> new Reading(reading.moment(), reading.wallMicros() + by.toNanos() / 1_000));
    }
}
