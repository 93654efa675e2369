package io.paxoslease.interleaving;

import io.paxoslease.interleaving.Scheduler.End;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BiFunction;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.helpers.NOPLogger;

/**
 * What woven classes call in place of the JDK's methods that block, wake, or tell the time; see {@link Weaver}. Each has the name
 * and, after the receiver, the arguments of what it stands for.
 */
@SuppressWarnings("unused") // called by woven classes
public final class Control {

    private Control() {}

    /** Another thread may go on here. */
    public static void point() {
        Scheduler scheduler = Scheduler.current();
        if (scheduler != null) {
            scheduler.point();
        }
    }

    private static Scheduler scheduler() {
        Scheduler scheduler = Scheduler.current();
        if (scheduler == null) {
            throw new IllegalStateException(
                    "woven code waits on a thread that no run controls: " + Thread.currentThread());
        }
        return scheduler;
    }

    static End await(BooleanSupplier condition, long deadline, boolean interruptible) {
        return scheduler().await(condition, deadline, interruptible);
    }

    static long deadline(long nanos) {
        long now = scheduler().now();
        return nanos >= Task.NEVER - now ? Task.NEVER : now + nanos;
    }

    public static void enterAtomic() {
        Scheduler scheduler = Scheduler.current();
        if (scheduler != null) {
            scheduler.me().atomic++;
        }
    }

    public static void exitAtomic() {
        Scheduler scheduler = Scheduler.current();
        if (scheduler != null) {
            scheduler.me().atomic--;
        }
    }

    public static void monitorEnter(Object object) {
        Scheduler scheduler = Scheduler.current();
        if (scheduler != null) {
            scheduler.monitor(object).enter();
        }
    }

    /** Throws nothing: the handler of a synchronized block covers itself. */
    public static void monitorExit(Object object) {
        Scheduler scheduler = Scheduler.current();
        if (scheduler != null && !scheduler.isOver()) {
            scheduler.monitor(object).exit();
        }
    }

    public static void wait(Object object) throws InterruptedException {
        scheduler().monitor(object).await(Task.NEVER);
    }

    public static void wait(Object object, long millis) throws InterruptedException {
        scheduler().monitor(object).await(millis == 0 ? Task.NEVER : deadline(TimeUnit.MILLISECONDS.toNanos(millis)));
    }

    public static void notify(Object object) {
        scheduler().monitor(object).wake(false);
    }

    public static void notifyAll(Object object) {
        scheduler().monitor(object).wake(true);
    }

    public static void parkNanos(long nanos) {
        park(deadline(nanos));
    }

    public static void parkNanos(Object blocker, long nanos) {
        park(deadline(nanos));
    }

    public static void park() {
        park(Task.NEVER);
    }

    public static void park(Object blocker) {
        park(Task.NEVER);
    }

    private static void park(long deadline) {
        Task me = scheduler().me();
        if (await(() -> me.permit, deadline, true) == End.INTERRUPTED) {
            me.interrupted = true;
        }
        me.permit = false;
    }

    public static void unpark(Thread thread) {
        point();
        Task task = scheduler().taskOf(thread);
        if (task != null) {
            task.permit = true;
        }
    }

    public static long nanoTime() {
        Scheduler scheduler = Scheduler.current();
        return scheduler == null ? 0 : scheduler.now();
    }

    public static void sleep(long millis) throws InterruptedException {
        orInterrupted(await(() -> false, deadline(TimeUnit.MILLISECONDS.toNanos(millis)), true));
    }

    /** For the code of a thread that is made. */
    public static Runnable controlled(Runnable code) {
        return scheduler().asTask(code);
    }

    public static void start(Thread thread) {
        scheduler().start(thread);
    }

    public static void join(Thread thread) throws InterruptedException {
        join(thread, 0);
    }

    public static void join(Thread thread, long millis) throws InterruptedException {
        long deadline = millis == 0 ? Task.NEVER : deadline(TimeUnit.MILLISECONDS.toNanos(millis));
        orInterrupted(await(() -> !lives(thread), deadline, true));
    }

