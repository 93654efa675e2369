package io.paxoslease.clusters;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Members change, and are upgraded and back, over TLS while 64 callers acquire and release leases and eleven roles are led. Prints a
 * table; {@code -Dcluster.runs=20} for figures, {@code -Dcluster.previous=JAR} for an upgrade from another release.
 */
@RequiresDocker
@Timeout(value = 120, unit = TimeUnit.MINUTES)
class ChangeUnderLoadIT {

    private static final int RUNS = Integer.getInteger("cluster.runs", 1);
    private static final int CALLERS = 64;
    private static final Duration BEFORE = Duration.ofSeconds(RUNS > 1 ? 10 : 3);

    /** The time before a change, and the change. */
    private record Times(long before, long begin, long end) {}

    private final Map<String, List<Times>> changes = new LinkedHashMap<>();

    private void measure(BusyCell busy, String what, Runnable change) {
        busy.awaitReady();
        long before = busy.now();
        Wait.until("a time without a change is over", () -> busy.now() - before > BEFORE.toNanos());
        long begin = busy.now();
        change.run();
        changes.computeIfAbsent(what, each -> new ArrayList<>()).add(new Times(before, begin, busy.now()));
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
            }
            busy.awaitReady();
            judge(busy);
        }
    }

    @Test
    void theWireVersionIsUpgradedAndBackAndTwoNeverHaveOneLease() {
        try (BusyCell busy = new BusyCell(CALLERS, "n1", "n2", "n3")) {
            for (int run = 1; run <= RUNS; run++) {
                measure(busy, "3 members back", () -> busy.roll(false));
                if (run == 1) {
                    busy.changeTooEarly("early", "upgrade the node of the older release first");
                }
                measure(busy, "3 members upgraded", () -> busy.roll(true));
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

    /** Leases that are lost are printed and not judged: a machine that is busy enough can lose one. */
    private void judge(BusyCell busy) {
        Map<String, String> files = busy.cell.files();
        History history = History.of(files);
        Traffic traffic = Traffic.of(files);
        print(history, traffic);
        assertThat(history.violations()).isEmpty();
        assertThat(traffic.violations()).isEmpty();
        assertThat(traffic.roles()).hasSize(10);
        assertThat(traffic.calls()).anyMatch(Traffic.Call::isGranted);
    }

    private void print(History history, Traffic traffic) {
        System.out.printf("%nChanges over mutual TLS, lease time 2 s, %d callers, times in ms%n", CALLERS);
        System.out.printf(
                "%-20s %5s %9s %9s %12s %12s %8s %8s %6s%n",
                "", "runs", "takes", "acquires", "p99 before", "p99 during", "max", "leader-", "lost");
        changes.forEach((what, times) -> {
            List<Long> before = times.stream()
                    .flatMap(each -> traffic.waits(each.before(), each.begin()).stream())
                    .sorted()
                    .toList();
            List<Long> during = times.stream()
                    .flatMap(each -> traffic.waits(each.begin(), each.end()).stream())
                    .sorted()
                    .toList();
            System.out.printf(
                    Locale.ROOT,
                    "%-20s %5d %9d %,9d %12.1f %12.1f %8d %8d %6d%n",
                    what,
                    times.size(),
                    median(times.stream().map(each -> each.end() - each.begin()).toList()) / 1_000_000,
                    during.size(),
                    percentile(before) / 1e6,
                    percentile(during) / 1e6,
                    during.isEmpty() ? 0 : during.get(during.size() - 1) / 1_000_000,
                    times.stream()
                                    .mapToLong(each -> longestGap(history, each))
                                    .max()
                                    .orElse(0)
                            / 1_000_000,
                    times.stream()
                            .mapToInt(each -> traffic.lossesBetween(each.begin(), each.end())
                                    .size())
                            .sum());
        });
        System.out.printf(
                "%,d leases, %d calls without one, %d hand-overs, %d losses, %d stalls, %d overlaps or tokens out of order%n%n",
                traffic.calls().size(),
                traffic.refused(0, Long.MAX_VALUE),
                history.handOvers(),
                traffic.losses().size(),
                history.holes().size(),
                history.violations().size() + traffic.violations().size());
    }

    private static long longestGap(History history, Times times) {
        return Judge.judge(history.between(times.begin(), times.end())).longestGapNanos();
    }

    private static long percentile(List<Long> sorted) {
        return sorted.isEmpty() ? 0 : sorted.get((int) (sorted.size() * 0.99));
    }

    private static long median(List<Long> times) {
        return times.stream().sorted().toList().get(times.size() / 2);
    }
}
