package io.paxoslease.exploration;

/** How far simulations and explorations go: in every build, or in the deep one, for which {@code -Pdeep} sets {@code proof.deep}. */
public final class Depth {

    private static final boolean LARGE = Boolean.getBoolean("exploration.large");
    private static final boolean DEEP = LARGE || Boolean.getBoolean("proof.deep");

    private Depth() {}

    /** Whether this is the deep build. */
    public static boolean isDeep() {
        return DEEP;
    }

    /** Whether even those worlds are visited that are too large for the deep build. */
    public static boolean isLarge() {
        return LARGE;
    }

    /**
     * A number of seeds, walks or orders.
     *
     * @param property that overrides both
     * @param deep at least as many as in every build
     */
    public static long of(String property, long everyBuild, long deep) {
        return Long.getLong(property, DEEP ? deep : everyBuild);
    }
}
