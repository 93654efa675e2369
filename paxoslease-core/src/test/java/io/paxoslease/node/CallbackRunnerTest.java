package io.paxoslease.node;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Where users' code runs when no executor takes it. */
class CallbackRunnerTest {

    private static final Executor WITHOUT_THREADS = task -> {
        throw new OutOfMemoryError("unable to create native thread");
    };

    private final List<String> ran = new ArrayList<>();
    private final Timers timers = new Timers();

    @AfterEach
    void close() {
        timers.shutdownNow();
    }

    @Test
    void whatNoExecutorTakesIsTriedAgainUntilOneDoes() {
        boolean[] full = {true};
        CallbackRunner callbacks = new CallbackRunner(
                "a",
                task -> {
                    if (full[0]) {
                        throw new OutOfMemoryError("unable to create native thread");
                    }
                    task.run();
                },
                WITHOUT_THREADS,
                timers);
        callbacks.run(() -> ran.add("code"));
        timers.fire();
        assertThat(ran).isEmpty();
        full[0] = false;
        timers.fire();
        timers.fire();

        assertThat(ran).containsExactly("code");
    }

    @Test
    void afterTheEndOfTheNodeItRunsWhereItIs() {
        timers.shutdownNow();
        timers.stopped = true;
        new CallbackRunner("a", WITHOUT_THREADS, WITHOUT_THREADS, timers).run(() -> ran.add("code"));

        assertThat(ran).containsExactly("code");
    }

    /** The one who is told that it does not run relies on that, though a queue has it. */
    @Test
    void whatIsToRunNowOrNeverDoesNotRunLater() {
        List<Runnable> queue = new ArrayList<>();
        CallbackRunner callbacks = new CallbackRunner(
                "a",
                WITHOUT_THREADS,
                task -> {
                    queue.add(task);
                    throw new OutOfMemoryError("unable to create native thread");
                },
                timers);

        assertThat(callbacks.runNowOrNever(() -> ran.add("code"))).isFalse();
        queue.forEach(Runnable::run);
        assertThat(ran).isEmpty();
        assertThat(timers.task).isNull();
    }

    /** Fires by hand. */
    private static final class Timers extends ScheduledThreadPoolExecutor {

        private @Nullable Runnable task;
        private boolean stopped;

        Timers() {
            super(1);
        }

        @Override
        public ScheduledFuture<?> schedule(Runnable code, long delay, TimeUnit unit) {
            if (!stopped) {
                task = code;
            }
            return super.schedule(() -> {}, delay, unit);
        }

        void fire() {
            Runnable due = task;
            task = null;
            if (due != null) {
                due.run();
            }
        }
    }
}
