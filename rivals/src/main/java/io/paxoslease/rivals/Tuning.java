package io.paxoslease.rivals;

/** Whether a product runs with its own default times, or with leases and sessions of one or two seconds. */
public enum Tuning {
    /** As it comes. */
    DEFAULT,
    /** Short leases, for a short fail-over. */
    TUNED
}
