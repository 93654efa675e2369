package io.paxoslease.node;

import io.paxoslease.protocol.Reading;

/** Where a node's readings come from. Thread-safe. */
@FunctionalInterface
public interface NodeClock {

    Reading read();

    /** What is made of one reading of both clocks, in numbers. */
    @FunctionalInterface
    interface Use {

        long apply(long nanos, long wallMicros);
    }

    /**
     * Reads the clocks once and answers what is made of them: the same as with {@link #read}, for those who ask so often that
     * an object for each reading is too much.
     */
    default long use(Use use) {
        Reading now = read();
        return use.apply(now.moment().nanos(), now.wallMicros());
    }

    /**
     * Waits at most that long by this clock. Whatever waits for another thread's code waits by this, so that a test that turns the clock by
     * hand ends the wait.
     *
     * @param nanos zero or less only looks
     * @return what the wait answered last
     */
    default boolean await(long nanos, Threads.Wait wait) throws InterruptedException {
        return wait.await(Math.max(0, nanos));
    }

    /** Both clocks read as close to each other as can be, to be compared with each other. */
    default Reading readPair() {
        return read();
    }
}
