package io.paxoslease.clusters;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.clusters.Cell.Leader;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Three instances that meet in a directory, which can only be read and written. No leader is paused here: a write that it had begun could
 * land late, and that form of storage promises nothing then.
 */
@RequiresDocker
@Timeout(value = 8, unit = TimeUnit.MINUTES)
class SharedDirectoryIT {

    /** What a machine that is busy with other things keeps, too: the form rests on it. */
    private static final String ACCESS_BOUND = "1s";

    /** The least for that, and some more. */
    private static final String LEASE = "12500ms";

    @Test
    void aKilledLeaderIsFollowedWhenItsLeaseIsOver() {
        try (Cell cell = new Cell(
                        3,
                        Setup.overStorage(
                                "--paxoslease.storage.directories=" + InstanceContainer.LEASES,
                                "--paxoslease.storage.access-bound=" + ACCESS_BOUND,
                                "--paxoslease.lease-time=" + LEASE,
                                "--paxoslease.max-lease-time=" + LEASE))
                .start()) {
            Leader leader = cell.awaitAgreement();
            leader.member().kill();
            Leader next = cell.awaitLeader(cell.without(leader.member()));
            leader.member().restart();

            assertThat(next.token()).isGreaterThan(leader.token());
            assertThat(cell.awaitAgreement().token()).isGreaterThanOrEqualTo(next.token());
            History history = cell.history();
            assertThat(history.violations()).isEmpty();
            assertThat(history.handOvers()).isPositive();
        }
    }
}
