package io.paxoslease.shards;

import io.paxoslease.protocol.Printable;
import java.util.regex.Pattern;

/** The names of a group, and of its leases. */
final class ShardNames {

    /** The log of all that belongs to a group is that of the class that users know. */
    static final String LOGGER = "io.paxoslease.shards.ShardGroup";

    private static final Pattern GROUP = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,63}");

    private static final Pattern INDEX = Pattern.compile("0|[1-9]\\d{0,3}");

    private ShardNames() {}

    /**
     * The name of a group, which is part of the names of leases, threads and meters.
     *
     * @throws IllegalArgumentException when it is not a valid one
     */
    static String check(String group) {
        if (!GROUP.matcher(group).matches()) {
            throw new IllegalArgumentException(
                    "A group's name has 1 to 64 letters, digits, dots, hyphens and underscores, and begins with a letter or digit: '%s' is none"
                            .formatted(Printable.name(group)));
        }
        return group;
    }

    /** What the names of the leases of its shards begin with; the index follows. */
    static String shards(String group) {
        return "shard:" + group + "/";
    }

    /** The name of the lease of a shard (S1). */
    static String shard(String group, int index) {
        return shards(group) + index;
    }

    /** The index of the shard that the lease of that name belongs to; minus one if it is none of this group's. */
    static int index(String group, int count, String resource) {
        String prefix = shards(group);
        if (!resource.startsWith(prefix)
                || !INDEX.matcher(resource.substring(prefix.length())).matches()) {
            return -1;
        }
        int index = Integer.parseInt(resource.substring(prefix.length()));
        return index < count ? index : -1;
    }

    /** What the names of the leases of its participants begin with; the node id follows (S2). */
    static String participants(String group) {
        return "shards:" + group + "/";
    }
}
