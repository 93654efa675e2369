package io.paxoslease.testing;

import io.paxoslease.store.Register;

/** Stores for tests. */
public final class Stores {

    private Stores() {}

    /** One that compares and sets, in memory. */
    public static Register inMemory() {
        return new InMemoryRegister();
    }
}
