package io.paxoslease.simulation;

import java.util.EnumMap;
import java.util.Map;

/** What happened in a run, in numbers; equal for equal seeds. */
final class Statistics {

    private static final long PRIME = 0x9E3779B97F4A7C15L;

    private final Map<Situation, Long> situations = new EnumMap<>(Situation.class);
    private long digest;
    private long messages;
    private long restarts;
    private long simulatedNanos;
    private int handOvers;
    private double shareOfBound;

    void met(Situation situation) {
        situations.merge(situation, 1L, Long::sum);
    }

    void message() {
        messages++;
    }

    void restart() {
        restarts++;
    }

    void ended(long nanos, int handedOver) {
        simulatedNanos = nanos;
        handOvers = handedOver;
        if (handedOver > 0) {
            situations.put(Situation.HAND_OVER, (long) handedOver);
        }
    }

    /** How much of the time that may pass until everybody is served has passed. */
    void served(double share) {
        shareOfBound = share;
    }

    double shareOfBound() {
        return shareOfBound;
    }

    /** Takes one more number of the history into the digest. */
    void mix(long value) {
        digest = (digest ^ value) * PRIME;
        digest ^= digest >>> 29;
    }

    /** Of the whole history: every task, delivery, belief and record, with its time. */
    long digest() {
        return digest;
    }

    long count(Situation situation) {
        return situations.getOrDefault(situation, 0L);
    }

    long grants() {
        return count(Situation.GRANT);
    }

    int handOvers() {
        return handOvers;
    }

    long messages() {
        return messages;
    }

    long restarts() {
        return restarts;
    }

    long simulatedNanos() {
        return simulatedNanos;
    }
}
