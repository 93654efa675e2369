package io.paxoslease;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paxoslease.shards.ShardGroup;
import io.paxoslease.storage.StorageOptions;
import io.paxoslease.store.DirectoryRegister;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What only members that run PaxosLease tell of is refused where leases are in a store, with the reason. */
class PaxosLeaseOnlyTest {

    private static final Duration LEASE = Duration.ofSeconds(13);
    private static final AcquireOptions ASK_ONCE = AcquireOptions.fixed(LEASE);

    private final PaxosLease node;

    PaxosLeaseOnlyTest(@TempDir Path directory) {
        this.node = PaxosLease.create(PaxosLeaseOptions.builder("a")
                .algorithm(StorageOptions.builder(new DirectoryRegister(directory))
                        .accessBound(Duration.ofSeconds(1))
                        .build())
                .leaseTime(LEASE)
                .maxLeaseTime(LEASE)
                .build());
        node.start();
    }

    @AfterEach
    void stop() {
        node.stop();
    }

    @Test
    void notesAreRefused() throws InterruptedException {
        AcquireOptions noted = ASK_ONCE.toBuilder().note("x").build();
        assertThatThrownBy(() -> node.tryAcquire("x", noted))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'storage', which this node runs, has no notes on leases: leave the note out");
        Lease lease = node.tryAcquire("x", ASK_ONCE).orElseThrow();
        assertThatThrownBy(() -> lease.note("x")).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void watchesAreRefused() {
        assertThatThrownBy(() -> node.watch("role:", changes -> {}))
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("'storage'");
    }

    @Test
    void noOtherNodeIsNominated() throws InterruptedException {
        Lease lease = node.tryAcquire("x", ASK_ONCE).orElseThrow();
        assertThat(lease.nominate("b")).succeedsWithin(Duration.ofSeconds(10)).isEqualTo(Nomination.UNSUPPORTED);
        assertThatThrownBy(() -> node.admin().giveUp("x", "b"))
                .isInstanceOf(HandOverException.class)
                .hasMessageContaining("Give the lease up without naming a node");
        assertThat(lease.isHeld()).isTrue();
    }

    @Test
    void groupsOfShardsAreRefused() {
        assertThatThrownBy(() -> ShardGroup.builder(node, "invoices", 4).build())
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("node 'a' runs 'storage'")
                .hasMessageContaining("elect a leader");
    }
}
