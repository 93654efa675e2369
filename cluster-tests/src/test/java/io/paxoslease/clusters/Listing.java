package io.paxoslease.clusters;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What the file of an instance says of the cell: who votes and how long a lease may last, and both before a change.
 *
 * @param generation 1 is not written
 * @param members who votes
 * @param longest the longest lease
 * @param before what the file names as the list before; null: nothing
 */
record Listing(
        int generation,
        List<String> members,
        Duration longest,
        @Nullable Listing before) {

    Listing {
        members = List.copyOf(members);
    }

    /** Without a mark of a generation. */
    static Listing of(Collection<String> members, Duration longest) {
        return new Listing(1, List.copyOf(members), longest, null);
    }

    /** The marked change from this list to that one. */
    Listing changedTo(Collection<String> after) {
        return changedTo(after, longest);
    }

    /** The marked change from this list and longest lease to those. */
    Listing changedTo(Collection<String> after, Duration longestAfter) {
        return new Listing(
                generation + 1, List.copyOf(after), longestAfter, new Listing(generation, members, longest, null));
    }

    /** The same change under another number. */
    Listing numbered(int number) {
        return new Listing(number, members, longest, before);
    }

    /** Everyone who votes before or after. */
    List<String> everyone() {
        return Stream.concat(members.stream(), before == null ? Stream.empty() : before.members.stream())
                .distinct()
                .toList();
    }

    /** The longest lease before or after. */
    Duration longestOfBoth() {
        return before == null || before.longest.compareTo(longest) < 0 ? longest : before.longest;
    }

    /** @param address of a member, by its id */
    List<String> options(UnaryOperator<String> address) {
        List<String> options = new ArrayList<>();
        options.add("--paxoslease.max-lease-time=" + longest.toMillis() + "ms");
        members.forEach(each -> options.add("--paxoslease.peers.%s=%s".formatted(each, address.apply(each))));
        if (generation > 1) {
            options.add("--paxoslease.generation=" + generation);
        }
        if (before != null) {
            options.add("--paxoslease.previous-max-lease-time=" + before.longest.toMillis() + "ms");
            before.members.forEach(
                    each -> options.add("--paxoslease.previous-peers.%s=%s".formatted(each, address.apply(each))));
        }
        return options;
    }
}
