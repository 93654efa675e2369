package io.paxoslease.protocol.registers;

import io.paxoslease.protocol.Generation;
import io.paxoslease.protocol.Quorum;

/**
 * Which modes a member of one generation takes: its own list alone, its own list with the one before, and with the one that follows. Not those of
 * the list before alone, as leases (R1). Otherwise than for leases it need not know of a seal: no time is counted here. Immutable.
 */
public final class TakenModes {

    private final int number;
    private final long content;
    private final int listHash;

    public TakenModes(Generation generation) {
        this.number = generation.number();
        this.content = generation.content();
        this.listHash = generation.listHash();
    }

    /** Whether a request of that mode is done and answered. */
    public boolean contain(RegisterMode mode) {
        boolean isOwn = mode.number() == Quorum.alone(number) || mode.number() == Quorum.joint(number);
        boolean isNext = mode.number() == Quorum.joint(number + 1);
        boolean follows = (int) (mode.content() >>> Integer.SIZE) == listHash;
        return isOwn ? mode.content() == content : isNext && follows;
    }
}
