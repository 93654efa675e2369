package io.paxoslease.consensus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paxoslease.store.Register;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Every run is judged by {@link RankedHistory}, which is tested at the end. */
@Tag("slow")
class RankedRegisterTest {

    private static final long LIMIT = 10_000;

    private static RankedRegister open(Register store, boolean compares, Random random) {
        return compares ? new ComparingRankedRegister(store, "x") : new BlockRankedRegister(store, "x", random);
    }

    /** Every interleaving of a write with a read and a write of a higher rank, and every answer of regular registers. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void twoClientsInEveryInterleaving(boolean compares) {
        List<int[]> path = new ArrayList<>();
        int runs = 0;
        boolean committedAndSeen = false;
        boolean aborted = false;
        do {
            int[] depth = {0};
            Turns turns = new Turns(options -> {
                if (depth[0] == path.size()) {
                    path.add(new int[] {0, options});
                }
                return path.get(depth[0]++)[0];
            });
            SteppedStore store = new SteppedStore(turns, compares, 0);
            RankedHistory history = new RankedHistory();
            Random ids = new Random(3);
            RankedRegister low = open(store, compares, ids);
            RankedRegister high = open(store, compares, ids);
            boolean[] outcome = new boolean[2];
            turns.add(() -> outcome[0] = history.write(low, new Rank(1, 1), new byte[] {1}));
            turns.add(() -> {
                outcome[1] = history.read(high, new Rank(2, 2)).value() != null;
                return history.write(high, new Rank(2, 2), new byte[] {2});
            });
            assertThat(turns.run(LIMIT, 0, LIMIT)).isTrue();
            assertThat(history.fault()).isNull();
            committedAndSeen |= outcome[0] && outcome[1];
            aborted |= !outcome[0];
            runs++;
        } while (advance(path));
        assertThat(committedAndSeen).isTrue();
        assertThat(aborted).isTrue();
        assertThat(runs).isGreaterThan(compares ? 10 : 400);
    }

    /** To the next path of choices; false after the last. */
    private static boolean advance(List<int[]> path) {
        while (!path.isEmpty()) {
            int[] last = path.get(path.size() - 1);
            if (++last[0] < last[1]) {
                return true;
            }
            path.remove(path.size() - 1);
        }
        return false;
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void threeClientsInRandomInterleavingsWithFaults(boolean compares) {
        for (int seed = 0; seed < 400; seed++) {
            Random random = new Random(seed);
            Turns turns = new Turns(random::nextInt);
            SteppedStore store = new SteppedStore(turns, compares, seed % 2 == 0 ? 0 : 40);
            RankedHistory history = new RankedHistory();
            for (int client = 1; client <= 3; client++) {
                int id = client;
                RankedRegister register = open(store, compares, random);
                turns.add(() -> {
                    for (int i = 0; i < 3; i++) {
                        Rank rank = new Rank(i + 1 + random.nextInt(3 * (i + 1)), 10L * id + i);
                        try {
                            history.read(register, rank);
                            history.write(register, rank, new byte[] {(byte) id, (byte) i});
                        } catch (IOException e) {
                            // The next rank, then.
                        }
                    }
                    return true;
                });
            }
            assertThat(turns.run(LIMIT, 0, LIMIT)).as("seed " + seed).isTrue();
            assertThat(history.fault()).as("seed " + seed).isNull();
        }
    }

    @Test
    void wrongUseIsRefused() {
        Turns turns = new Turns(options -> 0);
        SteppedStore store = new SteppedStore(turns, false, 0);
        assertThatThrownBy(() -> new ComparingRankedRegister(store, "x"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("use blocks");
        assertThatThrownBy(() -> new BlockRankedRegister(new Listless(), "x", new Random(1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("cannot find each other's blocks");
        RankedRegister register = new BlockRankedRegister(store, "x", new Random(1));
        assertThatThrownBy(() -> register.read(Rank.NONE))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("are above 0.0");
        assertThatThrownBy(() -> register.write(new Rank(1, 1), new byte[RankedRegister.MAX_BYTES + 1]))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("takes 3000 bytes, not 3001");
        assertThatThrownBy(() -> new Rank(-1, 0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Block.decode(new byte[] {1, 2, 3}, "theirs"))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("'theirs' holds 3 bytes that are no part of a ranked register");
    }

    private record Listless() implements Register {

        @Override
        public byte @Nullable [] read(String name) {
            throw new AssertionError("never used");
        }

        @Override
        public void write(String name, byte[] content) {
            throw new AssertionError("never used");
        }

        @Override
        public String describe() {
            return "a store without names";
        }
    }

    @Test
    void aBlockIsReadAsItWasWrittenAndAnEmptyValueIsOne() throws IOException {
        Rank rank = new Rank(3, -1);
        byte[] bytes = Block.writing(rank, new byte[0]).reading(new Rank(4, 1)).encode();
        Block found = Block.decode(bytes, "x");
        assertThat(found.highest()).isEqualTo(new Rank(4, 1));
        assertThat(found.written().rank()).isEqualTo(rank);
        assertThat(found.written().value()).isEmpty();
        bytes[3]++;
        assertThatThrownBy(() -> Block.decode(bytes, "x"))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("are no part of a ranked register");
    }

    @Test
    void ranksAreOrderedByNumberThenByClientAsAnUnsignedNumber() {
        assertThat(new Rank(1, 2)).isGreaterThan(new Rank(1, 1));
        assertThat(new Rank(1, -1)).isGreaterThan(new Rank(1, 1));
        assertThat(new Rank(2, 0)).isGreaterThan(new Rank(1, -1));
    }

    /** A register that forgets, one that makes up, and one that always aborts. */
    @Test
    void theJudgeRefusesWhatIsWrong() throws IOException {
        assertThat(judge(RankedRegister.Written.NOTHING, true)).contains("committed, and not seen by a higher rank");
        assertThat(judge(new RankedRegister.Written(new Rank(1, 1), new byte[] {9}), true))
                .contains("nobody wrote what was seen");
        assertThat(judge(RankedRegister.Written.NOTHING, false)).contains("aborted without a higher rank");
        assertThat(judge(new RankedRegister.Written(new Rank(1, 1), new byte[] {1}), true))
                .isNull();
    }

    private static @Nullable String judge(RankedRegister.Written seen, boolean commits) throws IOException {
        RankedRegister register = new RankedRegister() {
            @Override
            public Written read(Rank rank) {
                return seen;
            }

            @Override
            public boolean write(Rank rank, byte[] value) {
                return commits;
            }
        };
        RankedHistory history = new RankedHistory();
        history.write(register, new Rank(1, 1), new byte[] {1});
        history.read(register, new Rank(2, 2));
        return history.fault();
    }
}
