package io.paxoslease.clusters;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Says whether a history keeps the promise: one leader at a time, and fencing tokens that grow. Knows nothing of cells. */
final class Judge {

    /**
     * What came out.
     *
     * @param handOvers how often one leadership followed another
     * @param longestGapNanos the longest time between two leaderships, of which nobody certainly led
     * @param violations what was wrong, in words; empty when the promise was kept
     */
    record Verdict(int handOvers, long longestGapNanos, List<String> violations) {}

    private final Map<String, Tenure> latest = new LinkedHashMap<>();
    private final List<String> violations = new ArrayList<>();
    private long longestGap;

    private Judge() {}

    /** @param tenures in any order; those of one leadership may be in several pieces */
    static Verdict judge(List<Tenure> tenures) {
        Judge judge = new Judge();
        tenures.stream().sorted(Comparator.comparingLong(Tenure::from)).forEach(judge::next);
        return new Verdict(Math.max(0, judge.latest.size() - 1), judge.longestGap, List.copyOf(judge.violations));
    }

    private void next(Tenure tenure) {
        String leadership = tenure.node() + " " + tenure.token();
        long ended = Long.MIN_VALUE;
        for (Tenure earlier : latest.values()) {
            if (!earlier.sameLeadership(tenure)) {
                compare(earlier, tenure);
            }
            ended = Math.max(ended, earlier.to());
        }
        if (!latest.containsKey(leadership) && !latest.isEmpty()) {
            longestGap = Math.max(longestGap, tenure.from() - ended);
        }
        latest.merge(leadership, tenure, (a, b) -> a.to() > b.to() ? a : b);
    }

    private void compare(Tenure earlier, Tenure later) {
        if (later.from() <= earlier.to()) {
            violations.add("OVERLAP of %,d ns: %s and %s"
                    .formatted(Math.min(earlier.to(), later.to()) - later.from(), earlier, later));
        }
        if (later.token() <= earlier.token()) {
            violations.add("TOKEN does not grow: %s and then %s".formatted(earlier, later));
        }
    }
}
