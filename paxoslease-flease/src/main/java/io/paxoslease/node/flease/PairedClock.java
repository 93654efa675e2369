package io.paxoslease.node.flease;

import io.paxoslease.node.NodeClock;
import io.paxoslease.node.Threads;
import io.paxoslease.protocol.Reading;

/** Reads both clocks as close to each other as can be, each time: for a node that relies on its wall clock. */
public record PairedClock(NodeClock clock) implements NodeClock {

    @Override
    public Reading read() {
        return clock.readPair();
    }

    /** Not paired: a thread that is held up in between comes to a later moment, which only shortens what it may do. */
    @Override
    public long use(Use use) {
        return clock.use(use);
    }

    @Override
    public boolean await(long nanos, Threads.Wait wait) throws InterruptedException {
        return clock.await(nanos, wait);
    }

    @Override
    public Reading readPair() {
        return clock.readPair();
    }
}
