package io.paxoslease.interleaving;

/**
 * A few threads that meet. It runs many times, each time on a new instance and in another order; every thread that it starts is
 * controlled, and must end. It fails by throwing; so does a thread of its own.
 */
@FunctionalInterface
public interface InterleavingScenario {

    void run() throws Exception;
}
