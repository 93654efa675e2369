package io.paxoslease.samples.cluster.instance;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.integration.support.locks.LockRegistry;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/** Counts in a file that all instances share. Only the lock keeps them from overwriting each other's counts. */
@Component
class CounterJob {

    private static final long PATIENCE_MILLIS = 500;
    private static final long PAUSE_MILLIS = 150;
    private static final Duration GAP = Duration.ofMillis(5);

    /**
     * As long as the pause: of three instances two are then always less than half a round apart, so one reads before the
     * other writes, writes after it, and is noticed by the other's next read. With a short gap they could go round for
     * ever without meeting.
     */
    private static final Duration GAP_WITHOUT_LOCK = Duration.ofMillis(PAUSE_MILLIS);

    private final Lock lock;
    private final SharedCounter counter;
    private final LauncherReports reports;
    private final boolean locked;

    /** @param locked whether to take the lock; without it updates are lost, which shows that the check finds them */
    CounterJob(
            LockRegistry<?> locks,
            LauncherReports reports,
            @Value("${instance}") String instance,
            @Value("${sample.counter-file}") Path file,
            @Value("${sample.locked:true}") boolean locked) {
        this.lock = locks.obtain("counter");
        this.counter = new SharedCounter(file, instance, locked ? GAP : GAP_WITHOUT_LOCK);
        this.reports = reports;
        this.locked = locked;
    }

    @Scheduled(fixedDelay = PAUSE_MILLIS)
    void increment() throws IOException, InterruptedException {
        if (!locked) {
            count();
        } else if (lock.tryLock(PATIENCE_MILLIS, TimeUnit.MILLISECONDS)) {
            try {
                count();
            } finally {
                lock.unlock();
            }
        }
    }

    private void count() throws IOException {
        SharedCounter.Result result = counter.increment();
        if (result.lostUpdate() != null) {
            reports.lostUpdate(result.lostUpdate());
        }
        reports.counter(result.counts());
    }
}
