package io.paxoslease.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.paxoslease.PaxosLeaseException;
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

    /** On the executor's thread: it is tried again, and the other attempt of an executor that has it twice does nothing. */
    @Test
    void anAnswerThatFindsNoMemoryIsGivenLater() {
        List<Runnable> queue = new ArrayList<>();
        CallbackRunner callbacks = new CallbackRunner("a", queue::add, WITHOUT_THREADS, timers);
        FullAtFirst caller = new FullAtFirst(2);
        callbacks.owe(caller).give(null, new PaxosLeaseException("not granted"));
        for (int i = 0; i < 3; i++) {
            assertThat(caller).isNotDone();
            queue.remove(0).run();
            callbacks.finish();
        }

        assertThat(caller).isCompletedExceptionally();
        callbacks.finish();
        assertThat(queue).isEmpty();
    }

    /** The executor is of the thread that gives the answer. */
    @Test
    void anAnswerThatFindsNoMemoryWhereItIsGivenIsGivenLater() {
        CallbackRunner callbacks = new CallbackRunner("a", Runnable::run, WITHOUT_THREADS, timers);
        FullAtFirst caller = new FullAtFirst(2);
        callbacks.owe(caller).give(null, new PaxosLeaseException("not granted"));
        callbacks.finish();
        assertThat(caller).isNotDone();
        callbacks.finish();

        assertThat(caller).isCompletedExceptionally();
    }

    @Test
    void anAnswerThatNoExecutorTakesWaitsForOne() {
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
        CompletableFuture<Boolean> caller = new CompletableFuture<>();
        callbacks.owe(caller).give(true, null);
        callbacks.finish();
        assertThat(caller).isNotDone();
        full[0] = false;
        callbacks.finish();

        assertThat(caller).isCompletedWithValue(true);
    }

    @Test
    void anAnswerThatNoExecutorTakesIsGivenByTheThreadThatTriesOnceTheNodeHasFailedOrEnded() {
        CallbackRunner failed = new CallbackRunner("a", WITHOUT_THREADS, WITHOUT_THREADS, timers);
        FullAtFirst caller = new FullAtFirst(1);
        failed.owe(caller).give(null, new PaxosLeaseException("not granted"));
        failed.nodeFailed();
        failed.finish();
        failed.finish();
        CallbackRunner ended = new CallbackRunner("a", WITHOUT_THREADS, WITHOUT_THREADS, timers);
        FullAtFirst other = new FullAtFirst(1);
        ended.owe(other).give(null, new PaxosLeaseException("not granted"));
        ended.end();

        assertThat(List.of(caller, other)).allMatch(CompletableFuture::isCompletedExceptionally);
    }

    @Test
    void afterTheEndOfTheNodeItRunsWhereItIs() {
        timers.shutdownNow();
        timers.stopped = true;
        new CallbackRunner("a", WITHOUT_THREADS, WITHOUT_THREADS, timers).run(() -> ran.add("code"));

        assertThat(ran).containsExactly("code");
    }

    private static final class FullAtFirst extends CompletableFuture<String> {

        private int failures;

        FullAtFirst(int failures) {
            this.failures = failures;
        }

        @Override
        public boolean completeExceptionally(Throwable failure) {
            if (failures-- > 0) {
                throw new OutOfMemoryError("planted");
            }
            return super.completeExceptionally(failure);
        }
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
