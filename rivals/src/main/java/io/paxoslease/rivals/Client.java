package io.paxoslease.rivals;

import java.time.Duration;

/** One instance of an application with the product's client in it. Thread-safe. */
public interface Client extends AutoCloseable {

    /** The lock of that key. Keeps what a user of the product would have to keep to unlock it later, and no more. */
    Mutex mutex(String key);

    /** Returns when locks can be taken; every other client and server has been started before. */
    default void awaitReady() throws Exception {}

    /** A key like the given one that this process does not serve itself, where keys are spread over members. */
    default String remoteKey(String key) {
        return key;
    }

    /**
     * Asks to lead. May return before it leads.
     *
     * @param granted run once when this client leads
     */
    default void stand(String role, Runnable granted) throws Exception {
        mutex(role).lock();
        granted.run();
    }

    /** Gives the leadership up and does not stand again; by the thread that called {@link #stand}. */
    default void resign(String role) throws Exception {
        mutex(role).unlock();
    }

    /** How many threads may hold many locks; more than one where that does not hang. */
    default int holders() {
        return 16;
    }

    /** How often the user has to renew a held lock himself, in the thread that holds it; zero: the product does it. */
    default Duration renewByHand() {
        return Duration.ZERO;
    }

    /** Renews by hand. */
    default void renew(String key) throws Exception {}

    @Override
    void close();
}
