package io.paxoslease.testing;

import java.util.Arrays;
import java.util.SplittableRandom;

/** Bytes that are nearly right. */
public final class Mutations {

    private static final int LONGEST = 70_000;
    private static final int[] WIDTHS = {1, 2, 4, 8};

    /** What a length, a count or an amount may look like; the lowest bytes of each are used. */
    private static final long[] EXTREMES = {
        0,
        1,
        -1,
        63,
        64,
        65,
        0x7F,
        0x80,
        0xFF,
        0x100,
        0x7FFF,
        0x8000,
        0xFFFF,
        0x1_0000,
        0x1_0001,
        Integer.MAX_VALUE,
        Integer.MIN_VALUE,
        Long.MAX_VALUE,
        Long.MIN_VALUE
    };

    private Mutations() {}

    /**
     * Changes a copy of the bytes in one to four ways.
     *
     * @param other what parts are taken from
     */
    public static byte[] of(byte[] bytes, byte[] other, SplittableRandom random) {
        byte[] result = bytes.clone();
        for (int n = random.nextInt(1, 5); n > 0; n--) {
            result = once(result, other, random);
        }
        return result.length <= LONGEST ? result : Arrays.copyOf(result, LONGEST);
    }

    private static byte[] once(byte[] bytes, byte[] other, SplittableRandom random) {
        if (bytes.length == 0) {
            return other.clone();
        }
        int at = random.nextInt(bytes.length);
        int end = random.nextInt(at, bytes.length) + 1;
        int from = random.nextInt(other.length + 1);
        switch (random.nextInt(8)) {
            case 0 -> bytes[at] ^= (byte) (1 << random.nextInt(8));
            case 1 -> bytes[at] = (byte) random.nextInt();
            case 2 -> write(bytes, at, WIDTHS[random.nextInt(WIDTHS.length)], extreme(random));
            case 3 -> bytes[at] += (byte) (random.nextBoolean() ? 1 : -1);
            case 4 -> {
                return Arrays.copyOf(bytes, at);
            }
            case 5 -> {
                byte[] more = new byte[random.nextInt(1, 64)];
                random.nextBytes(more);
                return join(bytes, bytes.length, more, 0);
            }
            case 6 -> {
                return join(bytes, at, other, from);
            }
            default -> { // a part is repeated
                return join(bytes, end, bytes, at);
            }
        }
        return bytes;
    }

    private static long extreme(SplittableRandom random) {
        return EXTREMES[random.nextInt(EXTREMES.length)];
    }

    private static void write(byte[] bytes, int at, int width, long value) {
        for (int i = 0; i < width && at + i < bytes.length; i++) {
            bytes[at + i] = (byte) (value >> (8 * (width - 1 - i)));
        }
    }

    /** The first bytes of one, then the last bytes of the other. */
    private static byte[] join(byte[] head, int end, byte[] tail, int from) {
        byte[] result = Arrays.copyOf(head, end + tail.length - from);
        System.arraycopy(tail, from, result, end, tail.length - from);
        return result;
    }
}
