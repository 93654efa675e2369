package io.paxoslease.protocol;

import org.jspecify.annotations.Nullable;

/** What nodes say to each other, in the terms of one algorithm; other algorithms ignore it. Immutable. */
public interface Message {

    /** The one resource that it requests something of; null of answers, and of requests about none or several. */
    default @Nullable String requested() {
        return null;
    }

    /** Whether it could make its sender the holder of a lease that it does not hold: it is no renewal. */
    default boolean acquires() {
        return false;
    }
}
