package io.paxoslease.consensus;

import io.paxoslease.store.Register;
import java.io.IOException;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.random.RandomGenerator;

/**
 * Agreement of any number of clients on one value, once and for all: every proposal returns the same value, which one of them
 * proposed. That holds whatever the leader oracle says and however slow the store is; proposals return when the oracle has
 * come to rest and the store answers. Thread-safe.
 */
public final class Consensus {

    /** How the time until the next look is spent. */
    interface Pause {
        void pause() throws InterruptedException;
    }

    private final RankedRegister ranked;
    private final Register store;
    private final String decision;
    private final LeaderOracle oracle;
    private final Pause pause;
    private final long client;
    private long number;

    /**
     * @param ranked the same one for every client
     * @param store holds the decision; need not compare and set
     * @param decision the decision's register in the store, for this alone
     */
    Consensus(
            RankedRegister ranked,
            Register store,
            String decision,
            LeaderOracle oracle,
            RandomGenerator random,
            Pause pause) {
        this.ranked = ranked;
        this.store = store;
        this.decision = decision;
        this.oracle = oracle;
        this.client = random.nextLong();
        this.pause = pause;
    }

    /**
     * A client's view of one agreement.
     *
     * @param store compares and sets, or lists its names; the same one for every client
     * @param name of the agreement: names in the store that begin so are for it alone; at most 200 bytes of UTF-8
     * @param oracle says when to take the lead
     * @param poll how long a client that does not lead waits until it looks for the decision again
     * @param random tells this client from all others: seeded by nothing that two of them share
     * @throws IllegalArgumentException when the store can do neither
     */
    public static Consensus over(
            Register store, String name, LeaderOracle oracle, Duration poll, RandomGenerator random) {
        Objects.requireNonNull(oracle, "oracle");
        if (poll.isNegative() || poll.isZero()) {
            throw new IllegalArgumentException("The time between looks must be positive, not " + poll);
        }
        RankedRegister ranked = store.comparesAndSets()
                ? new ComparingRankedRegister(store, name + "/ranked")
                : new BlockRankedRegister(store, name + "/blocks", random);
        return new Consensus(
                ranked,
                store,
                name + "/decision",
                oracle,
                random,
                () -> Thread.sleep(poll.toMillis(), (int) (poll.toNanos() % 1_000_000)));
    }

    /**
     * Proposes a value, and waits for the decision.
     *
     * @param value at most {@value RankedRegister#MAX_BYTES} bytes
     * @return the value that all agree on, which may be another one
     * @throws IOException when the store does not answer; the value may be decided on all the same. Propose again to find out.
     */
    public byte[] propose(byte[] value) throws IOException, InterruptedException {
        byte[] own = value.clone();
        Block.check(new Rank(1, client), own);
        long step = 1;
        while (true) {
            Optional<byte[]> decided = decision();
            if (decided.isPresent()) {
                return decided.get();
            }
            if (!oracle.isLeader()) {
                pause.pause();
                continue;
            }
            Optional<byte[]> committed = lead(own, step);
            if (committed.isPresent()) {
                store.write(decision, committed.get());
                return committed.get();
            }
            step = Math.min(2 * step, Integer.MAX_VALUE); // soon above those that have tried for long
            pause.pause();
        }
    }

    private Optional<byte[]> lead(byte[] own, long step) throws IOException {
        Rank rank = next(step);
        RankedRegister.Written written = ranked.read(rank);
        byte[] value = written.value() == null ? own : written.value();
        rise(written.rank());
        return ranked.write(rank, value) ? Optional.of(value.clone()) : Optional.empty();
    }

    private synchronized Rank next(long step) {
        number += step;
        return new Rank(number, client);
    }

    private synchronized void rise(Rank seen) {
        number = Math.max(number, seen.number());
    }

    /**
     * What was decided, as far as the store shows it now.
     *
     * @return empty when nothing is known to have been decided; that may be out of date at once
     */
    public Optional<byte[]> decision() throws IOException {
        return Optional.ofNullable(store.read(decision));
    }
}
