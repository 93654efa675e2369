package io.paxoslease.interleaving;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * One run of a scenario under one schedule. Its threads are real ones, but only one goes on at a time; at each {@linkplain #point
 * point} the schedule may let another one go on. Time is virtual: it passes only when no thread can go on without it.
 */
final class Scheduler {

    /** A run that takes more points than that goes round in circles. */
    private static final int MOST_POINTS = 60_000;
    /** A scenario whose threads need longer timers than that to go on has lost a wake-up. */
    private static final long LONGEST_LEAP_NANOS = 10_000_000;

    private static final long REAL_LIMIT_SECONDS = 60;

    /** Ends a thread of a run that is over. */
    static final class Abort extends Error {
        private static final long serialVersionUID = 1;

        Abort() {
            super("the run is over", null, false, false);
        }
    }

    /** How a wait ended. */
    enum End {
        MET,
        INTERRUPTED,
        TIME_OVER
    }

    private static final ThreadLocal<@Nullable Scheduler> ofThread = new ThreadLocal<>();

    private final Schedule schedule;
    private final @Nullable InterleavingTrace trace;
    private final List<Task> tasks = new ArrayList<>();
    private final IdentityHashMap<Object, Monitor> monitors = new IdentityHashMap<>();
    private final Map<Thread, Task> byThread = new ConcurrentHashMap<>();
    private final CountDownLatch ended = new CountDownLatch(1);
    private volatile Task running;
    private volatile boolean aborted;
    private volatile @Nullable String failure;
    private long now = 1_000_000_000_000L;
    private int points;
    private int switches;

    private Scheduler(long seed, InterleavingScenario scenario, @Nullable InterleavingTrace trace) {
        this.schedule = new Schedule(seed);
        this.trace = trace;
        this.running = add(new Thread(asTask(() -> runRoot(scenario)), "main"));
    }

    /** What went wrong; null: nothing. */
    static @Nullable String run(InterleavingScenario scenario, long seed, @Nullable InterleavingTrace trace) {
        Scheduler scheduler = new Scheduler(seed, scenario, trace);
        scheduler.running.thread.start();
        scheduler.running.turn = true;
        LockSupport.unpark(scheduler.running.thread);
        scheduler.awaitEnd();
        return scheduler.failure;
    }

