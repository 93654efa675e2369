package io.paxoslease.testing;

import java.util.concurrent.atomic.AtomicInteger;

/** Runs code whose thread cannot make another one, as in a process at its limit. Threads that there are go on. */
public final class NoThreads {

    /** How many more are refused. */
    private static final InheritableThreadLocal<AtomicInteger> REFUSALS = new InheritableThreadLocal<>() {
        @Override
        protected AtomicInteger childValue(AtomicInteger refusals) {
            if (refusals.getAndDecrement() > 0) {
                throw new OutOfMemoryError("unable to create native thread");
            }
            return refusals;
        }
    };

    private NoThreads() {}

    public static void during(Runnable code) {
        atFirst(Integer.MAX_VALUE, code);
    }

    /** So many threads are refused, and later ones are made. */
    public static void atFirst(int refusals, Runnable code) {
        REFUSALS.set(new AtomicInteger(refusals));
        try {
            code.run();
        } finally {
            REFUSALS.remove();
        }
    }
}
