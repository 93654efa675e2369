package io.paxoslease.clusters;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Two instances that each believe to be alone: what is looked for everywhere else must be found here. */
@RequiresDocker
@Timeout(value = 8, unit = TimeUnit.MINUTES)
class MisconfigurationIT {

    @Test
    void twoLeadersAreNoticedThroughoutTheWholeChain() {
        try (Cell cell = new Cell(2, "--paxoslease.standalone=true").startApart()) {
            Wait.until("overlaps are found", () -> {
                History history = cell.history();
                return history.violations().stream().anyMatch(each -> each.startsWith("OVERLAP"))
                        && history.violations().stream().anyMatch(each -> each.startsWith("WORK OVERLAP"));
            });

            assertThat(cell.history().leading().stream().map(Tenure::node)).contains("n1", "n2");
        }
    }
}
