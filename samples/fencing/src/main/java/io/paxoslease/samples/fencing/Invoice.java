package io.paxoslease.samples.fencing;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

/**
 * A row in the database.
 *
 * @param number is to be there once, and all smaller ones from one on as well
 * @param writtenBy the instance
 * @param token the fencing token of its leadership
 */
record Invoice(long number, String writtenBy, long token) {

    /** The numbers that are there more than once. */
    static Set<Long> twice(List<Invoice> invoices) {
        return invoices.stream()
                .collect(Collectors.groupingBy(Invoice::number, Collectors.counting()))
                .entrySet()
                .stream()
                .filter(each -> each.getValue() > 1)
                .map(Map.Entry::getKey)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** The numbers below the largest that are not there. */
    static Set<Long> missing(List<Invoice> invoices) {
        Set<Long> there = invoices.stream().map(Invoice::number).collect(Collectors.toSet());
        return LongStream.rangeClosed(1, last(invoices))
                .boxed()
                .filter(number -> !there.contains(number))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    static long last(List<Invoice> invoices) {
        return invoices.stream().mapToLong(Invoice::number).max().orElse(0);
    }
}
