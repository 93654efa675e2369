package io.paxoslease.samples.cluster;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Who votes: one generation of the cell's configuration.
 *
 * @param generation 1 in a cell that has not changed
 * @param now the names of the members
 * @param before the members of the generation before; empty of the first
 */
record Members(int generation, List<String> now, List<String> before) {

    /** What a cell starts with. */
    static Members first() {
        return new Members(1, Node.memberNames().subList(0, Node.MEMBERS), List.of());
    }

    /**
     * The generation after this one.
     *
     * @throws IllegalArgumentException saying what is wrong with the names
     */
    Members next(Collection<String> names) {
        List<String> wanted = new LinkedHashSet<>(names).stream().sorted().toList();
        if (wanted.isEmpty() || !Node.memberNames().containsAll(wanted)) {
            throw new IllegalArgumentException("name the new members, of " + text(Node.memberNames()));
        }
        if (wanted.equals(now)) {
            throw new IllegalArgumentException("the members are %s already".formatted(text(now)));
        }
        if (!isMajority(wanted, now)) {
            // Those that leave are gone after the change. When the others have been down all at once, a majority of
            // this list must be there.
            throw new IllegalArgumentException(
                    "keep a majority of %s: replace the others by one more change".formatted(text(now)));
        }
        return new Members(generation + 1, wanted, now);
    }

    /** Whether those of the names that are in the list are a majority of it. */
    static boolean isMajority(Collection<String> names, Collection<String> list) {
        return list.stream().filter(names::contains).count() > list.size() / 2;
    }

    /** Those who vote while the generation is not sealed. */
    Set<String> all() {
        Set<String> all = new LinkedHashSet<>(now);
        all.addAll(before);
        return all;
    }

    List<String> joining() {
        return without(now, before);
    }

    List<String> leaving() {
        return without(before, now);
    }

    private static List<String> without(List<String> some, List<String> others) {
        List<String> rest = new ArrayList<>(some);
        rest.removeAll(others);
        return rest;
    }

    static String text(Collection<String> names) {
        return String.join(", ", names);
    }
}
