package io.paxoslease.shards.plan;

import java.nio.charset.StandardCharsets;

/**
 * The hashes of shard groups. They are the same in every version and every language, because instances of two versions share a group.
 *
 * <p>All arithmetic is on 64 bits, modulo 2^64. The steps:
 *
 * <ol>
 *   <li>{@code fnv(bytes)}: FNV-1a. Start with {@code 0xcbf29ce484222325}; for each byte (0 to 255): exclusive or with the byte, then
 *       multiply by {@code 0x100000001b3}.
 *   <li>{@code mix(h)}: the finalizer of MurmurHash3. {@code h ^= h >>> 33; h *= 0xff51afd7ed558ccd; h ^= h >>> 33;
 *       h *= 0xc4ceb9fe1a85ec53; h ^= h >>> 33}, with unsigned shifts.
 *   <li>{@code of(text) = mix(fnv(UTF-8 of the text))}. Half of a surrogate pair, which has no UTF-8, counts as {@code ?}.
 *   <li>The index of a key among N shards is {@code of(key) mod N}, unsigned.
 *   <li>The weight of a node for shard {@code s} of a group is {@code mix(of(node + "\n" + group) + (s + 1) * 0x9e3779b97f4a7c15)}.
 * </ol>
 */
public final class StableHash {

    private static final long FNV_OFFSET = 0xcbf29ce484222325L;
    private static final long FNV_PRIME = 0x100000001b3L;
    private static final long GOLDEN = 0x9e3779b97f4a7c15L;
    private static final int BYTE = 0xff;

    private StableHash() {}

    /**
     * The shard that a key belongs to.
     *
     * @param count how many shards there are, 1 or more
     * @return 0 to count - 1
     * @throws IllegalArgumentException if count is below 1
     */
    public static int indexOf(String key, int count) {
        if (count < 1) {
            throw new IllegalArgumentException("A group has 1 shard or more, not " + count);
        }
        return (int) Long.remainderUnsigned(of(key), count);
    }

    /** The hash of a text. */
    public static long of(String text) {
        long hash = FNV_OFFSET;
        for (byte each : text.getBytes(StandardCharsets.UTF_8)) {
            hash = (hash ^ (each & BYTE)) * FNV_PRIME;
        }
        return mix(hash);
    }

    /** What the weights of a node in a group have in common. */
    static long seed(String group, String node) {
        return of(node + "\n" + group);
    }

    /** The weight of a node for a shard: of several nodes, the one with the highest weight, unsigned, comes first. */
    static long weight(long seed, int shard) {
        return mix(seed + (shard + 1) * GOLDEN);
    }

    private static long mix(long hash) {
        long h = hash;
        h = (h ^ (h >>> 33)) * 0xff51afd7ed558ccdL;
        h = (h ^ (h >>> 33)) * 0xc4ceb9fe1a85ec53L;
        return h ^ (h >>> 33);
    }
}