    public static boolean isAlive(Thread thread) {
        point();
        return lives(thread);
    }

    private static boolean lives(Thread thread) {
        Task task = scheduler().taskOf(thread);
        return task != null && !task.done;
    }

    public static void interrupt(Thread thread) {
        point();
        Task task = scheduler().taskOf(thread);
        if (task != null) {
            task.interrupted = true;
        }
    }

    public static boolean isInterrupted(Thread thread) {
        point();
        Task task = scheduler().taskOf(thread);
        return task != null && task.interrupted;
    }

    public static boolean interrupted() {
        point();
        Task me = scheduler().me();
        boolean was = me.interrupted;
        me.interrupted = false;
        return was;
    }

    public static @Nullable Object get(CompletableFuture<?> future) throws InterruptedException, ExecutionException {
        orInterrupted(await(future::isDone, Task.NEVER, true));
        return future.get();
    }

    public static @Nullable Object get(CompletableFuture<?> future, long time, TimeUnit unit)
            throws InterruptedException, ExecutionException, TimeoutException {
        End end = await(future::isDone, deadline(unit.toNanos(time)), true);
        orInterrupted(end);
        if (end == End.TIME_OVER) {
            throw new TimeoutException();
        }
        return future.get();
    }

    public static @Nullable Object join(CompletableFuture<?> future) {
        await(future::isDone, Task.NEVER, false);
        return future.join();
    }

    public static void await(CountDownLatch latch) throws InterruptedException {
        orInterrupted(await(() -> latch.getCount() == 0, Task.NEVER, true));
    }

    public static boolean await(CountDownLatch latch, long time, TimeUnit unit) throws InterruptedException {
        End end = await(() -> latch.getCount() == 0, deadline(unit.toNanos(time)), true);
        orInterrupted(end);
        return end == End.MET;
    }

    private static void orInterrupted(End end) throws InterruptedException {
        if (end == End.INTERRUPTED) {
            throw new InterruptedException();
        }
    }

    /** Each task gets a thread of its own. */
    public static Executor delayedExecutor(long time, TimeUnit unit) {
        Scheduler scheduler = scheduler();
        return task -> {
            long deadline = deadline(unit.toNanos(time));
            scheduler.start(new Thread(
                    scheduler.asTask(() -> {
                        await(() -> false, deadline, false);
                        task.run();
                    }),
                    "delayed"));
        };
    }

    /** The same: where a task runs is no matter. */
    public static Executor delayedExecutor(long time, TimeUnit unit, Executor executor) {
        return delayedExecutor(time, unit);
    }

    /** What is logged by thousands of runs is of no use. */
    public static Logger getLogger(Class<?> of) {
        return NOPLogger.NOP_LOGGER;
    }

    public static <K, V> @Nullable V computeIfAbsent(Map<K, V> map, K key, Function<? super K, ? extends V> function) {
        return atomically(() -> map.computeIfAbsent(key, function));
    }

    public static <K, V> @Nullable V computeIfPresent(
            Map<K, V> map, K key, BiFunction<? super K, ? super V, ? extends V> function) {
        return atomically(() -> map.computeIfPresent(key, function));
    }

    public static <K, V> @Nullable V compute(
            Map<K, V> map, K key, BiFunction<? super K, ? super @Nullable V, ? extends V> function) {
        return atomically(() -> map.compute(key, function));
    }

    public static <K, V> @Nullable V merge(
            Map<K, V> map, K key, V value, BiFunction<? super V, ? super V, ? extends V> function) {
        return atomically(() -> map.merge(key, value, function));
    }

    private interface Step<T> {
        @Nullable
        T take();
    }

    /** The map holds a lock of its own meanwhile. */
    private static <T> @Nullable T atomically(Step<T> step) {
        point();
        enterAtomic();
        try {
            return step.take();
        } finally {
            exitAtomic();
        }
    }
}
