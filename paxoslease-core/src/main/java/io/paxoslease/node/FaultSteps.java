package io.paxoslease.node;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What a node does after a fault in itself, in parts that are made at its start: each is tried whatever the others throw, and tried again
 * until it has succeeded once. Needs no memory by itself. Thread-safe.
 */
final class FaultSteps {

    private final BooleanSupplier[] steps;
    private final boolean[] done;
    /** Not a lock: what a user's code holds up must not hold up another thread. */
    private final AtomicBoolean running = new AtomicBoolean();

    /** @param steps each answers whether it is done; what it throws means that it is not */
    FaultSteps(BooleanSupplier... steps) {
        this.steps = steps.clone();
        this.done = new boolean[steps.length];
    }

    /** Whether all have succeeded by now; false while another thread is at them. */
    boolean run() {
        if (!running.compareAndSet(false, true)) {
            return false;
        }
        boolean all = true;
        try {
            for (int i = 0; i < steps.length; i++) {
                if (!done[i]) {
                    done[i] = succeeds(steps[i]);
                }
                all &= done[i];
            }
        } finally {
            running.set(false);
        }
        return all;
    }

    private static boolean succeeds(BooleanSupplier step) {
        try {
            return step.getAsBoolean();
        } catch (RuntimeException | Error failure) { // nothing can be relied on to tell it with: it is tried again
            return false;
        }
    }

    /** Throws it, if there is something. */
    static void raise(@Nullable Throwable failure) {
        if (failure instanceof Error error) {
            throw error;
        }
        if (failure instanceof RuntimeException exception) {
            throw exception;
        }
    }
}
