package io.paxoslease.consensus;

import io.paxoslease.protocol.Printable;
import io.paxoslease.store.Register;
import java.io.IOException;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

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
        return change(found -> rank.isAbove(found.highest()), found -> found.reading(rank))
                .written();
    }

    @Override
    public boolean write(Rank rank, byte[] value) throws IOException {
        Block.check(rank, value);
        Predicate<Block> commits = found -> !found.highest().isAbove(rank);
        return commits.test(change(commits, found -> Block.writing(rank, value)));
    }

    /** Answers what was there, which has been changed if it is to be. */
    private Block change(Predicate<Block> wanted, UnaryOperator<Block> change) throws IOException {
        for (int i = 0; i < TRIES; i++) {
            byte[] found = store.read(name);
            Block block = Block.decode(found, name);
            if (!wanted.test(block)
                    || store.compareAndSet(name, found, change.apply(block).encode())) {
                return block;
            }
        }
        throw new IOException(
                "The register '%s' in %s changes all the time".formatted(Printable.name(name), store.describe()));
    }
}
