package io.paxoslease.protocol;

import java.util.HexFormat;

/**
 * The identity of one proposer instance (section 2): who owns a lease is decided by equality of incarnations, never of
 * node ids. Drawn at every start, and during a run by H4 and P0a; at least 64 of the 128 bits from a secure random source.
 *
 * @param high the upper 64 bits
 * @param low the lower 64 bits
 */
public record Incarnation(long high, long low) {

    @Override
    public String toString() {
        return HexFormat.of().toHexDigits(high) + HexFormat.of().toHexDigits(low);
    }
}
