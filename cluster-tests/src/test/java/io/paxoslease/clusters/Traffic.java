package io.paxoslease.clusters;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * What the witnesses of instances with callers and with many roles wrote down, beside the {@link History} of the one role.
 *
 * @param calls each lease that a caller asked for
 * @param losses each lease that ended without having been released, but those that end with their instance
 * @param roles who certainly led each role
 */
record Traffic(List<Call> calls, List<Loss> losses, Map<String, List<Tenure>> roles) {

    /**
     * A caller asked for a lease.
     *
     * @param token zero: it was not granted within ten seconds
     * @param asked when
     * @param from since when it was held for certain, if it was; the time of the first look
     * @param to the time before the last look that found it held
     * @param held whether it was, until it was released
     */
    record Call(String node, String name, long token, long asked, long from, long to, boolean held) {

        boolean isGranted() {
            return token > 0;
        }

        /**
         * Whether it was found held twice. What was found once, or not at all, may have been over before {@link #from}: an instance that is
         * paused between the answer and the first look reads the clock when it goes on.
         */
        boolean isCertain() {
            return isGranted() && to > from;
        }
    }

    record Loss(String node, String resource, String reason, long at) {}

    private static final String CALLS = ".calls";
    private static final String LOSSES = ".losses";
    private static final String ROLE = ".role";

    /** @param files by name, what is in the witnesses' directory */
    static Traffic of(Map<String, String> files) {
        List<Call> calls = new ArrayList<>();
        List<Loss> losses = new ArrayList<>();
        Map<String, List<Tenure>> roles = new HashMap<>();
        files.forEach((name, text) -> {
            Stream<String[]> lines = History.words(text);
            if (name.endsWith(CALLS)) {
                String node = name.substring(0, name.length() - CALLS.length());
                lines.forEach(each -> calls.add(new Call(
                        node,
                        each[0],
                        number(each[1]),
                        number(each[2]),
                        number(each[3]),
                        number(each[4]),
                        Boolean.parseBoolean(each[5]))));
            } else if (name.endsWith(LOSSES)) {
                String node = name.substring(0, name.length() - LOSSES.length());
                lines.filter(each -> !each[2].equals("STOPPED"))
                        .forEach(each -> losses.add(new Loss(node, each[1], each[2], number(each[3]))));
            } else if (name.endsWith(ROLE)) {
                String role = name.substring(0, name.indexOf('@'));
                String node = name.substring(name.indexOf('@') + 1, name.lastIndexOf('-'));
                List<Tenure> leading = roles.computeIfAbsent(role, each -> new ArrayList<>());
                lines.filter(each -> each[0].equals("leads") && number(each[3]) >= number(each[2]))
                        .forEach(each ->
                                leading.add(new Tenure(node, number(each[1]), number(each[2]), number(each[3]))));
            }
        });
        calls.sort(Comparator.comparingLong(Call::asked));
        return new Traffic(List.copyOf(calls), List.copyOf(losses), Map.copyOf(roles));
    }

    private static long number(String word) {
        return Long.parseLong(word);
    }

    /** Leases that two had at once, and tokens that did not grow. */
    List<String> violations() {
        List<String> all = new ArrayList<>();
        Map<String, List<Call>> byName = new LinkedHashMap<>();
        calls.stream()
                .filter(Call::isCertain)
                .sorted(Comparator.comparingLong(Call::from))
                .forEach(each -> byName.computeIfAbsent(each.name(), name -> new ArrayList<>())
                        .add(each));
        byName.values().forEach(each -> all.addAll(violations(each)));
        roles.forEach((role, tenures) ->
                Judge.judge(tenures).violations().forEach(each -> all.add("ROLE %s: %s".formatted(role, each))));
        return all;
    }

    /** Every call has a lease of its own, so it suffices to compare with the one that ended last and the one with the highest token. */
    private static List<String> violations(List<Call> ofOneName) {
        List<String> all = new ArrayList<>();
        Call last = ofOneName.get(0);
        Call highest = last;
        for (Call each : ofOneName.subList(1, ofOneName.size())) {
            if (each.from() <= last.to()) {
                all.add("CALL OVERLAP: %s and %s".formatted(last, each));
            }
            if (each.token() <= highest.token()) {
                all.add("CALL TOKEN does not grow: %s and then %s".formatted(highest, each));
            }
            last = each.to() > last.to() ? each : last;
            highest = each.token() > highest.token() ? each : highest;
        }
        return all;
    }

    /** Leases that callers asked for between the two times, and got. */
    List<Long> waits(long from, long to) {
        return calls.stream()
                .filter(each -> each.isGranted() && each.asked() >= from && each.asked() < to)
                .map(each -> each.from() - each.asked())
                .sorted()
                .toList();
    }

    /** Calls between the two times that got no lease. */
    long refused(long from, long to) {
        return calls.stream()
                .filter(each -> !each.isGranted() && each.asked() >= from && each.asked() < to)
                .count();
    }

    List<Loss> lossesBetween(long from, long to) {
        return losses.stream()
                .filter(each -> each.at() >= from && each.at() < to)
                .toList();
    }
}
