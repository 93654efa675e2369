package io.paxoslease.runtime;

import io.paxoslease.protocol.Effect;

/** Receives every effect that is not a message, on the node's thread. Must not block. */
public interface EffectSink {

    void apply(Effect effect);

    /** The node found a fault in itself: nothing it granted may be relied on. */
    void failed(Throwable fault);
}
