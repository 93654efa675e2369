package io.paxoslease.node;

import io.paxoslease.protocol.Effect;

/** Receives every effect that is not a message, on the node's thread. Must not block. */
public interface EffectSink {

    void apply(Effect effect);

    /** Everything that came in together has been applied, and what it made the node send has been handed to the network. */
    default void finish() {}

    /**
     * The node found a fault in itself: nothing it granted may be relied on from now on. Sets flags, and needs no memory. By any
     * thread.
     */
    void failed(Throwable fault);

    /**
     * After {@link #failed}: ends what rests on the node, each part by itself, whatever the others throw. Called again while it
     * answers false. By any thread, one at a time. Never throws.
     *
     * @return whether nothing is left to be done
     */
    default boolean endAfterFault() {
        return true;
    }
}
