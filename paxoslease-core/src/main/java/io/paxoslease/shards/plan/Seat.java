package io.paxoslease.shards.plan;

/**
 * A participant as a {@link Plan} sees it.
 *
 * @param node its id
 * @param place which shards it may get
 * @param maxOwned the most shards that it accepts
 * @param balances whether it gives and receives shards for the sake of balance (S6)
 */
record Seat(String node, Place place, int maxOwned, boolean balances) {

    /** Which shards a participant may get. */
    enum Place {
        /** Free shards, and shards of those that leave. */
        PREFERRED,
        /** The same, as far as those preferred have no room. */
        RESERVE,
        /** None; it keeps what it has. */
        KEEPS,
        /** None; its shards are for others. */
        LEAVES
    }
}
