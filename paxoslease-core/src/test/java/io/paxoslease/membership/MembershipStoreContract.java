package io.paxoslease.membership;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paxoslease.GenerationOptions;
import io.paxoslease.Membership;
import io.paxoslease.MembershipStore;
import io.paxoslease.testing.Background;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CyclicBarrier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What every store of members keeps. */
abstract class MembershipStoreContract {

    static final String CELL = "shop";
    private static final int THREADS = 6;

    /** One more client of the same store, which has been empty at the start of the test. */
    abstract MembershipStore open(String cell);

    /** Puts a text in the place of the stored one. */
    abstract void damage(String text) throws Exception;

    /** The generation, with one member that says who has stored it. */
    static Membership membership(int generation, String writer) {
        Map<String, InetSocketAddress> peers = new LinkedHashMap<>();
        peers.put(writer, InetSocketAddress.createUnresolved("10.0.0.1", 7400));
        peers.put("ü=\\", InetSocketAddress.createUnresolved("::1", 7400));
        GenerationOptions.Previous previous =
                generation == 1 ? null : new GenerationOptions.Previous(peers, Duration.ofMillis(1_500), 0.05);
        return new Membership(new GenerationOptions(generation, previous), peers, Duration.ofSeconds(5), 0.1, false);
    }

    @Test
    void nothingIsThereBeforeTheFirstWrite() throws IOException {
        assertThat(open(CELL).read()).isNull();
        assertThat(open(CELL).replace(membership(1, "a"), membership(2, "a"))).isFalse();
        assertThat(open(CELL).read()).isNull();
    }

    @Test
    void whatIsStoredIsReadByEveryNode() throws IOException {
        assertThat(open(CELL).replace(null, membership(1, "a"))).isTrue();
        assertThat(open(CELL).read()).isEqualTo(membership(1, "a"));
        assertThat(open(CELL).replace(membership(1, "a"), membership(2, "b"))).isTrue();
        assertThat(open(CELL).read()).isEqualTo(membership(2, "b"));
    }

    @Test
    void aRaceThatIsLostChangesNothing() throws IOException {
        MembershipStore store = open(CELL);
        store.replace(null, membership(1, "a"));
        assertThat(store.replace(null, membership(1, "b"))).isFalse();
        store.replace(membership(1, "a"), membership(2, "a"));
        assertThat(store.replace(membership(1, "a"), membership(2, "b"))).isFalse();
        assertThat(store.replace(null, membership(2, "b"))).isFalse();
        assertThat(store.read()).isEqualTo(membership(2, "a"));
    }

    @Test
    void ofTheFirstWritesOneIsStored() throws Exception {
        for (int i = 0; i < 3; i++) {
            String cell = CELL + i;
            List<Boolean> stored = together(writer -> open(cell).replace(null, membership(1, writer)));
            assertThat(stored).containsOnlyOnce(true);
            Membership read = open(cell).read();
            assertThat(read).isEqualTo(membership(1, "n" + stored.indexOf(true)));
        }
    }

    /** Every generation has exactly one writer. */
    @Test
    void ofTheWritesThatExpectTheSameOneIsStored() throws Exception {
        MembershipStore store = open(CELL);
        store.replace(null, membership(1, "start"));
        Membership expected = membership(1, "start");
        for (int generation = 2; generation < 12; generation++) {
            Membership last = expected;
            int next = generation;
            List<Boolean> stored = together(writer -> open(CELL).replace(last, membership(next, writer)));
            assertThat(stored).containsOnlyOnce(true);
            expected = membership(next, "n" + stored.indexOf(true));
            assertThat(store.read()).isEqualTo(expected);
        }
    }

    private interface Write {
        boolean as(String writer) throws Exception;
    }

    private static List<Boolean> together(Write write) throws Exception {
        CyclicBarrier start = new CyclicBarrier(THREADS);
        List<Background<Boolean>> threads = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            String writer = "n" + i;
            threads.add(Background.start(() -> {
                start.await();
                return write.as(writer);
            }));
        }
        List<Boolean> stored = new ArrayList<>();
        for (Background<Boolean> thread : threads) {
            stored.add(thread.result());
        }
        return stored;
    }

    @Test
    void whatIsNoMembershipIsAnErrorThatSaysWhereAndIsNotReplaced() throws Exception {
        MembershipStore store = open(CELL);
        store.replace(null, membership(1, "a"));
        damage("format=1\ncell=shop\n");
        assertThatThrownBy(store::read)
                .isInstanceOf(IOException.class)
                .hasMessageContaining("Cannot understand the " + store.describe())
                .hasMessageContaining("it is cut off");
        assertThatThrownBy(() -> store.replace(membership(1, "a"), membership(2, "a")))
                .isInstanceOf(IOException.class);
        assertThat(replacesNothing(store)).isTrue();
        assertThatThrownBy(store::read).hasMessageContaining("it is cut off");
    }

    private static boolean replacesNothing(MembershipStore store) {
        try {
            return !store.replace(null, membership(1, "b"));
        } catch (IOException e) {
            return true;
        }
    }

    @Test
    void whereItIsIsSaid() {
        assertThat(open(CELL).describe()).isNotBlank().doesNotContain("\n");
    }

    static @Nullable Integer generation(MembershipStore store) throws IOException {
        Membership membership = store.read();
        return membership == null ? null : membership.generation().number();
    }
}
