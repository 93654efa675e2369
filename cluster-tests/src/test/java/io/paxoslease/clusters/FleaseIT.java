package io.paxoslease.clusters;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.clusters.Cell.Leader;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.JsonNode;

/** Three instances over Flease: every one of them knows the leader, and none whose clock is wrong takes part. */
@RequiresDocker
@Timeout(value = 8, unit = TimeUnit.MINUTES)
class FleaseIT extends LostLeaderContract {

    private static final Duration FAR_OFF = Duration.ofSeconds(10);

    private static Cell cell;

    @BeforeAll
    static void startCell() {
        cell = new Cell(3, Setup.of("--paxoslease.algorithm=flease").withClocksThatCanBeSet()).start();
    }

    @AfterAll
    static void removeCell() {
        if (cell != null) {
            cell.close();
        }
    }

    @Override
    Cell cell() {
        return cell;
    }

    @Test
    void everyInstanceKnowsTheLeaderForCertain() {
        cell.awaitCertainty(leader);
    }

    /** Back, which is the dangerous direction: by such a clock the lease lasts for long yet. */
    @Test
    void aLeaderWhoseClockLeavesTheBoundTakesNoPartUntilItIsWithinAgain() {
        Member wrong = leader.member();
        Leader next;
        wrong.setClockAhead(FAR_OFF.negated());
        try {
            next = cell.awaitLeader(others);
            awaitRevoked();
            Wait.until("it takes no part, and says why", () -> isOutOfBounds(wrong.leases(), wrong.health()));
        } finally {
            wrong.setClockAhead(Duration.ZERO);
        }

        assertThat(next.token()).isGreaterThan(leader.token());
        assertThat(cell.awaitAgreement().token()).isGreaterThanOrEqualTo(next.token());
    }

    private static boolean isOutOfBounds(JsonNode leases, JsonNode health) {
        JsonNode node = leases.path("node");
        return node.path("state").asString("").equals("QUARANTINED")
                && node.path("quarantine").path("reason").asString("").equals("CLOCK_OUT_OF_BOUNDS")
                && health.path("status").asString("").equals("UNKNOWN")
                && health.path("details").path("clock").asString("").contains("clock bound");
    }
}
