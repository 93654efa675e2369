package io.paxoslease.interleaving;

import java.util.Arrays;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** One controlled thread. All of it but {@link #turn} is touched only by the thread whose turn it is. */
final class Task {

    static final long NEVER = Long.MAX_VALUE;

    private static final int SHOWN_FRAMES = 6;

    final int number;
    final Thread thread;
    volatile boolean turn;
    boolean done;
    /** The interrupt flag, since the real one would end the real waits of this thread. */
    boolean interrupted;
    /** {@link java.util.concurrent.locks.LockSupport}'s. */
    boolean permit;
    /** Above zero: in a place where another thread must not be let in, since the JDK holds a lock of its own. */
    int atomic;
    /** What it waits for; null when it can go on. */
    @Nullable
    BooleanSupplier condition;

    boolean interruptible;
    /** In virtual nanoseconds. */
    long deadline = NEVER;

    Task(int number, Thread thread) {
        this.number = number;
        this.thread = thread;
    }

    boolean canRun(long now) {
        BooleanSupplier awaited = condition;
        return !done
                && (awaited == null || (interruptible && interrupted) || now >= deadline || awaited.getAsBoolean());
    }

    /** Where it is: frames of this project, without those of the control. */
    String where() {
        return Arrays.stream(thread.getStackTrace())
                .filter(frame -> frame.getClassName().startsWith("io.paxoslease."))
                .filter(frame -> !frame.getClassName().startsWith("io.paxoslease.interleaving."))
                .filter(frame -> !frame.getClassName().contains("$$Lambda"))
                .limit(SHOWN_FRAMES)
                .map(frame -> frame.getClassName().replace("io.paxoslease.", "") + "." + frame.getMethodName() + ":"
                        + frame.getLineNumber())
                .collect(Collectors.joining(" < "));
    }

    @Override
    public String toString() {
        return thread.getName() + "#" + number;
    }
}
