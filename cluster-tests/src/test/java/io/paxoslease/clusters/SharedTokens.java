package io.paxoslease.clusters;

import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** Tokens that do not tell two holders of one lease apart, whether they held it at once or not. */
final class SharedTokens {

    private SharedTokens() {}

    /** The holders, by the lease and the token that they share. */
    static Map<String, Set<String>> of(History history, Traffic traffic) {
        Map<String, Set<String>> holders = new TreeMap<>();
        history.leading().forEach(each -> add(holders, "leader " + each.token(), each.node()));
        traffic.calls().stream().filter(Traffic.Call::isGranted).forEach(each -> {
            String lease = "%s %d".formatted(each.name(), each.token());
            add(holders, lease, "%s since %d".formatted(each.node(), each.from()));
        });
        holders.values().removeIf(each -> each.size() == 1);
        return holders;
    }

    private static void add(Map<String, Set<String>> holders, String lease, String holder) {
        holders.computeIfAbsent(lease, each -> new TreeSet<>()).add(holder);
    }
}
