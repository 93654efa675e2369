package io.paxoslease.runtime;

import io.paxoslease.protocol.Reading;

/** Where a node's readings come from. Thread-safe. */
@FunctionalInterface
public interface NodeClock {

    Reading read();
}
