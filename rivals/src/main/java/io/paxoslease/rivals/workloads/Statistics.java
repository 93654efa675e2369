package io.paxoslease.rivals.workloads;

import java.util.Arrays;

/** Figures of figures. */
public final class Statistics {

    private Statistics() {}

    /**
     * Jain's index of fairness: the square of the sum over the count times the sum of squares. One when all shares are
     * equal, one over the count when one has everything.
     */
    public static double jain(long... shares) {
        double sum = Arrays.stream(shares).mapToDouble(share -> share).sum();
        double squares = Arrays.stream(shares)
                .mapToDouble(share -> (double) share * share)
                .sum();
        return squares == 0 ? Double.NaN : sum * sum / (shares.length * squares);
    }
}
