package io.paxoslease.simulation;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Callable;
import java.util.concurrent.Delayed;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/**
 * The one thread of a node's life: runs tasks one at a time, in order, timers by the node's monotonic clock. It stands still
 * while its process does; what comes in meanwhile waits. While a task lets time pass, the loop is busy.
 */
final class SimulatedLoop extends AbstractExecutorService implements ScheduledExecutorService {

    private final Agenda agenda;
    private final SimulatedClock clock;
    private final Owner owner;
    private final ArrayDeque<Runnable> queue = new ArrayDeque<>();
    private final List<Timer> sleeping = new ArrayList<>(2);
    private boolean running;
    private boolean atOnce;
    private boolean dead;

    /** The process that the loop is in. */
    interface Owner {

        boolean standsStill();

        /** How long a task handed over by another thread takes to reach the loop. */
        long wakeUpNanos();

        /** A task is in the queue, and the thread that put it there goes on. */
        void handedOver();

        void taskDone();
    }

    SimulatedLoop(Agenda agenda, SimulatedClock clock, Owner owner) {
        this.agenda = agenda;
        this.clock = clock;
        this.owner = owner;
    }

    /** From another thread, or from the loop itself. */
    @Override
    public void execute(Runnable task) {
        if (dead) {
            throw new RejectedExecutionException();
        }
        queue.add(task);
        if (atOnce) {
            run();
        } else if (!running) {
            agenda.after(owner.wakeUpNanos(), this::run);
            owner.handedOver();
        }
    }

    /** From the network, whose events the loop finds by itself. */
    void arrive(Runnable task) {
        if (!dead) {
            queue.add(task);
            run();
        }
    }

    /** Runs what waits, unless the process stands still, or the loop is in the middle of a task. */
    void run() {
        if (running) {
            return;
        }
        running = true;
        while (!queue.isEmpty() && !owner.standsStill() && !dead) {
            queue.remove().run();
            if (!dead) {
                owner.taskDone();
            }
        }
        running = false;
    }

    boolean isRunning() {
        return running;
    }

    /** From now on tasks run inside {@link #execute}: for a caller that waits for them. */
    void runAtOnce() {
        run();
        atOnce = true;
    }

    void kill() {
        dead = true;
        queue.clear();
    }

    /** After a pause: overdue timers, which came into the queue among the messages, go before or after them. */
    void reorder(boolean timersFirst) {
        List<Runnable> timers = new ArrayList<>();
        List<Runnable> others = new ArrayList<>();
        queue.forEach(task -> (task instanceof Timer ? timers : others).add(task));
        queue.clear();
        queue.addAll(timersFirst ? timers : others);
        queue.addAll(timersFirst ? others : timers);
    }

    /** The monotonic clock runs again. */
    void wakeTimers() {
        List<Timer> timers = List.copyOf(sleeping);
        sleeping.clear();
        timers.forEach(Timer::arm);
    }

    @Override
    public ScheduledFuture<?> schedule(Runnable command, long delay, TimeUnit unit) {
        return arm(new Timer(command, clock.local() + unit.toNanos(delay), 0));
    }

    @Override
    public ScheduledFuture<?> scheduleWithFixedDelay(Runnable command, long first, long delay, TimeUnit unit) {
        return arm(new Timer(command, clock.local() + unit.toNanos(first), unit.toNanos(delay)));
    }

    private static Timer arm(Timer timer) {
        timer.arm();
        return timer;
    }

    private final class Timer implements ScheduledFuture<Object>, Runnable {

        private final Runnable command;
        private final long period;
        private long deadline;
        private boolean cancelled;

        Timer(Runnable command, long deadline, long period) {
            this.command = command;
            this.deadline = deadline;
            this.period = period;
        }

        void arm() {
            agenda.at(Math.max(agenda.now(), clock.realOf(deadline)), this::ring);
        }

        private void ring() {
            if (cancelled || dead) {
                return;
            }
            if (clock.isFrozen()) {
                sleeping.add(this);
            } else if (clock.local() - deadline < 0) {
                arm();
            } else {
                arrive(this);
            }
        }

        @Override
        public void run() {
            if (cancelled) {
                return;
            }
            command.run();
            if (period > 0) {
                deadline = clock.local() + period;
                arm();
            }
        }

        @Override
        public boolean cancel(boolean mayInterrupt) {
            cancelled = true;
            return true;
        }

        @Override
        public boolean isCancelled() {
            return cancelled;
        }

        @Override
        public long getDelay(TimeUnit unit) {
            return unit.convert(deadline - clock.local(), TimeUnit.NANOSECONDS);
        }

        @Override
        public int compareTo(Delayed other) {
            return Long.compare(getDelay(TimeUnit.NANOSECONDS), other.getDelay(TimeUnit.NANOSECONDS));
        }

        @Override
        public boolean isDone() {
            throw new UnsupportedOperationException();
        }

        @Override
        public Object get() {
            throw new UnsupportedOperationException();
        }

        @Override
        public Object get(long timeout, TimeUnit unit) {
            throw new UnsupportedOperationException();
        }
    }

    @Override
    public <V> ScheduledFuture<V> schedule(Callable<V> callable, long delay, TimeUnit unit) {
        throw new UnsupportedOperationException();
    }

    @Override
    public ScheduledFuture<?> scheduleAtFixedRate(Runnable command, long first, long period, TimeUnit unit) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void shutdown() {
        kill();
    }

    @Override
    public List<Runnable> shutdownNow() {
        kill();
        return List.of();
    }

    @Override
    public boolean isShutdown() {
        return dead;
    }

    @Override
    public boolean isTerminated() {
        return dead;
    }

    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) {
        return dead;
    }
}
