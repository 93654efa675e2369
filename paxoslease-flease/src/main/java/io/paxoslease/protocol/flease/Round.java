package io.paxoslease.protocol.flease;

import io.paxoslease.protocol.NodeId;
import java.util.random.RandomGenerator;

/**
 * Names one operation on a register, and orders all of them: by the slot, then by the draw, then by the node. The slot is the
 * wall clock in whole clock bounds, so that a later operation comes later however the draws fall; within a slot chance
 * decides, so that the node with the fastest clock does not always win. Nothing else is compared, hence the order is total.
 *
 * @param slot the proposer's wall clock divided by the clock bound, above zero; zero for {@link #NONE}
 * @param draw random, not negative
 * @param node the proposer
 */
public record Round(long slot, long draw, NodeId node) implements Comparable<Round> {

    /** Before every other. */
    public static final Round NONE = new Round(0, 0, new NodeId("-"));

    /** How far above the round that it must exceed the next one is at most: low enough for a million of them in one slot. */
    private static final long STEP = 1L << 32;

    private static final long HIGHEST_FIRST_DRAW = 1L << 62;

    /** A round in that slot that is above the other, or the next one above it. */
    static Round above(Round other, long slot, NodeId node, RandomGenerator random) {
        Round drawn = new Round(slot, random.nextLong(HIGHEST_FIRST_DRAW), node);
        if (drawn.isAbove(other)) {
            return drawn;
        }
        boolean room = other.draw < Long.MAX_VALUE - STEP;
        long step = 1 + random.nextLong(STEP - 1);
        return room ? new Round(other.slot, other.draw + step, node) : new Round(other.slot + 1, step, node);
    }

    boolean isAbove(Round other) {
        return compareTo(other) > 0;
    }

    static Round later(Round a, Round b) {
        return a.isAbove(b) ? a : b;
    }

    @Override
    public int compareTo(Round other) {
        int bySlot = Long.compare(slot, other.slot);
        int byDraw = bySlot == 0 ? Long.compare(draw, other.draw) : bySlot;
        return byDraw == 0 ? node.compareTo(other.node) : byDraw;
    }
}
