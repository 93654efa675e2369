package io.paxoslease.samples.shards;

import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

/**
 * What became of the orders.
 *
 * @param orders how many there are, numbered from one on
 * @param missing those that were not shipped
 * @param twice those that were shipped more than once
 */
record Audit(long orders, Set<Long> missing, Set<Long> twice) {

    private static final int SHOWN = 20;

    /** @param shipped the number of the order of each shipment */
    static Audit of(long orders, Collection<Long> shipped) {
        Map<Long, Long> shipments =
                shipped.stream().collect(Collectors.groupingBy(each -> each, TreeMap::new, Collectors.counting()));
        Set<Long> missing = LongStream.rangeClosed(1, orders)
                .filter(order -> !shipments.containsKey(order))
                .boxed()
                .collect(Collectors.toCollection(TreeSet::new));
        shipments.values().removeIf(times -> times == 1);
        return new Audit(orders, missing, shipments.keySet());
    }

    boolean isClean() {
        return missing.isEmpty() && twice.isEmpty();
    }

    @Override
    public String toString() {
        return "Orders 1 to %d: missing %s, twice %s.".formatted(orders, list(missing), list(twice));
    }

    private static String list(Set<Long> numbers) {
        if (numbers.isEmpty()) {
            return "none";
        }
        String first = numbers.stream().limit(SHOWN).map(String::valueOf).collect(Collectors.joining(", "));
        return numbers.size() <= SHOWN ? first : first + " and %d more".formatted(numbers.size() - SHOWN);
    }
}
