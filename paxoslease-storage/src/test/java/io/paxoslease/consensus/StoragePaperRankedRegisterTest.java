package io.paxoslease.consensus;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.consensus.RankedRegister.Written;
import java.io.IOException;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The ranked register of Chockler and Malkhi. {@link RankedRegisterTest} judges every interleaving; these are the paper's sentences
 * about it, one operation after the other.
 *
 * <p>Different here: clients are not known in advance, so in a store that only reads and writes each of them has a block of
 * its own, as in Disk Paxos, which the others find by listing names. After a write that failed a client uses a fresh block, since the
 * old one may still land.
 */
class StoragePaperRankedRegisterTest {

    private final Random ids = new Random(17);
    private final Turns turns = new Turns(options -> 0);

    private SteppedStore store(boolean compares) {
        return new SteppedStore(turns, compares, 0);
    }

    private RankedRegister client(SteppedStore store) {
        return store.comparesAndSets()
                ? new ComparingRankedRegister(store, "x")
                : new BlockRankedRegister(store, "x", ids);
    }

    /** What the only thread does. */
    interface Story {
        void tell() throws IOException;
    }

    private void run(Story story) {
        turns.add(() -> {
            story.tell();
            return true;
        });
        assertThat(turns.run(10_000, 0, 10_000)).isTrue();
    }

    private static Rank rank(long number) {
        return new Rank(number, number);
    }

    private static byte[] value(int value) {
        return new byte[] {(byte) value};
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aReadOfWhatWasNeverWrittenAnswersTheLowestRank(boolean compares) {
        SteppedStore store = store(compares);
        run(() -> {
            Written found = client(store).read(rank(1));
            assertThat(found.rank()).isEqualTo(Rank.NONE);
            assertThat(found.value()).isNull();
        });
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aCommittedWriteIsSeenByEveryReadOfAHigherRank(boolean compares) {
        SteppedStore store = store(compares);
        run(() -> {
            assertThat(client(store).write(rank(3), value(3))).isTrue();
            for (int higher = 4; higher < 10; higher++) {
                Written found = client(store).read(rank(higher));
                assertThat(found.rank()).isEqualTo(rank(3));
                assertThat(found.value()).isEqualTo(value(3));
            }
        });
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void ofSeveralCommittedWritesAReadSeesTheOneOfTheHighestRank(boolean compares) {
        SteppedStore store = store(compares);
        run(() -> {
            assertThat(client(store).write(rank(1), value(1))).isTrue();
            assertThat(client(store).write(rank(5), value(5))).isTrue();
            assertThat(client(store).write(rank(7), value(7))).isTrue();
            assertThat(client(store).read(rank(9)).value()).isEqualTo(value(7));
        });
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aWriteCommitsUnlessAnOperationOfAHigherRankWasInvoked(boolean compares) {
        SteppedStore store = store(compares);
        run(() -> {
            RankedRegister own = client(store);
            RankedRegister other = client(store);
            other.read(rank(2));
            other.write(rank(3), value(3));
            own.read(rank(4));
            assertThat(own.write(rank(4), value(4)))
                    .as("the higher rank is its own")
                    .isTrue();
            assertThat(other.write(rank(6), value(6))).as("without a read").isTrue();
        });
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aWriteAbortsBelowAReadOfAHigherRankThatDidNotSeeIt(boolean compares) {
        SteppedStore store = store(compares);
        run(() -> {
            RankedRegister low = client(store);
            RankedRegister high = client(store);
            low.read(rank(1));
            assertThat(high.read(rank(2)).value()).isNull();
            assertThat(low.write(rank(1), value(1))).isFalse();
            assertThat(high.write(rank(2), value(2))).isTrue();
        });
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aWriteAbortsBelowAWriteOfAHigherRank(boolean compares) {
        SteppedStore store = store(compares);
        run(() -> {
            RankedRegister low = client(store);
            RankedRegister high = client(store);
            assertThat(high.write(rank(2), value(2))).isTrue();
            assertThat(low.write(rank(1), value(1))).isFalse();
            assertThat(client(store).read(rank(3)).value()).isEqualTo(value(2));
        });
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aReadOfALowerRankIsInNoWritesWay(boolean compares) {
        SteppedStore store = store(compares);
        run(() -> {
            RankedRegister low = client(store);
            RankedRegister high = client(store);
            high.read(rank(5));
            low.read(rank(2));
            assertThat(high.write(rank(5), value(5))).isTrue();
        });
    }
}
