package io.paxoslease.runtime;

import io.paxoslease.protocol.Reading;

/** Where a node's readings come from. Thread-safe. */
@FunctionalInterface
public interface NodeClock {

    Reading read();

    /** Both clocks read as close to each other as can be, to be compared with each other. */
    default Reading readPair() {
        return read();
    }
}
