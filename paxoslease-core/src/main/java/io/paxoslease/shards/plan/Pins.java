package io.paxoslease.shards.plan;

import io.paxoslease.protocol.Moment;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/** The shards that balance leaves alone for a while, because a move of them did not end in time (S7). */
final class Pins {

    private final @Nullable Moment[] since;
    private boolean isChanged;

    Pins(int count) {
        this.since = new Moment[count];
    }

    void pin(int shard, Moment now) {
        since[shard] = now;
        isChanged = true;
    }

    /** Whether a shard was pinned since the last call: then there is another plan. */
    boolean takeChanged() {
        boolean wasChanged = isChanged;
        isChanged = false;
        return wasChanged;
    }

    /** Those that are left alone now. */
    BitSet pinned(Outlook outlook) {
        BitSet pinned = new BitSet();
        for (int shard = 0; shard < since.length; shard++) {
            Moment pinnedAt = since[shard];
            if (pinnedAt != null) {
                if (outlook.hasPassed(GroupSettings.LEFT_ALONE, pinnedAt)) {
                    since[shard] = null;
                } else {
                    pinned.set(shard);
                }
            }
        }
        return pinned;
    }
}
