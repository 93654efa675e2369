package io.paxoslease.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paxoslease.GenerationOptions;
import io.paxoslease.Membership;
import io.paxoslease.MembershipChange;
import io.paxoslease.MembershipChangeException;
import io.paxoslease.PaxosLease;
import io.paxoslease.PaxosLeaseOptions;
import io.paxoslease.testing.Eventually;
import io.paxoslease.testing.FreePorts;
import io.paxoslease.testing.HeldMembership;
import io.paxoslease.testing.LogCapture;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A store that has a generation below the one that the cell has sealed, as after a backup was restored. */
@Tag("slow")
class RolledBackStoreTest {

    private static final Duration MAX = Duration.ofSeconds(5);

    private final HeldMembership store = new HeldMembership();
    private final Map<String, String> addresses = new TreeMap<>();

    private LogCapture log;

    @BeforeEach
    void listen() {
        Stream.of("a", "b", "c", "d").forEach(id -> addresses.put(id, "127.0.0.1:" + FreePorts.next()));
        log = LogCapture.ofNode();
    }

    @AfterEach
    void close() {
        log.close();
    }

    /** Without previous members it counts as sealed from its start. */
    private PaxosLeaseOptions.Builder sealed(int generation) {
        PaxosLeaseOptions.Builder options = PaxosLeaseOptions.builder("a")
                .maxLeaseTime(MAX)
                .generation(generation)
                .membershipStore(store);
        Stream.of("a", "b", "c").forEach(id -> options.peer(id, Objects.requireNonNull(addresses.get(id))));
        return options;
    }

    private PaxosLeaseOptions.Builder unsealed() {
        PaxosLeaseOptions.Builder options = sealed(2);
        Stream.of("a", "b", "d").forEach(id -> options.previousPeer(id, Objects.requireNonNull(addresses.get(id))));
        return options;
    }

    private static Membership first(PaxosLeaseOptions options) {
        return new Membership(GenerationOptions.first(), options.peers(), MAX, 0.1, false);
    }

    private int stored() {
        Membership found = store.stored();
        return found == null ? 0 : found.generation().number();
    }

    @Test
    void aMemberThatKnowsTheSealWarnsAndWritesItBack() {
        try (PaxosLease node = PaxosLease.create(sealed(2).build())) {
            node.start();
            assertThat(stored()).isEqualTo(2);
            Membership before = store.stored();
            store.put(first(node.monitor().options()));

            Eventually.until("it is written back", () -> stored() == 2);
            assertThat(store.stored()).isEqualTo(before);
            log.awaitCount("WARN Node 'a' has written generation 2 of cell", 1);
        }
    }

    @Test
    void aStoreThatWasDeletedIsWrittenBack() {
        try (PaxosLease node = PaxosLease.create(sealed(2).build())) {
            node.start();
            Membership before = store.stored();
            store.put(null);

            Eventually.until("it is written back", () -> stored() == 2);
            assertThat(store.stored()).isEqualTo(before);
            log.awaitCount("it had no generation, as after it was deleted", 1);
        }
    }

    /** What this member has read may be what others run by now: what is below it must not come in its place. */
    @Test
    void aMemberThatHasReadALaterGenerationWritesNothingOlderBack() {
        try (PaxosLease node = PaxosLease.create(sealed(2).build())) {
            node.start();
            Membership second = Objects.requireNonNull(store.stored());
            store.put(new Membership(
                    new GenerationOptions(3, new GenerationOptions.Previous(second.peers(), MAX, 0.1)),
                    second.peers(),
                    Duration.ofSeconds(4),
                    0.1,
                    false));
            log.awaitCount("generation 3 has other times", 1);

            store.put(null);
            log.awaitCount("the store of this test has no generation, and this node runs generation 2", 1);
            assertThat(store.stored()).isNull();
        }
    }

    /** As where the name of a database points to another cell's. */
    @Test
    void whatSharesNoMemberIsNotOverwritten() {
        try (PaxosLease node = PaxosLease.create(sealed(3).build())) {
            node.start();
            Membership other = new Membership(
                    GenerationOptions.first(),
                    Map.of("x", InetSocketAddress.createUnresolved("x", 1)),
                    MAX,
                    0.1,
                    false);
            store.put(other);
            log.awaitCount("the store of this test has generation 1, and this node runs generation 3", 1);
            assertThat(store.stored()).isEqualTo(other);
        }
    }

    @Test
    void aStoreThatNeverTakesItIsAWarning() {
        try (PaxosLease node = PaxosLease.create(sealed(2).build())) {
            node.start();
            store.refuseWrites();
            store.put(null);
            log.awaitCount("it does not take what this node writes back", 1);
        }
    }

    /** A race that was lost long ago says nothing of the next one. */
    @Test
    void anotherNodeMayBeFasterMoreThanOnce() {
        try (PaxosLease node = PaxosLease.create(sealed(2).build())) {
            node.start();
            Membership second = Objects.requireNonNull(store.stored());
            for (int i = 1; i <= 2; i++) {
                store.isBeatenBy(second);
                store.put(null);
                Eventually.until("another node has written it back", () -> stored() == 2);
                store.failWith("down");
                log.awaitCount("cannot be read from the store of this test", i);
                store.failWith(null);
                log.awaitCount("agree again", i);
            }
            assertThat(log.count("it does not take what this node writes back")).isZero();
        }
    }

