package io.paxoslease.node;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What runs under one tenure, and has to end before its lease is released: calls of threads, and work that continues after the call that
 * began it. Thread-safe.
 */
public final class TenureGuard {

    /** A piece of what runs. */
    public interface Part {

        /** The tenure has ended: asks this to end, and does not wait. Called once or more. Never throws. */
        void end();

        /** The thread that makes the call; null when it is not bound to one. */
        @Nullable
        Thread thread();
    }

    private final BooleanSupplier isOpen;
    private final BooleanSupplier isLeaseHeld;
    private final Runnable onLeft;
    private final List<Part> parts = new ArrayList<>(1);
    /** The lease is lost or released: nothing waits for it any more. */
    private boolean over;

    /**
     * @param isOpen whether parts may begin: false as soon as the end of the tenure is marked
     * @param isLeaseHeld longer than that, when the tenure is given up
     * @param onLeft called after a part has ended; must not block
     */
    public TenureGuard(BooleanSupplier isOpen, BooleanSupplier isLeaseHeld, Runnable onLeft) {
        this.isOpen = isOpen;
        this.isLeaseHeld = isLeaseHeld;
        this.onLeft = onLeft;
    }

    /** Whether the part may go ahead: not when the tenure has ended. */
    public synchronized boolean add(Part part) {
        return isOpen.getAsBoolean() && parts.add(part);
    }

    /** The part has ended. */
    public void remove(Part part) {
        synchronized (this) {
            parts.remove(part);
            notifyAll();
        }
        onLeft.run();
    }

    /** The calls of this thread are neither ended nor waited for: it ends the tenure itself. */
    public void removeCallsOf(Thread thread) {
        synchronized (this) {
            parts.removeIf(part -> part.thread() == thread);
            notifyAll();
        }
        onLeft.run();
    }

    /** Whether nothing runs. */
    public synchronized boolean isEmpty() {
        return parts.isEmpty();
    }

    /** Whether the lease is held, at this instant. */
    public boolean isLeaseHeld() {
        return isLeaseHeld.getAsBoolean();
    }

    /**
     * Ends what runs; called when the end is marked. Needs no memory, because work that is not told may run for ever. No part is added any
     * more. Goes from the last part to the first: a part that leaves only shifts later ones, none is skipped.
     */
    public void endParts() {
        for (int i = size() - 1; i >= 0; i--) {
            Part part = at(i);
            if (part != null) {
                part.end();
            }
        }
    }

    private synchronized int size() {
        return parts.size();
    }

    private synchronized @Nullable Part at(int index) {
        return index < parts.size() ? parts.get(index) : null;
    }

    /** Nothing waits for the lease any more. */
    public synchronized void setOver() {
        over = true;
        notifyAll();
    }

    /** Waits until nothing runs, or the lease is over; keeps the interrupt flag. */
    public synchronized void awaitParts() {
        boolean interrupted = false;
        while (!parts.isEmpty() && !over) {
            try {
                wait();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
