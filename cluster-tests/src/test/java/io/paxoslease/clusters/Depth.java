package io.paxoslease.clusters;

/** How many faults there are: in every build, or in the deep one, for which {@code -Pdeep} sets {@code proof.deep}. */
final class Depth {

    private static final boolean DEEP = Boolean.getBoolean("proof.deep");

    private Depth() {}

    static int of(int everyBuild, int deep) {
        return DEEP ? deep : everyBuild;
    }
}
