package io.paxoslease.consensus;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.store.Register;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Consensus of Chockler and Malkhi, from a ranked register and a leader oracle: safe whatever the oracle says, and it ends when the
 * oracle has come to rest.
 *
 * <p>Different here: a store that fails may still have taken the value, so a proposal that ends with an error is made again; and a
 * client that leads raises its rank in growing steps, since it cannot know how high the others have come.
 */
class StoragePaperConsensusTest {

    private static final long LIMIT = 3_000;
    private static final int SEEDS = 60;

    private static Consensus client(SteppedStore store, LeaderOracle oracle, Random random, Turns turns) {
        return client(store, store, oracle, random, turns);
    }

    /** @param decisions where the decision is told */
    private static Consensus client(
            SteppedStore store, Register decisions, LeaderOracle oracle, Random random, Turns turns) {
        RankedRegister ranked = store.comparesAndSets()
                ? new ComparingRankedRegister(store, "ranked")
                : new BlockRankedRegister(store, "blocks", random);
        return new Consensus(ranked, decisions, "decision", oracle, random, turns::step);
    }

    private static int propose(Consensus client, int value) throws IOException, InterruptedException {
        return client.propose(new byte[] {(byte) value})[0];
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aLeaderThatIsAloneDecidesWhatItProposes(boolean compares) {
        Turns turns = new Turns(options -> 0);
        SteppedStore store = new SteppedStore(turns, compares, 0);
        List<Integer> decided = new ArrayList<>();
        turns.add(() -> decided.add(propose(client(store, () -> true, new Random(1), turns), 4)));
        assertThat(turns.run(LIMIT, 0, LIMIT)).isTrue();
        assertThat(decided).containsExactly(4);
    }

    /** All of them lead, all the time: no proposal has to return, and those that do return the same value. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void noTwoClientsDecideDifferentlyWhateverTheOracleSays(boolean compares) {
        int returned = 0;
        for (int seed = 0; seed < SEEDS; seed++) {
            Random random = new Random(seed);
            Turns turns = new Turns(random::nextInt);
            SteppedStore store = new SteppedStore(turns, compares, 0);
            List<Integer> decided = new ArrayList<>();
            for (int i = 1; i <= 3; i++) {
                int own = i;
                Consensus client = client(store, () -> true, random, turns);
                turns.add(() -> decided.add(propose(client, own)));
            }
            turns.run(400, 0, 400);
            assertThat(decided.stream().distinct()).as("seed %d", seed).hasSizeLessThanOrEqualTo(1);
            assertThat(decided).as("seed %d: proposed", seed).isSubsetOf(1, 2, 3);
            returned += decided.size();
        }
        assertThat(returned).isGreaterThan(SEEDS);
    }

    /** A store for decisions that is never written: the first leader dies before it tells what it decided. */
    private static final class Untold implements Register {

        @Override
        public byte @Nullable [] read(String name) {
            return null;
        }

        @Override
        public void write(String name, byte[] content) {}

        @Override
        public String describe() {
            return "a store that forgets";
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aLaterLeaderDecidesWhatWasCommittedAndNotItsOwn(boolean compares) {
        Turns turns = new Turns(options -> 0);
        SteppedStore store = new SteppedStore(turns, compares, 0);
        Random random = new Random(2);
        List<Integer> decided = new ArrayList<>();
        turns.add(() -> {
            for (int i = 1; i <= 4; i++) {
                decided.add(propose(client(store, new Untold(), () -> true, random, turns), i));
            }
            return true;
        });
        assertThat(turns.run(LIMIT, 0, LIMIT)).isTrue();
        assertThat(decided).containsExactly(1, 1, 1, 1);
    }

    /** It proposes long before the leader does. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aClientThatNeverLeadsReturnsWhatTheLeaderDecided(boolean compares) {
        Random random = new Random(3);
        int[] choices = {0};
        Turns turns = new Turns(options -> choices[0]++ < 200 ? 0 : random.nextInt(options));
        SteppedStore store = new SteppedStore(turns, compares, 0);
        Consensus follower = client(store, () -> false, random, turns);
        Consensus leader = client(store, () -> true, random, turns);
        List<Integer> decided = new ArrayList<>();
        turns.add(() -> decided.add(propose(follower, 1)));
        turns.add(() -> decided.add(propose(leader, 2)));
        assertThat(turns.run(LIMIT, 0, LIMIT)).isTrue();
        assertThat(decided).containsExactly(2, 2);
    }

    /** It does not even look for a higher rank. */
    @Test
    void whatIsDecidedIsReturnedWithoutTheRankedRegister() {
        Turns turns = new Turns(options -> 0);
        SteppedStore store = new SteppedStore(turns, true, 0);
        List<Integer> decided = new ArrayList<>();
        turns.add(() -> {
            decided.add(propose(client(store, () -> true, new Random(4), turns), 1));
            RankedRegister unused = new RankedRegister() {
                @Override
                public Written read(Rank rank) {
                    throw new AssertionError("read");
                }

                @Override
                public boolean write(Rank rank, byte[] value) {
                    throw new AssertionError("written");
                }
            };
            Consensus late = new Consensus(unused, store, "decision", () -> true, new Random(5), turns::step);
            decided.add(propose(late, 2));
            return true;
        });
        assertThat(turns.run(LIMIT, 0, LIMIT)).isTrue();
        assertThat(decided).containsExactly(1, 1);
    }

    /** Before it is at rest, it may name all, none, or one after the other. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void proposalsReturnWhenTheOracleHasComeToRest(boolean compares) {
        for (int seed = 0; seed < SEEDS; seed++) {
            Random random = new Random(seed);
            Turns turns = new Turns(random::nextInt);
            SteppedStore store = new SteppedStore(turns, compares, 60);
            List<Integer> decided = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                int own = i;
                LeaderOracle oracle = () -> turns.now() < 100 ? random.nextBoolean() : own == 1;
                Consensus client = client(store, oracle, random, turns);
                turns.add(() -> decided.add(decide(client, own)));
            }
            assertThat(turns.run(LIMIT, 0, LIMIT)).as("seed %d", seed).isTrue();
            assertThat(decided).hasSize(3);
            assertThat(decided.stream().distinct()).as("seed %d", seed).hasSize(1);
        }
    }

    private static int decide(Consensus client, int value) throws InterruptedException {
        while (true) {
            try {
                return propose(client, value);
            } catch (IOException e) {
                // As its documentation says: propose again.
            }
        }
    }
}
