package io.paxoslease.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
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

    /** The loop does not take a timer any more, as for want of memory, once it has the first. */
    @Test
    void anAttemptNeedsNoMemoryForTheNext() {
        boolean[] full = {true};
        CallbackRunner callbacks = new CallbackRunner(
                "a",
                task -> {
                    if (full[0]) {
                        throw new OutOfMemoryError("planted");
                    }
                    task.run();
                },
                WITHOUT_THREADS,
                timers);
        callbacks.run(() -> ran.add("code"));
        timers.full = true;
        Throwable unused = catchThrowable(timers::fire); // a loop forgets a task that throws
        full[0] = false;
        timers.fire();

        assertThat(ran).containsExactly("code");
        assertThat(timers.task).as("the timer ends").isNull();
    }

    @Test
    void theAttemptsEndWithTheOneThatRanTheCode() {
        boolean[] full = {true};
        CallbackRunner callbacks = new CallbackRunner(
                "a",
                task -> {
                    if (full[0]) {
                        throw new RejectedExecutionException("full");
                    }
                    task.run();
                },
                WITHOUT_THREADS,
                timers);
        callbacks.run(() -> ran.add("code"));
        full[0] = false;
        timers.fire();

        assertThat(ran).containsExactly("code");
        assertThat(timers.task).isNull();
    }

    /** Neither now, nor later: the caller hears of it. */
    @Test
    void aCallerWhoCannotBeToldLaterIsToldNow() {
        CompletableFuture<String> caller = new CompletableFuture<>();
        timers.full = true;
        new CallbackRunner("a", WITHOUT_THREADS, WITHOUT_THREADS, timers).answer(caller, () -> caller.complete("late"));

        assertThat(caller).isCompletedExceptionally();
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
        private @Nullable ScheduledFuture<?> timer;
        private boolean stopped;
        private boolean full;

        Timers() {
            super(1);
        }

        @Override
        public ScheduledFuture<?> scheduleWithFixedDelay(Runnable code, long first, long delay, TimeUnit unit) {
            if (full) {
                throw new OutOfMemoryError("planted");
            }
            if (!stopped) {
                task = code;
            }
            timer = super.scheduleWithFixedDelay(() -> {}, first, delay, unit);
            return timer;
        }

        void fire() {
            Runnable due = task;
            if (due != null) {
                due.run();
            }
            if (timer != null && timer.isCancelled()) {
                task = null;
            }
        }
    }
}
