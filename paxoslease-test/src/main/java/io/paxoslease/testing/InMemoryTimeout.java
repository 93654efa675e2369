package io.paxoslease.testing;

/** Interrupts the wait of one thread when the clock of an in-memory cell has reached its limit. */
final class InMemoryTimeout implements Runnable {

    private final Thread waiting = Thread.currentThread();
    private boolean over;
    private boolean interrupted;

    /** On the cell's thread. A thread that is interrupted already stops waiting for that reason. */
    @Override
    public synchronized void run() {
        if (!over && !waiting.isInterrupted()) {
            interrupted = true;
            waiting.interrupt();
        }
    }

    /** Called when the wait was interrupted: whether this did it. A flag that is set is of this timeout, which came after another interrupt. */
    synchronized boolean hasCausedIt() {
        boolean caused = interrupted && !waiting.isInterrupted();
        interrupted = interrupted && !caused;
        over = true;
        return caused;
    }

    /** From here on the thread is not interrupted any more; an interrupt that has not been noticed is cleared. */
    synchronized void end() {
        over = true;
        if (interrupted) {
            Thread.interrupted();
        }
    }
}
