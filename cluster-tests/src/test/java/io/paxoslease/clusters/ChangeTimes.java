package io.paxoslease.clusters;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;

/** What changes of a cell cost its callers: each beside the time before it. */
final class ChangeTimes {

    private static final double MILLI = 1e6;

    /** The time before a change, and the change. */
    private record Times(long before, long begin, long end) {}

    /**
     * Of one change, in ms.
     *
     * @param takes from its begin to its end
     * @param acquires granted in that time
     * @param before percentile 99 of an acquire before it
     * @param during the same in its time
     * @param longest acquire in its time
     * @param withoutLeader the longest time without one among the members
     * @param lost leases in its time
     */
    private record Cost(
            double takes, int acquires, double before, double during, double longest, double withoutLeader, int lost) {

        static Cost of(Times times, History history, Traffic traffic) {
            List<Long> before = traffic.waits(times.before(), times.begin());
            List<Long> during = traffic.waits(times.begin(), times.end());
            return new Cost(
                    (times.end() - times.begin()) / MILLI,
                    during.size(),
                    percentile(before),
                    percentile(during),
                    during.isEmpty() ? 0 : during.get(during.size() - 1) / MILLI,
                    Judge.judge(history.between(times.begin(), times.end())).longestGapNanos() / MILLI,
                    traffic.lossesBetween(times.begin(), times.end()).size());
        }

        private static double percentile(List<Long> sorted) {
            return sorted.isEmpty() ? 0 : sorted.get((int) (sorted.size() * 0.99)) / MILLI;
        }

        double ratio() {
            return during / before;
        }
    }

    private final int callers;
    private final Map<String, List<Times>> changes = new LinkedHashMap<>();

    ChangeTimes(int callers) {
        this.callers = callers;
    }

    void add(String what, long before, long begin, long end) {
        changes.computeIfAbsent(what, each -> new ArrayList<>()).add(new Times(before, begin, end));
    }

    /** The last change of each kind. */
    void printRun(History history, Traffic traffic) {
        changes.forEach((what, times) -> {
            Cost cost = Cost.of(times.get(times.size() - 1), history, traffic);
            System.out.printf(
                    Locale.ROOT,
                    "run %d, %s: takes %.0f ms, %,d acquires, p99 %.1f before and %.1f during (%.2f), longest %.0f,"
                            + " without leader %.0f, %d lost%n",
                    times.size(),
                    what,
                    cost.takes(),
                    cost.acquires(),
                    cost.before(),
                    cost.during(),
                    cost.ratio(),
                    cost.longest(),
                    cost.withoutLeader(),
                    cost.lost());
        });
        printSums(history, traffic);
    }

    /** Medians of the changes of each kind, and the worst one. */
    void print(History history, Traffic traffic) {
        System.out.printf("%nChanges over mutual TLS, lease time 2 s, %d callers, medians and worst, in ms%n", callers);
        System.out.printf(
                "%-20s %5s %15s %9s %17s %17s %13s %15s %15s %5s%n",
                "",
                "runs",
                "takes",
                "acquires",
                "p99 before",
                "p99 during",
                "ratio",
                "longest",
                "without leader",
                "lost");
        changes.forEach((what, times) -> {
            List<Cost> costs =
                    times.stream().map(each -> Cost.of(each, history, traffic)).toList();
            System.out.printf(
                    Locale.ROOT,
                    "%-20s %5d %15s %,9d %17s %17s %13s %15s %15s %5d%n",
                    what,
                    costs.size(),
                    spread(costs, "%.0f", Cost::takes),
                    costs.stream().mapToInt(Cost::acquires).sum(),
                    spread(costs, "%.1f", Cost::before),
                    spread(costs, "%.1f", Cost::during),
                    spread(costs, "%.2f", Cost::ratio),
                    spread(costs, "%.0f", Cost::longest),
                    spread(costs, "%.0f", Cost::withoutLeader),
                    costs.stream().mapToInt(Cost::lost).sum());
        });
        printSums(history, traffic);
        traffic.losses()
                .forEach(each -> System.out.printf(
                        "lost: %s at %s, %s, %s%n", each.resource(), each.node(), each.reason(), during(each.at())));
    }

    private String during(long at) {
        return changes.entrySet().stream()
                .flatMap(each -> each.getValue().stream()
                        .filter(times -> at >= times.begin() && at < times.end())
                        .map(times -> "%.0f ms after the begin of '%s'"
                                .formatted((at - times.begin()) / MILLI, each.getKey())))
                .findFirst()
                .orElse("while no member changed");
    }

    private static String spread(List<Cost> costs, String format, ToDoubleFunction<Cost> figure) {
        double[] sorted = costs.stream().mapToDouble(figure).sorted().toArray();
        return Stream.of(sorted[sorted.length / 2], sorted[sorted.length - 1])
                .map(each -> String.format(Locale.ROOT, format, each))
                .reduce("%s, %s"::formatted)
                .orElseThrow();
    }

    private static void printSums(History history, Traffic traffic) {
        System.out.printf(
                "%,d leases, %d calls without one, %d hand-overs, %d losses, %d stalls, %d overlaps or tokens out of order,"
                        + " load average %.1f%n%n",
                traffic.calls().size(),
                traffic.refused(0, Long.MAX_VALUE),
                history.handOvers(),
                traffic.losses().size(),
                history.holes().size(),
                history.violations().size() + traffic.violations().size(),
                ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage());
    }
}
