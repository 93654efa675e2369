package io.paxoslease.store;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Comparator;

/**
 * A content with the stamp that orders it among all that were ever written to its register: a count, then who wrote it, then
 * which of that writer's it is, as unsigned numbers. No two writes have the same stamp.
 */
@SuppressWarnings("ArrayRecordComponent") // compared by its stamp only
record Stamped(long count, long writer, long number, byte[] content) {

    private static final int MAGIC = 0x504c5331; // PLS1
    /** What the stamp adds to the content, in bytes. */
    static final int FRAME = Integer.BYTES + 3 * Long.BYTES;
    /** Of 64 bits, with five in a digit. */
    static final int DIGITS_OF_NUMBER = 13;
    /** Digits of a stamp. */
    static final int DIGITS = 3 * DIGITS_OF_NUMBER;

    static final Comparator<Stamped> ORDER = Comparator.comparing(Stamped::digits);

    byte[] encode() {
        return ByteBuffer.allocate(FRAME + content.length)
                .putInt(MAGIC)
                .putLong(count)
                .putLong(writer)
                .putLong(number)
                .put(content)
                .array();
    }

    static Stamped decode(byte[] bytes, String place) throws IOException {
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        if (bytes.length < FRAME || buffer.getInt() != MAGIC) {
            throw new IOException(
                    "%s holds %d bytes without a stamp: clients that use this store by itself, and others that use it as one of several, must not share names"
                            .formatted(place, bytes.length));
        }
        return new Stamped(
                buffer.getLong(),
                buffer.getLong(),
                buffer.getLong(),
                Arrays.copyOfRange(bytes, buffer.position(), bytes.length));
    }

    /** The stamp as text, in the same order. */
    String digits() {
        return digits(count) + digits(writer) + digits(number);
    }

    /** An unsigned number as text, of {@code 0-9a-v}, in the same order. */
    static String digits(long number) {
        String digits = Long.toUnsignedString(number, 32);
        return "0".repeat(DIGITS_OF_NUMBER - digits.length()) + digits;
    }

    boolean isBelow(Stamped other) {
        return ORDER.compare(this, other) < 0;
    }
}
