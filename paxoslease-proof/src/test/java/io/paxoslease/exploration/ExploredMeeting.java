package io.paxoslease.exploration;

/**
 * What all nodes of a world are when they meet, as bits, because it decides together with a node's own state what the node does. Of one node
 * it is a <em>look</em>: its life, whether its acceptor serves, and whether it knows of the seal. Where all run the same contents, the life
 * alone is of interest: 0 before a change and 1 after it.
 */
final class ExploredMeeting {

    /** How many lives of a node can be told apart. */
    static final int LIVES = 4;

    private static final int LIFE_BITS = 2;
    private static final int SERVES = 1 << LIFE_BITS;
    private static final int KNOWS_SEAL = SERVES << 1;
    private static final int BITS = LIFE_BITS + 2;

    private ExploredMeeting() {}

    static int look(int life, boolean serves, boolean knowsSeal) {
        return (life & (LIVES - 1)) | (serves ? SERVES : 0) | (knowsSeal ? KNOWS_SEAL : 0);
    }

    static int life(int look) {
        return look & (LIVES - 1);
    }

    static boolean serves(int look) {
        return (look & SERVES) != 0;
    }

    static boolean knowsSeal(int look) {
        return (look & KNOWS_SEAL) != 0;
    }

    static long with(long meeting, int node, int look) {
        return meeting | ((long) look << (node * BITS));
    }

    static int of(long meeting, int node) {
        return (int) (meeting >> (node * BITS)) & ((1 << BITS) - 1);
    }
}
