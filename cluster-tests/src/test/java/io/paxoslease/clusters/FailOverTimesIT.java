package io.paxoslease.clusters;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.clusters.Cell.Leader;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;

/** Measures fail-over in a cell of three with a lease time of 2 s, and prints a table. {@code -Dcluster.runs=20} for figures. */
@RequiresDocker
@Timeout(value = 60, unit = TimeUnit.MINUTES)
@Isolated("it measures times")
class FailOverTimesIT {

    private static final int RUNS = Integer.getInteger("cluster.runs", 1);

    @Test
    void theNextLeaderComesWithinTheLeaseTimeAndSoonerAfterAStop() {
        try (Cell cell = new Cell(3).start()) {
            List<Leader> killed = new ArrayList<>();
            List<Leader> stopped = new ArrayList<>();
            for (int run = 0; run < RUNS; run++) {
                killed.add(end(cell, Member::kill));
                stopped.add(end(cell, Member::terminate));
            }

            History history = cell.history();
            Verdicts.print(history, killed, stopped);
            assertThat(history.violations()).isEmpty();
            assertThat(history.handOvers()).isGreaterThanOrEqualTo(2 * RUNS);
        }
    }

    private static Leader end(Cell cell, Consumer<Member> how) {
        Leader leader = cell.awaitAgreement();
        how.accept(leader.member());
        cell.awaitLeader(cell.without(leader.member()));
        leader.member().awaitEnd();
        leader.member().restart();
        return leader;
    }

    /** The table. */
    private static final class Verdicts {

        private Verdicts() {}

        static void print(History history, List<Leader> killed, List<Leader> stopped) {
            System.out.printf("%nFail-over of a cell of three, lease time 2 s, in ms%n");
            System.out.printf("%-48s %5s %8s %8s %8s%n", "", "runs", "min", "median", "max");
            row("SIGKILL to the next leader", killed.stream().map(each -> FailOver.afterKill(history, each)
                    .sinceSignal()));
            row("SIGTERM to the next leader", stopped.stream().map(each -> FailOver.afterStop(history, each)
                    .sinceSignal()));
            row("of that without a leader", stopped.stream().map(each -> FailOver.afterStop(history, each)
                    .withoutLeader()));
            System.out.printf(
                    "%d hand-overs, %d overlaps, judged over %,d tenures and %,d guarded calls%n%n",
                    history.handOvers(),
                    history.violations().size(),
                    history.leading().size(),
                    history.working().size());
        }

        private static void row(String what, Stream<Duration> times) {
            List<Long> sorted = times.map(Duration::toMillis).sorted().toList();
            System.out.printf(
                    "%-48s %5d %8d %8d %8d%n",
                    what, sorted.size(), sorted.get(0), sorted.get(sorted.size() / 2), sorted.get(sorted.size() - 1));
        }
    }
}
