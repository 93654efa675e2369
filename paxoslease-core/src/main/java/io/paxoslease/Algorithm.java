package io.paxoslease;

/** How it is agreed who holds which lease. The same on every node of a cell, or every client of a store. */
public enum Algorithm {
    /** The members of a cell agree; nothing but the rate of clocks is relied on. */
    PAXOSLEASE,
    /** The members of a cell agree; wall clocks are relied on to differ by no more than a bound, see {@link FleaseOptions}. */
    FLEASE,
    /** Clients agree by way of a store that all of them can reach, see {@link StorageOptions}. */
    STORAGE
}
