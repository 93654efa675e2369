package io.paxoslease.rivals;

/** One key's lock, the way a user of the product has it. */
public interface Mutex {

    /** Waits until the calling thread holds it. */
    void lock() throws Exception;

    /** By the thread that locked. */
    void unlock() throws Exception;
}
