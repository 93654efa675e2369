package io.paxoslease.clusters;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * An orchestrator restarts the members one by one, and goes on as soon as the probe of the last one succeeds: no lease is lost, and a role
 * is handed over when its leader stops and at no other time. It starts them in the same way, so the first one is up without a majority.
 */
@Tag("cluster")
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class RollingRestartIT {

    private static final List<String> MEMBERS = List.of("a", "b", "c");

    private final Path directory;

    RollingRestartIT(@TempDir(cleanup = CleanupMode.ON_SUCCESS) Path directory) {
        this.directory = directory;
    }

    @ParameterizedTest(name = "{0} lease time, by {1}, {2} clients")
    @CsvSource({
        "2s,          health,           0",
        "2s,          health/readiness, 2",
    })
    void aRestartOneByOneThatWaitsForAProbeLosesNoLease(String leaseTime, String probe, int clients) {
        List<String> times = leaseTime.equals("the default")
                ? List.of()
                : List.of("--paxoslease.lease-time=" + leaseTime, "--paxoslease.max-lease-time=" + leaseTime);
        List<String> clientNames = List.of("x", "y").subList(0, clients);
        try (ProbedCell cell = new ProbedCell(directory, MEMBERS, clientNames, probe, times)) {
            MEMBERS.forEach(cell::start);
            clientNames.forEach(cell::start);
            cell.awaitLeader();
            int before = cell.history().handOvers();
            int stopsOfTheLeader = 0;

            for (String member : MEMBERS) {
                stopsOfTheLeader += cell.awaitLeader().equals(member) ? 1 : 0;
                cell.restart(member);
            }

            cell.awaitLeader();
            History history = cell.history();
            assertThat(cell.traffic().losses()).isEmpty();
            assertThat(history.violations()).isEmpty();
            assertThat(history.handOvers() - before).as("hand-overs").isEqualTo(stopsOfTheLeader);
        }
    }

    @ParameterizedTest(name = "{0} lease time, by {1}, {2} clients")
    @Tag("deep")
    @CsvSource({
        "the default, health/readiness, 0",
        "the default, health,           2",
    })
    void aRestartWithTheDefaultTimesLosesNoLease(String leaseTime, String probe, int clients) {
        aRestartOneByOneThatWaitsForAProbeLosesNoLease(leaseTime, probe, clients);
    }
}
