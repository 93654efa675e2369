package io.paxoslease.store;

import java.io.IOException;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Every version is a register of the store, whose name ends with the version's id. */
record VersionsByName(Register store) implements Versions {

    private static final String MARK = "~";
    private static final int SUFFIX = MARK.length() + MonotonicByName.ID_LENGTH;
    /** In bytes: ids take the rest of what a name in the store may have. */
    static final int LONGEST_NAME = 255 - SUFFIX;

    @Override
    public List<String> ids(String name) throws IOException {
        int begin = name.length() + MARK.length();
        return store.names(name + MARK).stream()
                .map(found -> found.substring(begin))
                .toList();
    }

    @Override
    public byte @Nullable [] read(String name, String id) throws IOException {
        return store.read(name + MARK + id);
    }

    @Override
    public void write(String name, String id, byte[] bytes) throws IOException {
        store.write(name + MARK + id, bytes);
    }

    @Override
    public void delete(String name, String id) throws IOException {
        store.delete(name + MARK + id);
    }

    @Override
    public Collection<String> names(String prefix) throws IOException {
        Set<String> names = new LinkedHashSet<>();
        for (String found : store.names(prefix)) {
            int end = found.length() - SUFFIX;
            if (end >= prefix.length()
                    && found.startsWith(MARK, end)
                    && MonotonicByName.isId(found.substring(end + MARK.length()))) {
                names.add(found.substring(0, end));
            }
        }
        return names;
    }

    @Override
    public int longestName() {
        return LONGEST_NAME;
    }
}
