package io.paxoslease.consensus;

import io.paxoslease.protocol.Printable;
import io.paxoslease.store.Register;
import java.io.IOException;
import java.util.Objects;

/**
 * A ranked register in one base register of a store that compares and sets. Clients and threads share nothing but its name.
 * An operation tries again when another client's came in between.
 */
public final class ComparingRankedRegister implements RankedRegister {

    private static final int TRIES = 1_000;

    private final Register store;
    private final String name;

    /**
     * @param store compares and sets
     * @param name of the base register, for this alone
     */
    public ComparingRankedRegister(Register store, String name) {
        if (!store.comparesAndSets()) {
            throw new IllegalArgumentException("%s only reads and writes: use blocks".formatted(store.describe()));
        }
        this.store = store;
        this.name = Objects.requireNonNull(name, "name");
    }

    @Override
    public Written read(Rank rank) throws IOException {
        Block.check(rank);
        for (int i = 0; i < TRIES; i++) {
            byte[] found = store.read(name);
            Block block = Block.decode(found, name);
            if (!rank.isAbove(block.highest())
                    || store.compareAndSet(name, found, block.reading(rank).encode())) {
                return block.written();
            }
        }
        throw changes();
    }

    @Override
    public boolean write(Rank rank, byte[] value) throws IOException {
        Block.check(rank, value);
        for (int i = 0; i < TRIES; i++) {
            byte[] found = store.read(name);
            if (Block.decode(found, name).highest().isAbove(rank)) {
                return false;
            }
            if (store.compareAndSet(name, found, Block.writing(rank, value).encode())) {
                return true;
            }
        }
        throw changes();
    }

    private IOException changes() {
        return new IOException(
                "The register '%s' in %s changes all the time".formatted(Printable.name(name), store.describe()));
    }
}
