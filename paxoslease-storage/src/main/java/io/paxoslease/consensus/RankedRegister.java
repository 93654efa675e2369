package io.paxoslease.consensus;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * A register whose operations have ranks, that any number of clients use. A write that commits at one rank is seen by every read
 * of a higher rank. A write aborts only if an operation of a higher rank has been invoked. An operation that fails may
 * have had its effect, or have it later: a read at most makes writes below its rank abort, a write may be seen as if it had
 * committed. Thread-safe.
 */
public interface RankedRegister {

    /**
     * What was written.
     *
     * @param rank the highest of all reads, or the same again; {@link Rank#NONE} is none
     * @param value null when nothing was
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Written(Rank rank, byte @Nullable [] value) {
        static final Written NOTHING = new Written(Rank.NONE, null);
    }

    /** The longest value, in bytes. */
    int MAX_BYTES = 3_000;

    /**
     * What was written at the highest rank, as far as it can be seen; from now on, no write below this rank commits that has
     * not been seen.
     *
     * @param rank above {@link Rank#NONE}, and the caller's own
     * @throws IOException when the store does not answer
     */
    Written read(Rank rank) throws IOException;

    /**
     * Writes, once for each rank.
     *
     * @param value at most {@value #MAX_BYTES} bytes
     * @return whether it committed; false: it aborted, though a later read may see it or not
     * @throws IOException when the store does not answer; it is not known whether it committed
     */
    boolean write(Rank rank, byte[] value) throws IOException;
}
