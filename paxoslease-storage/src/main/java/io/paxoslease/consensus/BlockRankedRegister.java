package io.paxoslease.consensus;

import io.paxoslease.store.Register;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.random.RandomGenerator;

/**
 * A ranked register in a store that only reads, writes and lists its names, as in Disk Paxos: each client has a block, a base register
 * that no other client writes. An operation writes the own block, then reads those of all others. Of two operations, at least
 * one reads what the other has written. Operations of one object run one after the other.
 *
 * <p>A block is never deleted: a store keeps one for each object that wrote, and one more for each write that failed.
 */
public final class BlockRankedRegister implements RankedRegister {

    private final Register store;
    private final String prefix;
    private final RandomGenerator random;
    private String own;
    private Block block = Block.EMPTY;
    /** Whether the others can see the block; not after a write that failed. */
    private boolean stored = true;

    /**
     * @param store lists its names
     * @param name what the names of the blocks begin with, for this alone; at most 238 bytes of UTF-8
     * @param random tells this object's blocks from all others: seeded by nothing that two of them share
     */
    public BlockRankedRegister(Register store, String name, RandomGenerator random) {
        if (!store.listsNames()) {
            throw new IllegalArgumentException(
                    "%s does not list its names, so the clients of a ranked register cannot find each other's blocks"
                            .formatted(store.describe()));
        }
        this.store = store;
        this.prefix = Objects.requireNonNull(name, "name") + "/";
        this.random = random;
        own = fresh();
    }

    private String fresh() {
        return prefix + HexFormat.of().toHexDigits(random.nextLong());
    }

    @Override
    public synchronized Written read(Rank rank) throws IOException {
        Block.check(rank);
        if (rank.isAbove(block.highest())) {
            put(block.reading(rank));
        } else if (!stored) {
            put(block);
        }
        Written last = block.written();
        for (Block other : others()) {
            if (other.written().rank().isAbove(last.rank())) {
                last = other.written();
            }
        }
        return last;
    }

    @Override
    public synchronized boolean write(Rank rank, byte[] value) throws IOException {
        Block.check(rank, value);
        if (block.highest().isAbove(rank)) {
            return false;
        }
        put(Block.writing(rank, value.clone()));
        for (Block other : others()) {
            if (other.highest().isAbove(rank)) {
                return false;
            }
        }
        return true;
    }

    /** A write that failed may land later, over newer ones: what follows goes to another block. */
    private void put(Block next) throws IOException {
        block = next;
        stored = false;
        String name = own;
        own = fresh();
        store.write(name, next.encode());
        own = name;
        stored = true;
    }

    private List<Block> others() throws IOException {
        List<Block> others = new ArrayList<>();
        for (String name : store.names(prefix)) {
            if (!name.equals(own)) {
                others.add(Block.decode(store.read(name), name));
            }
        }
        return others;
    }
}
