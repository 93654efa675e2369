package io.paxoslease.consensus;

import io.paxoslease.consensus.RankedRegister.Written;
import io.paxoslease.protocol.Printable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * What a base register of a ranked register holds.
 *
 * @param highest the highest rank of an operation, reads and writes
 * @param written what was written at the highest rank
 */
record Block(Rank highest, Written written) {

    static final Block EMPTY = new Block(Rank.NONE, Written.NOTHING);

    private static final int MAGIC = 0x504c4b31; // PLK1
    private static final int FRAME = Integer.BYTES + 4 * Long.BYTES;

    Block reading(Rank rank) {
        return new Block(rank, written);
    }

    static Block writing(Rank rank, byte[] value) {
        return new Block(rank, new Written(rank, value));
    }

    byte[] encode() {
        byte[] value = written.value() == null ? new byte[0] : written.value();
        ByteBuffer buffer = ByteBuffer.allocate(FRAME + value.length).putInt(MAGIC);
        buffer.putLong(highest.number()).putLong(highest.client());
        buffer.putLong(written.rank().number()).putLong(written.rank().client());
        return buffer.put(value).array();
    }

    /** @param bytes null: an empty one */
    static Block decode(byte @Nullable [] bytes, String name) throws IOException {
        if (bytes == null) {
            return EMPTY;
        }
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        if (bytes.length < FRAME || buffer.getInt() != MAGIC) {
            throw new IOException(
                    "The register '%s' holds %d bytes that are no part of a ranked register: use a name that nothing else uses"
                            .formatted(Printable.name(name), bytes.length));
        }
        Rank highest = new Rank(buffer.getLong(), buffer.getLong());
        Rank rank = new Rank(buffer.getLong(), buffer.getLong());
        return rank.equals(Rank.NONE)
                ? new Block(highest, Written.NOTHING)
                : new Block(highest, new Written(rank, Arrays.copyOfRange(bytes, buffer.position(), bytes.length)));
    }

    static void check(Rank rank, byte[] value) {
        check(rank);
        if (value.length > RankedRegister.MAX_BYTES) {
            throw new IllegalArgumentException(
                    "A ranked register takes %d bytes, not %d: store less, or the place where it is kept"
                            .formatted(RankedRegister.MAX_BYTES, value.length));
        }
    }

    static void check(Rank rank) {
        if (!rank.isAbove(Rank.NONE)) {
            throw new IllegalArgumentException("Ranks of operations are above " + Rank.NONE + ", not " + rank);
        }
    }
}
