package io.paxoslease.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.PaxosLeaseException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Where users' code runs when no executor takes it. */
class CallbackRunnerTest {

    private static final Executor WITHOUT_THREADS = task -> {
        throw new OutOfMemoryError("unable to create native thread");
    };

    private final List<String> ran = new ArrayList<>();

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
                WITHOUT_THREADS);
        callbacks.run(() -> ran.add("code"));
        callbacks.finish();
        assertThat(ran).isEmpty();
        full[0] = false;
        callbacks.finish();
        callbacks.finish();

        assertThat(ran).containsExactly("code");
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
                WITHOUT_THREADS);
        callbacks.run(() -> ran.add("code"));
        full[0] = false;
        callbacks.finish();
        callbacks.finish();

        assertThat(ran).containsExactly("code");
    }

    /** On the executor's thread: it is tried again, and the other attempt of an executor that has it twice does nothing. */
    @Test
    void anAnswerThatFindsNoMemoryIsGivenLater() {
        List<Runnable> queue = new ArrayList<>();
        CallbackRunner callbacks = new CallbackRunner("a", queue::add, WITHOUT_THREADS);
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
        CallbackRunner callbacks = new CallbackRunner("a", Runnable::run, WITHOUT_THREADS);
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
                WITHOUT_THREADS);
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
        CallbackRunner failed = new CallbackRunner("a", WITHOUT_THREADS, WITHOUT_THREADS);
        FullAtFirst caller = new FullAtFirst(1);
        failed.owe(caller).give(null, new PaxosLeaseException("not granted"));
        failed.nodeFailed();
        failed.finish();
        failed.finish();
        CallbackRunner ended = new CallbackRunner("a", WITHOUT_THREADS, WITHOUT_THREADS);
        FullAtFirst other = new FullAtFirst(1);
        ended.owe(other).give(null, new PaxosLeaseException("not granted"));
        ended.end();

        assertThat(List.of(caller, other)).allMatch(CompletableFuture::isCompletedExceptionally);
    }

    @Test
    void afterTheEndOfTheNodeItRunsWhereItIs() {
        CallbackRunner callbacks = new CallbackRunner("a", WITHOUT_THREADS, WITHOUT_THREADS);
        callbacks.end();
        callbacks.run(() -> ran.add("code"));

        assertThat(ran).containsExactly("code");
    }

    /** Unlike the common pool, which accepts tasks also while it gets no thread, and never runs them. */
    @Test
    void noTaskIsLostWhileTheProcessHasNoThreadToGive() throws InterruptedException {
        boolean[] full = {true};
        ThreadFactory threads = Threads.daemon("test");
        CallbackRunner callbacks = new CallbackRunner("a", WITHOUT_THREADS, Threads.substitute(task -> {
            if (full[0]) {
                throw new OutOfMemoryError("unable to create native thread");
            }
            return threads.newThread(task);
        }));
        CountDownLatch left = new CountDownLatch(3);
        for (int i = 0; i < 3; i++) {
            callbacks.run(left::countDown);
        }
        callbacks.finish();
        assertThat(left.getCount()).isEqualTo(3);
        full[0] = false;
        callbacks.finish();
        callbacks.finish();

        assertThat(left.await(10, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void anExecutorMayThrowUndeclared() {
        CallbackRunner callbacks = new CallbackRunner("a", task -> sneak(new Exception("planted")), Runnable::run);
        callbacks.run(() -> ran.add("code"));

        assertThat(ran).containsExactly("code");
    }

    /** Throws what the compiler does not let a task declare. */
    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals", "DoNotCallSuggester"})
    private static <E extends Throwable> void sneak(Throwable failure) throws E {
        throw (E) failure;
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
}
