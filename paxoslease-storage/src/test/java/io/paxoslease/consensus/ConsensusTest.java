package io.paxoslease.consensus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("slow")
class ConsensusTest {

    private static final int CLIENTS = 3;
    /** From then on the last client leads and no other, every access succeeds, and the first client may be dead. */
    private static final long CALM = 120;
    /** Far more steps than three clients need from then on. */
    private static final long LIMIT = CALM + 2_000;

    /** Agreement and validity always, termination when the oracle has come to rest. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void allWhoLiveDecideOneProposalHoweverWrongTheOracleWas(boolean compares) throws IOException {
        int others = 0;
        for (int seed = 0; seed < 300; seed++) {
            Random random = new Random(seed);
            Turns turns = new Turns(random::nextInt);
            SteppedStore store = new SteppedStore(turns, compares, seed % 3 == 0 ? 0 : CALM);
            int dead = seed % 2;
            List<Integer> decisions = new ArrayList<>();
            for (int client = 0; client < CLIENTS; client++) {
                int id = client;
                LeaderOracle oracle = () -> turns.now() < CALM ? random.nextInt(3) > 0 : id == CLIENTS - 1;
                Consensus consensus = consensus(store, compares, oracle, random, turns);
                turns.add(() -> decisions.add(decided(consensus, id)));
            }
            assertThat(turns.run(LIMIT, dead, CALM / 2))
                    .as("seed %d terminates", seed)
                    .isTrue();
            assertThat(decisions).as("seed %d", seed).hasSizeBetween(CLIENTS - dead, CLIENTS);
            assertThat(decisions).as("seed %d", seed).containsOnly(decisions.get(0));
            assertThat(decisions.get(0)).isBetween(0, CLIENTS - 1);
            others += decisions.get(0) == CLIENTS - 1 ? 0 : 1;
        }
        assertThat(others)
                .as("runs that were decided by another client than the last leader")
                .isPositive();
    }

    private static int decided(Consensus consensus, int own) throws InterruptedException {
        while (true) {
            try {
                return consensus.propose(new byte[] {(byte) own})[0];
            } catch (IOException e) {
                // As its documentation says: propose again.
            }
        }
    }

    private static Consensus consensus(
            SteppedStore store, boolean compares, LeaderOracle oracle, Random random, Turns turns) {
        RankedRegister ranked = compares
                ? new ComparingRankedRegister(store, "x/ranked")
                : new BlockRankedRegister(store, "x/blocks", random);
        return new Consensus(ranked, store, "x/decision", oracle, random, turns::step);
    }

    /** One client, two threads: the same rank twice would commit two values. */
    @Test
    void threadsOfOneClientDecideOneProposal() {
        for (int seed = 0; seed < 100; seed++) {
            Turns turns = new Turns(new Random(seed)::nextInt);
            SteppedStore store = new SteppedStore(turns, true, 0);
            Consensus shared = consensus(store, true, () -> true, new Random(seed), turns);
            List<Integer> decisions = new ArrayList<>();
            for (int thread = 0; thread < 2; thread++) {
                int own = thread;
                turns.add(() -> decisions.add(decided(shared, own)));
            }
            assertThat(turns.run(LIMIT, 0, LIMIT)).isTrue();
            assertThat(decisions).as("seed %d", seed).hasSize(2).containsOnly(decisions.get(0));
        }
    }

    /** Nobody leads, so nobody decides: the proposal only looks. */
    @Test
    void withoutALeaderNothingIsDecided() {
        Turns turns = new Turns(options -> 0);
        SteppedStore store = new SteppedStore(turns, true, 0);
        Consensus consensus = consensus(store, true, () -> false, new Random(1), turns);
        turns.add(() -> consensus.propose(new byte[] {1}));
        assertThat(turns.run(500, 0, 500)).isFalse();
    }

    @Test
    void wrongUseIsRefused() {
        SteppedStore store = new SteppedStore(new Turns(options -> 0), true, 0);
        assertThatThrownBy(() -> Consensus.over(store, "x", () -> true, Duration.ZERO, new Random(1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("must be positive");
        LeaderOracle never = () -> {
            throw new AssertionError("refused before anything is asked");
        };
        Consensus consensus = Consensus.over(store, "x", never, Duration.ofMillis(1), new Random(1));
        assertThatThrownBy(() -> consensus.propose(new byte[RankedRegister.MAX_BYTES + 1]))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("takes 3000 bytes");
    }
}
