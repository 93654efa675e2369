package io.paxoslease.store;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One call of a client as it is replayed: what was answered so far is answered again, and the step after that is the one that comes next. A
 * listing has two steps, its begin and its end. A set of versions is a number with a bit for each.
 */
final class ListedVersions implements Versions {

    enum Kind {
        LIST_BEGINS,
        LIST_ENDS,
        READ,
        WRITE,
        DELETE
    }

    /** Ends a replay. */
    static final class NextStep extends RuntimeException {

        private static final long serialVersionUID = 1;

        final Kind kind;
        final int versions;

        NextStep(Kind kind, int versions) {
            super(null, null, false, false);
            this.kind = kind;
            this.versions = versions;
        }
    }

    private final List<String> known;
    private final String answers;
    private int next;

    /**
     * @param known the ids of all versions so far, in the order of their bits; new ones are added
     * @param answers the versions that each step has answered, a character each
     */
    ListedVersions(List<String> known, String answers) {
        this.known = known;
        this.answers = answers;
    }

    private int step(Kind kind, int versions) {
        if (next == answers.length()) {
            throw new NextStep(kind, versions);
        }
        return answers.charAt(next++);
    }

    private int version(String id) {
        if (!known.contains(id)) {
            known.add(id);
        }
        return 1 << known.indexOf(id);
    }

    @Override
    public Collection<String> ids(String name) {
        step(Kind.LIST_BEGINS, 0);
        int listed = step(Kind.LIST_ENDS, 0);
        List<String> ids = new ArrayList<>();
        for (int i = 0; i < known.size(); i++) {
            if ((listed >> i & 1) == 1) {
                ids.add(known.get(i));
            }
        }
        return ids;
    }

    @Override
    public byte @Nullable [] read(String name, String id) {
        return step(Kind.READ, version(id)) == 0 ? null : new Stamped(count(id), 0, 0, new byte[0]).encode();
    }

    /** Stamps differ by their counts here. */
    private static long count(String id) {
        return Long.parseUnsignedLong(id.substring(0, Stamped.DIGITS_OF_NUMBER), 32);
    }

    @Override
    public void write(String name, String id, byte[] bytes) {
        step(Kind.WRITE, version(id));
    }

    @Override
    public void delete(String name, String id) {
        step(Kind.DELETE, version(id));
    }

    @Override
    public Collection<String> names(String prefix) {
        return ids(prefix).isEmpty() ? List.of() : List.of(prefix);
    }

    @Override
    public int longestName() {
        return 1;
    }
}
