package io.paxoslease.node;

import io.paxoslease.protocol.Effect;

/** Receives every effect that is not a message, on the node's thread. Must not block. */
public interface EffectSink {

    void apply(Effect effect);

    /** Everything that came in together has been applied, and what it made the node send has been handed to the network. */
    default void finish() {}

    /** The node found a fault in itself: nothing it granted may be relied on. */
    void failed(Throwable fault);
}
