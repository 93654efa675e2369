package io.paxoslease.clusters;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.clusters.Fleet.Order;
import io.paxoslease.clusters.Fleet.Strategy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * An orchestrator replaces all instances of an application by SIGTERM, one by one and as fast as they start: leadership moves twice at most, in
 * a fleet that is older than a minute and in one that has just been replaced.
 */
@Tag("cluster")
@Timeout(value = 10, unit = TimeUnit.MINUTES)
@Isolated("it loads the machine")
class RollingUpdateIT {

    private final Path directory;

    RollingUpdateIT(@TempDir(cleanup = CleanupMode.ON_SUCCESS) Path directory) {
        this.directory = directory;
    }

    @Test
    @Tag("deep")
    void leadershipMovesTwiceAtMostInEachOfTwoUpdatesThatFollowEachOther() {
        try (Fleet fleet = new Fleet(directory).start()) {
            fleet.awaitAge(Fleet.PROVEN.plusSeconds(1));
            assertMovesTwiceAtMost(fleet, Strategy.SURGE, Order.OLDEST_FIRST);
            assertMovesTwiceAtMost(fleet, Strategy.SURGE_UNTIL_READY, Order.YOUNGEST_FIRST);
        }
    }

    /** The leader is among the first that stop: the update before has left the role to one of the youngest. */
    @ParameterizedTest
    @Tag("deep")
    @CsvSource({
        "SURGE, RANDOM, true",
        "SURGE, YOUNGEST_FIRST, false",
        "SURGE_UNTIL_READY, RANDOM, true",
        "STOP_THEN_START, OLDEST_FIRST, true",
        "STOP_THEN_START, YOUNGEST_FIRST, false",
        "STOP_THEN_START, RANDOM, true"
    })
    void leadershipMovesTwiceAtMost(Strategy strategy, Order order, boolean proven) {
        try (Fleet fleet = new Fleet(directory).start()) {
            assertMovesTwiceAtMost(fleet, Strategy.SURGE_UNTIL_READY, Order.OLDEST_FIRST);
            fleet.awaitAge(proven ? Fleet.PROVEN.plusSeconds(1) : Duration.ZERO);
            assertMovesTwiceAtMost(fleet, strategy, order);
        }
    }

    private static void assertMovesTwiceAtMost(Fleet fleet, Strategy strategy, Order order) {
        List<String> leaders = fleet.replaceAll(strategy, order);
        assertThat(leaders).as("leaders, %s, %s", strategy, order).hasSizeBetween(2, 3);
        assertThat(fleet.losses()).as("leases that were lost").isEmpty();
        assertThat(fleet.history().violations()).isEmpty();
    }
}
