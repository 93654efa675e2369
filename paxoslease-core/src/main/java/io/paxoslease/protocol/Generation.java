package io.paxoslease.protocol;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One configuration of a cell that can follow another while the cell serves (section 9). Two nodes that run one generation number must
 * have the same content (R6). Immutable.
 *
 * @param number from 1 on
 * @param current who votes once this generation is sealed
 * @param previous who voted before; null: this generation is sealed from the start, as the first one is
 */
public record Generation(
        int number, MemberList current, @Nullable MemberList previous) {

    public Generation {
        if (number < 1 || (number == 1 && previous != null)) {
            throw new IllegalArgumentException("Generations count from 1, and the first one follows none");
        }
    }

    /** Of a cell that has never changed. */
    public static Generation first(MemberList members) {
        return new Generation(1, members, null);
    }

    /** R5: whether that one is the change that comes after this one: it names these members and settings as those before. */
    public boolean isFollowedBy(Generation next) {
        return next.number == number + 1 && current.equals(next.previous);
    }

    /** Everyone who votes before or after the seal: the members of this list, then those of the previous list only. */
    public List<NodeId> everyone() {
        MemberList before = previous;
        return before == null
                ? current.members()
                : Stream.concat(current.members().stream(), before.members().stream())
                        .distinct()
                        .toList();
    }

    /**
     * R5, R6: what requests of this generation name beside its number, so that an acceptor takes none of another content, and none of what does
     * not follow its own: above, {@link #listHash} of the list before it, and below one of all that is said here. Zero for the first generation:
     * its requests name none.
     */
    public long content() {
        if (number == 1) {
            return 0;
        }
        StringBuilder text = new StringBuilder().append(number);
        append(text, current);
        MemberList before = previous;
        if (before != null) {
            append(text, before);
        }
        long above = before == null ? 0 : hash(before);
        return above << Integer.SIZE | Integer.toUnsignedLong(hash(text));
    }

    /** A hash of this list and its settings, which the {@link #content} of a generation that follows has in its upper half. */
    public int listHash() {
        return hash(current);
    }

    private static int hash(MemberList list) {
        StringBuilder text = new StringBuilder();
        append(text, list);
        return hash(text);
    }

    /** FNV-1a, 32 bits. */
    private static int hash(StringBuilder text) {
        int hash = 0x811C9DC5;
        for (byte each : text.toString().getBytes(StandardCharsets.UTF_8)) {
            hash = (hash ^ (each & 0xFF)) * 0x01000193;
        }
        return hash;
    }

    private static void append(StringBuilder text, MemberList list) {
        text.append("\nmembers=").append(list.members().size());
        list.members().forEach(member -> text.append('\n').append(member.name()));
        text.append("\nmax-lease-time=").append(list.maxLeaseTime().toNanos());
        text.append("\nclock-drift=").append(Double.doubleToLongBits(list.clockDrift()));
    }

    /** The acceptors that decide: of both lists until the seal (R1 to R4), of the current one afterwards. */
    public Quorum quorum(boolean sealed) {
        MemberList before = previous;
        return before == null || sealed
                ? Quorum.ofList(number, content(), current.members())
                : Quorum.joint(number, content(), before.members(), current.members());
    }

    /**
     * The time rules: until the seal the shorter of both longest leases is granted, the longer of both quarantines is kept, and clocks are
     * bounded by the wider bound.
     */
    public Timing timing(boolean sealed) {
        MemberList before = previous;
        return before == null || sealed ? current.timing() : Timing.ofBoth(before.timing(), current.timing());
    }

    /** The longest lease of both lists: what a request may ask for. */
    public long longestLeaseNanos() {
        long now = current.maxLeaseTime().toNanos();
        MemberList before = previous;
        return before == null ? now : Math.max(now, before.maxLeaseTime().toNanos());
    }
}
