package io.paxoslease.clusters;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * Members change, and go to another release and back, over TLS while 64 callers acquire and release leases and eleven roles are led. Prints a
 * table; {@code -Dcluster.runs=20} for figures, {@code -Dcluster.callers=8} for a machine that is not overloaded,
 * {@code -Dcluster.previous=JAR} for a release that exists.
 */
@RequiresDocker
@Tag("deep")
@Timeout(value = 120, unit = TimeUnit.MINUTES)
@Isolated("it loads the machine")
class ChangeUnderLoadIT {

    private static final int RUNS = Integer.getInteger("cluster.runs", 1);
    private static final int CALLERS = Integer.getInteger("cluster.callers", 64);
    private static final Duration BEFORE = Duration.ofSeconds(RUNS > 1 ? 10 : 3);

    private final ChangeTimes times = new ChangeTimes(CALLERS);

    private void measure(BusyCell busy, String what, Runnable change) {
        busy.awaitReady();
        long before = busy.now();
        Wait.until("a time without a change is over", () -> busy.now() - before > BEFORE.toNanos());
        long begin = busy.now();
        change.run();
        times.add(what, before, begin, busy.now());
    }

    @Test
    void membersChangeAndTwoNeverHaveOneLease() {
        try (BusyCell busy = new BusyCell(CALLERS, "n1", "n2", "n3")) {
            List<String> three = busy.names();
            for (int run = 1; run <= RUNS; run++) {
                List<String> members = three;
                List<String> five = with(members, "a" + run, "b" + run);
                measure(busy, "3 to 5 members", () -> busy.change(five));
                measure(busy, "5 to 3 members", () -> busy.change(members));
                List<String> replaced = with(members.subList(1, members.size()), "r" + run);
                measure(busy, "1 of 3 replaced", () -> busy.change(replaced));
                three = replaced;
                printRun(busy);
            }
            busy.awaitReady();
            judge(busy);
        }
    }

    @Test
    void theWireVersionChangesAndBackAndTwoNeverHaveOneLease() {
        try (BusyCell busy = new BusyCell(CALLERS, "n1", "n2", "n3")) {
            for (int run = 1; run <= RUNS; run++) {
                measure(busy, "3 to another release", () -> busy.roll(true));
                measure(busy, "3 back", () -> busy.roll(false));
                printRun(busy);
            }
            busy.awaitReady();
            judge(busy);
        }
    }

    private static List<String> with(List<String> members, String... more) {
        List<String> all = new ArrayList<>(members);
        all.addAll(List.of(more));
        return List.copyOf(all);
    }

    /** So that a long measurement that is ended has told what it measured. */
    private void printRun(BusyCell busy) {
        if (RUNS > 1) {
            Map<String, String> files = busy.cell.files();
            times.printRun(History.of(files), Traffic.of(files));
        }
    }

    /** Leases that are lost are printed and not judged: a machine that is busy enough can lose one. */
    private void judge(BusyCell busy) {
        Map<String, String> files = busy.cell.files();
        History history = History.of(files);
        Traffic traffic = Traffic.of(files);
        times.print(history, traffic);
        assertThat(history.violations()).isEmpty();
        assertThat(traffic.violations()).isEmpty();
        assertThat(traffic.roles()).hasSize(10);
        assertThat(traffic.calls()).anyMatch(Traffic.Call::isCertain);
    }
}
