package io.paxoslease.store;

import io.paxoslease.protocol.Printable;
import java.io.IOException;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Over a store that only reads, writes and lists: every stamp is a register of the store of its own, with the stamp in its name, which is
 * written once. The highest counts; those below it are deleted, by any client and at any time, and a write that lands late is one
 * of these.
 */
record MonotonicByName(Register store) implements MonotonicRegister {

    private static final int TRIES = 100;
    private static final String MARK = "~";
    private static final Pattern STAMP = Pattern.compile("[0-9a-f]{" + Stamped.DIGITS + "}");
    private static final int SUFFIX = MARK.length() + Stamped.DIGITS;
    /** In bytes: stamps take the rest of what a name in the store may have. */
    static final int LONGEST_NAME = 255 - SUFFIX;

    @Override
    public @Nullable Stamped read(String name) throws IOException {
        for (int i = 0; i < TRIES; i++) {
            List<String> written = written(name);
            if (written.isEmpty()) {
                return null;
            }
            String highest = written.get(written.size() - 1);
            byte[] found = store.read(highest);
            if (found != null) { // else another client has written a higher one, and cleaned up, in between
                return Stamped.decode(found, "'%s' in the %s".formatted(Printable.name(highest), store.describe()));
            }
        }
        throw new IOException("'%s' in the %s changes all the time".formatted(Printable.name(name), store.describe()));
    }

    @Override
    public void raise(String name, Stamped stamped) throws IOException {
        String own = name + MARK + stamped.digits();
        List<String> written = written(name);
        if (written.isEmpty() || written.get(written.size() - 1).compareTo(own) < 0) {
            store.write(own, stamped.encode());
            for (String lower : written) {
                store.delete(lower);
            }
        }
    }

    /** The registers of the store for that name, from the lowest stamp to the highest. */
    private List<String> written(String name) throws IOException {
        String prefix = name + MARK;
        return store.names(prefix).stream()
                .filter(found -> found.length() == name.length() + SUFFIX
                        && STAMP.matcher(found.substring(prefix.length())).matches())
                .sorted()
                .toList();
    }

    @Override
    public Collection<String> names(String prefix) throws IOException {
        Set<String> names = new LinkedHashSet<>();
        for (String found : store.names(prefix)) {
            int end = found.length() - SUFFIX;
            if (end >= prefix.length()
                    && found.startsWith(MARK, end)
                    && STAMP.matcher(found.substring(end + MARK.length())).matches()) {
                names.add(found.substring(0, end));
            }
        }
        return names;
    }
}
