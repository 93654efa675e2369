package io.paxoslease.testing;

import java.util.Arrays;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/** A piece of a test that runs in a thread of its own. */
public final class Background<T> {

    private final FutureTask<T> task;
    private final Thread thread;

    private Background(Callable<T> code) {
        task = new FutureTask<>(code);
        thread = new Thread(task, "test-background");
        thread.setDaemon(true);
    }

    public static <T> Background<T> start(Callable<T> code) {
        Background<T> background = new Background<>(code);
        background.thread.start();
        return background;
    }

    /** What the code returned, or what it threw, wrapped. Fails when it takes unreasonably long. */
    public T result() throws InterruptedException, ExecutionException {
        try {
            return task.get(Eventually.LIMIT.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            AssertionError hangs = new AssertionError("Still running after " + Eventually.LIMIT, e);
            hangs.setStackTrace(thread.getStackTrace());
            throw hangs;
        }
    }

    public boolean isDone() {
        return task.isDone();
    }

    public void interrupt() {
        thread.interrupt();
    }

    /** Until the thread waits for something other than its turn in a lock, with or without a time-out. */
    public void awaitBlocked() {
        Eventually.until("the thread waits", () -> {
            Thread.State state = thread.getState();
            return (state == Thread.State.WAITING || state == Thread.State.TIMED_WAITING) && !isEnteringLock();
        });
    }

    /** The same, inside of that method: on its way there the thread may wait for something else. */
    public void awaitBlockedIn(String method) {
        Eventually.until("the thread waits in " + method, () -> {
            awaitBlocked();
            return Arrays.stream(thread.getStackTrace())
                    .anyMatch(frame -> frame.getMethodName().equals(method));
        });
    }

    /** As the clock of a cell in memory has one, which is soon free again. */
    private boolean isEnteringLock() {
        Object blocker = LockSupport.getBlocker(thread);
        return blocker != null && blocker.getClass().getName().startsWith(ReentrantLock.class.getName() + "$");
    }
}