    private void awaitEnd() {
        try {
            if (!ended.await(REAL_LIMIT_SECONDS, TimeUnit.SECONDS)) {
                fail("the run hangs where nothing is controlled: " + whereAllAre());
            }
            for (Task task : List.copyOf(tasks)) {
                task.thread.join(TimeUnit.SECONDS.toMillis(REAL_LIMIT_SECONDS));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }

    private static void runRoot(InterleavingScenario scenario) {
        try {
            scenario.run();
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    /** The scheduler of the calling thread; null when nothing controls it. */
    static @Nullable Scheduler current() {
        return ofThread.get();
    }

    /** To be given to a thread that {@link #start} starts. */
    Runnable asTask(Runnable code) {
        return () -> {
            ofThread.set(this);
            try {
                awaitTurn(me());
                code.run();
            } catch (Abort over) {
                // The run has ended already.
            } catch (RuntimeException | Error e) {
                fail("%s failed: %s at %s".formatted(me(), e, InterleavingTrace.where(e)));
            } finally {
                end(me());
            }
        };
    }

    private synchronized Task add(Thread thread) {
        Task task = new Task(tasks.size(), thread);
        thread.setDaemon(true);
        tasks.add(task);
        byThread.put(thread, task);
        schedule.added();
        return task;
    }

    void start(Thread thread) {
        point();
        add(thread);
        thread.start();
    }

    /** The task of the calling thread. */
    Task me() {
        Task task = byThread.get(Thread.currentThread());
        if (task == null) {
            throw new IllegalStateException("not a thread of this run");
        }
        return task;
    }

    @Nullable
    Task taskOf(Thread thread) {
        return byThread.get(thread);
    }

    Monitor monitor(Object object) {
        return monitors.computeIfAbsent(object, o -> new Monitor(this));
    }

    Schedule schedule() {
        return schedule;
    }

    long now() {
        return now;
    }

    /** Whether nothing matters any more. */
    boolean isOver() {
        return aborted;
    }

    /** Another thread may go on here. */
    void point() {
        Task me = running;
        if (aborted) {
            throw new Abort();
        }
        if (me.atomic > 0) {
            return;
        }
        if (++points > MOST_POINTS) {
            fail("no end after %d points: %s".formatted(MOST_POINTS, whereAllAre()));
            throw new Abort();
        }
        Task next = schedule.next(able(), me);
        if (next != me) {
            switchTo(next, me);
            awaitTurn(me);
        }
    }

    /** Waits until the condition is met, which must be cheap and change nothing. */
    End await(BooleanSupplier condition, long deadline, boolean interruptible) {
        Task me = running;
        point();
        if (me.atomic > 0 && !condition.getAsBoolean()) {
            fail(me + " waits where the JDK holds a lock: " + me.where());
            throw new Abort();
        }
        while (true) {
            if (interruptible && me.interrupted) {
                me.interrupted = false;
                return End.INTERRUPTED;
            } else if (condition.getAsBoolean()) {
                return End.MET;
            } else if (now >= deadline) {
                return End.TIME_OVER;
            }
            me.condition = condition;
            me.deadline = deadline;
            me.interruptible = interruptible;
            Task next = nextOf(me);
            if (next != null && next != me) {
                switchTo(next, me);
                awaitTurn(me);
            }
            if (aborted) {
                throw new Abort();
            }
            me.condition = null;
            me.deadline = Task.NEVER;
        }
    }

    void settle() {
        Task me = running;
        await(() -> tasks.stream().noneMatch(task -> task != me && task.canRun(now)), Task.NEVER, false);
    }

    private List<Task> able() {
        List<Task> able = new ArrayList<>(tasks.size());
        for (Task task : tasks) {
            if (task.canRun(now)) {
                able.add(task);
            }
        }
        return able;
    }

    /** Where the present thread cannot go on: who does. Null when the run is over. */
    private @Nullable Task nextOf(Task present) {
        List<Task> able = able();
        if (able.isEmpty()) {
            leap();
            able = able();
        }
        return able.isEmpty() || aborted ? null : schedule.next(able, present);
    }

    /** Time passes until a thread can go on. */
    private void leap() {
        long earliest = Task.NEVER;
        boolean all = true;
        for (Task task : tasks) {
            all &= task.done;
            earliest = task.done ? earliest : Math.min(earliest, task.deadline);
        }
        if (all) {
            ended.countDown();
        } else if (earliest == Task.NEVER) {
            fail("deadlock: " + whereAllAre());
        } else if (earliest - now > LONGEST_LEAP_NANOS && !tasks.get(0).done) {
            fail("only a timer of %,d ms gets it going again: %s"
                    .formatted((earliest - now) / 1_000_000, whereAllAre()));
        } else {
            now = Math.max(now, earliest);
        }
    }

    private void end(Task me) {
        me.done = true;
        if (!aborted) {
            Task next = nextOf(me);
            if (next != null) {
                switchTo(next, me);
            }
        }
    }

    private void switchTo(Task next, Task me) {
        switches++;
        if (trace != null) {
            trace.add("%s at %s -> %s".formatted(me, me.done ? "its end" : me.where(), next));
        }
        running = next;
        next.turn = true;
        LockSupport.unpark(next.thread);
    }

    private void awaitTurn(Task me) {
        while (!me.turn) {
            if (aborted) {
                throw new Abort();
            }
            LockSupport.park(this);
        }
        me.turn = false;
    }

    private void fail(String what) {
        if (failure == null && !aborted) {
            failure = "%s [%d points, %d switches]".formatted(what, points, switches);
        }
        aborted = true;
        ended.countDown();
        List<Task> all;
        synchronized (this) {
            all = List.copyOf(tasks);
        }
        all.forEach(task -> LockSupport.unpark(task.thread));
    }

    private String whereAllAre() {
        return tasks.stream()
                .filter(task -> !task.done)
                .map(task -> task + " at " + task.where())
                .collect(Collectors.joining("; "));
    }
}