    /** As one that starts with the store in place does. */
    @Test
    void theFirstGenerationIsWrittenBackAsWell() {
        try (PaxosLease node = PaxosLease.create(sealed(1).build())) {
            node.start();
            store.put(null);

            Eventually.until("it is written back", () -> stored() == 1);
        }
    }

    @Test
    void aMemberThatCannotWriteItBackGoesOnWarning() {
        try (PaxosLease node = PaxosLease.create(sealed(2).build())) {
            node.start();
            store.failWritesWith("read-only");
            store.put(first(node.monitor().options()));

            log.awaitCount(
                    "the store of this test has generation 1, and this node runs generation 2, which is sealed", 1);
            log.awaitCount("writing it back failed: read-only", 1);
            assertThat(stored()).isEqualTo(1);
            store.failWritesWith(null);
            Eventually.until("it is written back", () -> stored() == 2);
            log.awaitCount("agree again", 1);
            assertThat(log.count("writing it back failed")).isEqualTo(1);
        }
    }

    /** Waiting until this member has moved, as after a change, would be waiting for ever. */
    @Test
    void aChangeIsRefusedWithThatReasonUntilItIsWrittenBack() {
        try (PaxosLease node = PaxosLease.create(sealed(3).build())) {
            node.start();
            store.failWritesWith("read-only");
            store.put(first(node.monitor().options()));
            assertThatThrownBy(() -> node.admin()
                            .changeMembers(
                                    MembershipChange.to(Map.of("a", Objects.requireNonNull(addresses.get("a"))))))
                    .isInstanceOfSatisfying(MembershipChangeException.class, refused -> assertThat(refused.reason())
                            .isEqualTo(MembershipChangeException.Reason.STORE))
                    .hasMessageContaining("has generation 1 of cell")
                    .hasMessageContaining("and node 'a' runs generation 3")
                    .hasMessageContaining("writes it back within three seconds")
                    .hasMessageNotContaining("moved");
        }
    }

    /** Who knows of no seal knows nothing better. */
    @Test
    void aGenerationThatIsNotSealedIsNotWrittenBack() {
        PaxosLeaseOptions options = unsealed().build();
        Membership before = new Membership(
                GenerationOptions.first(),
                Objects.requireNonNull(options.generation().previous()).peers(),
                MAX,
                0.1,
                false);
        store.put(before);
        try (PaxosLease node = PaxosLease.create(options)) {
            node.start();
            assertThat(stored()).isEqualTo(2);
            store.put(before);

            log.awaitCount("and this node runs generation 2, which is not sealed yet", 1);
            assertThat(store.stored()).isEqualTo(before);

            store.put(null);
            log.awaitCount("the store of this test has no generation, and this node runs generation 2", 1);
            assertThat(store.stored()).isNull();
        }
    }

    /** Only what was read is replaced: another writer is not overwritten. */
    @Test
    void whatAnotherNodeHasWrittenMeanwhileStays() {
        try (PaxosLease node = PaxosLease.create(sealed(2).build())) {
            node.start();
            Membership third = new Membership(
                    new GenerationOptions(
                            3,
                            new GenerationOptions.Previous(
                                    node.monitor().options().peers(), MAX, 0.1)),
                    node.monitor().options().peers(),
                    Duration.ofSeconds(4),
                    0.1,
                    false);
            store.isBeatenBy(third);
            store.put(first(node.monitor().options()));

            log.awaitCount("generation 3 has other times", 1);
            assertThat(store.stored()).isEqualTo(third);
        }
    }

    /** Another member runs the next generation already: what the store has is older, and another content of it would be a second list. */
    @Test
    void aMemberThatHasHeardOfALaterGenerationWritesNothingOlderBackAndTakesNoChange() {
        try (PaxosLease node = PaxosLease.create(sealed(1).build())) {
            node.start();
            Membership before = Objects.requireNonNull(store.stored());
            PaxosLeaseOptions.Builder options =
                    PaxosLeaseOptions.builder("b").maxLeaseTime(MAX).generation(2);
            Stream.of("a", "b", "d").forEach(id -> options.peer(id, Objects.requireNonNull(addresses.get(id))));
            before.peers().keySet().forEach(id -> options.previousPeer(id, Objects.requireNonNull(addresses.get(id))));
            try (PaxosLease ahead = PaxosLease.create(options.build())) {
                ahead.start();
                Eventually.until(
                        "the node has heard of it",
                        () -> Objects.requireNonNull(node.monitor().status().membership())
                                        .generation()
                                == 2);

                assertThatThrownBy(() -> node.admin()
                                .changeMembers(MembershipChange.to(Map.of(
                                        "a", Objects.requireNonNull(addresses.get("a")),
                                        "c", Objects.requireNonNull(addresses.get("c"))))))
                        .isInstanceOf(MembershipChangeException.class)
                        .hasMessageContaining("Members run generation 2, and the store of this test has generation 1");
                assertThat(store.stored()).isEqualTo(before);

                store.put(null);
                log.awaitCount("the store of this test has no generation, and this node runs generation 1", 1);
                assertThat(store.stored()).isNull();
            }
        }
    }
}
