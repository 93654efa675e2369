package io.paxoslease.spring.leader;

import io.paxoslease.protocol.Printable;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.scheduling.SchedulingAwareRunnable;
import org.springframework.scheduling.TaskScheduler;
import org.springframework.scheduling.config.TaskSchedulerRouter;

/** Runs work later on the scheduler that runs a scheduled method otherwise. Thread-safe; never throws. */
final class MissedRunScheduler {

    private static final Logger log = LoggerFactory.getLogger(OnLeader.class);

    /** Until a log is asked again that could not be read or written. */
    static final Duration RETRY = Duration.ofSeconds(10);

    private final TaskScheduler scheduler;
    private final Clock clock;

    MissedRunScheduler(TaskScheduler scheduler, Clock clock) {
        this.scheduler = scheduler;
        this.clock = clock;
    }

    /** @param beans have the task schedulers, which are looked up when one is used first */
    static MissedRunScheduler of(BeanFactory beans) {
        TaskSchedulerRouter router = new TaskSchedulerRouter();
        router.setBeanFactory(beans);
        return new MissedRunScheduler(router, Clock.systemUTC());
    }

    Instant now() {
        return clock.instant();
    }

    void retry(RecordedTask task, AtomicBoolean scheduled, Runnable work) {
        at(now().plus(RETRY), task, scheduled, work);
    }

    /** @param scheduled whether such work is scheduled: then this does nothing */
    void at(Instant time, RecordedTask task, AtomicBoolean scheduled, Runnable work) {
        if (!scheduled.compareAndSet(false, true)) {
            return;
        }
        Look look = new Look(task.scheduler(), () -> {
            scheduled.set(false);
            work.run();
        });
        try {
            scheduler.schedule(look, time);
        } catch (RuntimeException e) {
            scheduled.set(false);
            log.warn(
                    "It is not found out whether a run of {} was missed: its scheduler takes no more work ({})",
                    Printable.name(task.name()),
                    Printable.text(e.getMessage()));
        }
    }

    /** The router may have made a scheduler of its own, where the application has none. */
    void close() throws Exception {
        if (scheduler instanceof DisposableBean own) {
            own.destroy();
        }
    }

    /** @param qualifier the name of the scheduler; empty: the application's only one */
    private record Look(String qualifier, Runnable work) implements SchedulingAwareRunnable {

        @Override
        public void run() {
            work.run();
        }

        @Override
        public String getQualifier() {
            return qualifier;
        }
    }
}
