package io.paxoslease.protocol.watch;

import java.util.List;

/** Which leases can be watched: those of roles and of shards. Locks cannot: there may be millions of them, and each changes often. */
public final class WatchPrefix {

    private static final List<String> WATCHED = List.of("role:", "shard:", "shards:");

    private WatchPrefix() {}

    /** Whether leases with that name, or whose names begin with that, can be watched. */
    public static boolean isWatched(String name) {
        for (String prefix : WATCHED) {
            if (name.startsWith(prefix)) {
                return true;
            }
        }
        return false;
    }

    /** What names must begin with, for people. */
    public static List<String> all() {
        return WATCHED;
    }
}
