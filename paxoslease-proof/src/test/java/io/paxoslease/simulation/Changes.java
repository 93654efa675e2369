package io.paxoslease.simulation;

import io.paxoslease.protocol.Generation;
import io.paxoslease.protocol.MemberList;
import java.util.List;
import java.util.Set;

/**
 * How the members of a cell change in a run. Which node is given which file, and when, is a {@link Fault.Deploy}.
 *
 * @param kind what is tried
 * @param files the configurations that nodes are started with; the cell begins with the first
 * @param clients from which node on nodes are clients
 * @param firstNewcomer from which node on members are not running at the beginning
 * @param last which file everybody is given in the end
 * @param live there is a store of the members: members that run move to what it has, and one that starts runs that
 * @param storeless which nodes run without the store
 * @param calm nothing goes wrong, and each node holds a lease of its own, so that none may be lost
 */
record Changes(
        Kind kind,
        List<Generation> files,
        int clients,
        int firstNewcomer,
        int last,
        boolean live,
        Set<Integer> storeless,
        boolean calm) {

    /** What is tried. */
    enum Kind {
        /** One rolling restart, as documented or in any order and haste; some of it may be undone. */
        ONE_CHANGE,
        /** A second change follows when the first one is sealed. */
        TWO_CHANGES,
        /** Nodes are given two contents of one generation, and each keeps its own. */
        TWO_CONTENTS,
        /** The same, and files are corrected. */
        CORRECTED_CONTENTS,
        /** The second change begins before the first one is sealed. */
        HASTY_CHANGES,
        /** Some files have the new list without the marks of a change. */
        UNMARKED;

        /**
         * Whether rules R1 to R8 alone keep the promise. If not, the guard keeps it, as far as nodes reach each other: then no link is cut,
         * and no process stands still.
         */
        boolean isByGenerations() {
            return compareTo(TWO_CONTENTS) <= 0;
        }
    }

    Generation lastFile() {
        return files.get(last);
    }

    String describe() {
        StringBuilder text = new StringBuilder("  ")
                .append(kind)
                .append(live ? ", live" : "")
                .append(calm ? ", calm" : "");
        text.append(storeless.isEmpty() ? "" : " but for nodes " + storeless).append(", files:\n");
        for (int file = 0; file < files.size(); file++) {
            Generation generation = files.get(file);
            text.append("    ").append(file).append(": generation ").append(generation.number());
            text.append(' ').append(describe(generation.current()));
            MemberList before = generation.previous();
            text.append(before == null ? "" : " after " + describe(before));
            text.append(file == last ? ", the last\n" : "\n");
        }
        return text.toString();
    }

    private static String describe(MemberList list) {
        return list.members() + " M " + list.maxLeaseTime().toMillis() + " ms rho " + list.clockDrift();
    }
}
