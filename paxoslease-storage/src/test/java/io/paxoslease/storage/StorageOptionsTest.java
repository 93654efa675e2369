package io.paxoslease.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.paxoslease.AlgorithmOptions;
import io.paxoslease.InvalidOptionException;
import io.paxoslease.PaxosLease;
import io.paxoslease.PaxosLeaseOptions;
import io.paxoslease.TlsOptions;
import io.paxoslease.election.ElectionOptions;
import io.paxoslease.election.LeaderCandidate;
import io.paxoslease.election.LeaderElection;
import io.paxoslease.election.Leadership;
import io.paxoslease.storage.StorageOptions.WriteMode;
import io.paxoslease.store.DirectoryRegister;
import io.paxoslease.store.InMemoryRegister;
import io.paxoslease.testing.InMemoryCell;
import io.paxoslease.testing.TestCa;
import java.nio.file.Path;
import java.time.Duration;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is said of options that do not go with the algorithm. */
class StorageOptionsTest {

    private static final StorageOptions MEMORY =
            StorageOptions.builder(new InMemoryRegister()).build();
    private static final StorageOptions DIRECTORY =
            StorageOptions.builder(new DirectoryRegister(Path.of("leases"))).build();

    private static final class NoCandidate implements LeaderCandidate {

        @Override
        public void onGranted(Leadership leadership) {}

        @Override
        public void onRevoked(Leadership leadership) {}
    }

    private static PaxosLeaseOptions.Builder client(StorageOptions storage) {
        return PaxosLeaseOptions.builder("a").algorithm(storage);
    }

    private static void assertRefused(ThrowingCallable call, String option, String reason) {
        assertThatExceptionOfType(InvalidOptionException.class)
                .isThrownBy(call)
                .satisfies(refused -> assertThat(refused.option()).isEqualTo(option))
                .withMessageContaining(reason);
    }

    @Test
    void theAlgorithmFollowsFromWhatIsGiven() {
        assertThat(PaxosLeaseOptions.builder("a").build().algorithm()).isEqualTo(AlgorithmOptions.PAXOSLEASE);
        PaxosLeaseOptions options = client(MEMORY).build();
        assertThat(options.algorithm()).isEqualTo(MEMORY);
        assertThat(options.isCellOfOne()).isFalse();
    }

    @Test
    void anAccessBoundIsNotZero() {
        assertRefused(() -> MEMORY.toBuilder().accessBound(Duration.ZERO).build(), "accessBound", "must be above zero");
        assertRefused(
                () -> MEMORY.toBuilder().accessBound(Duration.ofSeconds(-1)).build(),
                "accessBound",
                "must be above zero");
    }

    @Test
    void aStoreThatOnlyReadsAndWritesCannotCompare() {
        assertThat(MEMORY.writeMode()).isEqualTo(WriteMode.COMPARE_AND_SET);
        assertThat(DIRECTORY.writeMode()).isEqualTo(WriteMode.READ_WRITE);
        assertRefused(
                () -> DIRECTORY.toBuilder().writeMode(WriteMode.COMPARE_AND_SET).build(),
                "writeMode",
                "choose READ_WRITE");
    }

    @ParameterizedTest
    @ValueSource(longs = {-1, StorageOptions.MAX_TOKENS_ABOVE + 1, Long.MIN_VALUE, Long.MAX_VALUE})
    void tokensCannotBeAboveJustAnyNumber(long token) {
        assertRefused(
                () -> MEMORY.toBuilder().tokensAbove(token).build(),
                "tokensAbove",
                "must be from 0 to 4503599627370496");
    }

    @Test
    void tokensMayBeAboveTheMicrosecondsSince1970() {
        assertThat(StorageOptions.builder(MEMORY.register()).build().tokensAbove())
                .isZero();
        StorageOptions most =
                MEMORY.toBuilder().tokensAbove(StorageOptions.MAX_TOKENS_ABOVE).build();
        assertThat(most.toBuilder()
                        .accessBound(Duration.ofSeconds(1))
                        .writeMode(WriteMode.READ_WRITE)
                        .renewal(StorageOptions.Renewal.KNOWN_DELAY)
                        .build()
                        .tokensAbove())
                .isEqualTo(StorageOptions.MAX_TOKENS_ABOVE);
    }

    @Test
    void theDefaultLeaseTimeGoesWithTheDefaultAccessBound() {
        assertThat(client(MEMORY).build().leaseTime()).isEqualTo(PaxosLeaseOptions.DEFAULT_LEASE_TIME);
        PaxosLeaseOptions slow = client(DIRECTORY).build();
        assertThat(slow.leaseTime()).isEqualTo(StorageOptions.DEFAULT_READ_WRITE_LEASE_TIME);
        assertThat(slow.maxLeaseTime()).isEqualTo(StorageOptions.DEFAULT_READ_WRITE_LEASE_TIME);
    }

    @Test
    void aLeaseTimeThatIsTooShortForTheAccessBoundIsRefusedWithWhatItMustBe() {
        assertRefused(
                () -> client(DIRECTORY).leaseTime(Duration.ofSeconds(3)).build(),
                "leaseTime",
                "raise the lease time to at least");
        assertRefused(
                () -> client(MEMORY.toBuilder()
                                .accessBound(Duration.ofSeconds(1))
                                .build())
                        .build(),
                "leaseTime",
                "lower accessBound");
    }

    @Test
    void aRoleWhoseLeaseTimeIsTooShortIsRefused() {
        PaxosLease node = PaxosLease.create(client(DIRECTORY).build());
        ElectionOptions options =
                ElectionOptions.builder().leaseTime(Duration.ofSeconds(2)).build();
        assertThatIllegalArgumentException()
                .isThrownBy(
                        () -> LeaderElection.builder(node, "x").options(options).build(new NoCandidate()))
                .withMessageContaining("must last at least");
    }

    @Test
    void aClientOfAStoreHasNoPeersAndNoTls() {
        assertRefused(() -> client(MEMORY).peer("a", "host:1").build(), "peers", "list no peers");
        TestCa authority = new TestCa("cell");
        TlsOptions tls = authority.tls(authority.certificate("a")).build();
        assertRefused(() -> client(MEMORY).tls(tls).build(), "tls", "the store's own means");
    }

    @Test
    void onlyAStoreHasSharedLeases() {
        try (InMemoryCell cell = InMemoryCell.of("a")) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> new SharedLeases(cell.node("a")))
                    .withMessageContaining("has no shared leases");
        }
    }
}
