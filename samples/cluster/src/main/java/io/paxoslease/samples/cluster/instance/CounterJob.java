package io.paxoslease.samples.cluster.instance;

import java.io.IOException;
import java.nio.file.Path;
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
        this.counter = new SharedCounter(file, instance);
        this.reports = reports;
        this.locked = locked;
    }

    @Scheduled(fixedDelay = 150)
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
