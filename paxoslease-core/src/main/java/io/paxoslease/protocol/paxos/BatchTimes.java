package io.paxoslease.protocol.paxos;

import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.Reading;
import io.paxoslease.protocol.Timed;
import org.jspecify.annotations.Nullable;

/** When a batch is renewed, and when it is looked at. Advice. */
abstract class BatchTimes extends Timed {

    /** When the round is over; null when a majority has answered. */
    @Nullable
    Moment timeout;

    Moment renewAt;
    /**
     * No member ends before that, on either clock; null: it is not known. If it were too late, an end would be noticed late: the holder
     * checks both clocks itself (H1), and {@link RenewalBatch#extend} refuses a tenure that is over.
     */
    @Nullable
    Reading noneEndsBefore;

    int failures;
    /** At most so many bytes in a message. */
    private int bytes;

    BatchTimes(Moment renewAt) {
        this.renewAt = renewAt;
    }

    /** A member has joined. */
    void added(Claim claim, boolean isFirst) {
        bytes += sizeOf(claim);
        Reading known = noneEndsBefore;
        Reading until = claim.held().until();
        if (isFirst) {
            noneEndsBefore = until;
        } else if (known != null) {
            noneEndsBefore = known.earlierOfBoth(until);
        }
    }

    void removed(Claim claim) {
        bytes -= sizeOf(claim);
    }

    int bytes() {
        return bytes;
    }

    /** A character is three bytes at most. */
    private static int sizeOf(Claim claim) {
        return 9 + 3 * claim.resource.length();
    }
}
