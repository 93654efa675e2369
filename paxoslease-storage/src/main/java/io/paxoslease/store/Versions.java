package io.paxoslease.store;

import java.io.IOException;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/**
 * The registers of a store as sets of versions. A version is written once, under an id of its own. A listing is not atomic: it contains every
 * version that exists during the whole call. Of a version that is written or deleted during the call, it contains either.
 */
interface Versions {

    /** The ids of the versions of that register, and maybe other names; in no order. */
    Collection<String> ids(String name) throws IOException;

    /** What that version holds; null when it does not exist. Atomic, unlike a listing. */
    byte @Nullable [] read(String name, String id) throws IOException;

    /** Writes a version. It is durable when this returns. */
    void write(String name, String id, byte[] bytes) throws IOException;

    void delete(String name, String id) throws IOException;

    /** The registers whose names begin with the prefix. A register with {@link MonotonicByName#MARKER} is among them. */
    Collection<String> names(String prefix) throws IOException;

    /** In bytes of UTF-8. */
    int longestName();
}
