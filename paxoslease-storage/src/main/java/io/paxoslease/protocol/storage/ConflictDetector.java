package io.paxoslease.protocol.storage;

import io.paxoslease.protocol.Effect.Denial;
import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Printable;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What stamps tell of other clients that must not be there: one under this node's id, one that is set up otherwise. A stamp that
 * stands in a register may be of a client that is gone: one that has come since a look of some seconds ago is of one that is alive.
 */
final class ConflictDetector {

    /** How long a client counts as alive after it has written: then this client contends again, and looks. */
    private static final long ALIVE_NANOS = 10_000_000_000L;

    private static final double NANOS_OF_A_SECOND = 1e9;

    private final NodeId self;
    private final StorageRules rules;
    private final Trouble duplicate;
    private final Trouble incompatible;
    private final Trouble restored;
    private final OnceAMinute older = new OnceAMinute();
    private Moment bornAt;
    private long conflicts;

    ConflictDetector(NodeId self, StorageRules rules, Moment bornAt) {
        this.self = self;
        this.rules = rules;
        this.bornAt = bornAt;
        this.duplicate = new Trouble(Denial.DUPLICATE, ALIVE_NANOS);
        this.incompatible = new Trouble(Denial.INCOMPATIBLE, ALIVE_NANOS);
        this.restored = new Trouble(Denial.RESTORED, rules.longestPatienceNanos());
    }

    /** What this client wrote before is an earlier life's from now on. */
    void startOver(Moment now) {
        bornAt = now;
    }

    /**
     * Takes in what a register has.
     *
     * @param before when this client looked last; null when the register has not changed since, or this is the first look
     * @return what to tell people
     */
    List<String> notice(@Nullable Stamp stamp, @Nullable Moment before, Incarnation own, String resource, Moment now) {
        // A write of an earlier life that has just died may have its effect yet.
        boolean alive = stamp != null
                && !stamp.incarnation().equals(own)
                && before != null
                && before.nanosUntil(now) <= ALIVE_NANOS
                && !before.isBefore(bornAt.plusNanos(2 * rules.boundNanos()));
        if (stamp == null || !alive) {
            return List.of();
        }
        // An earlier life that ends says so by a release. Exclusion does not rest on ids; people who look for a holder,
        // and logs, do.
        boolean same = stamp.owner().equals(self) && !stamp.isReleased();
        boolean otherwise = !rules.agreeWith(stamp);
        conflicts += same || otherwise ? 1 : 0;
        String one = !same
                ? null
                : duplicate.seen(
                        "Another client with the node id '%s' is alive: it writes to the register of lease '%s'. Give every client an id of its own, and restart this one"
                                .formatted(self, Printable.name(resource)),
                        now);
        String two = !otherwise
                ? null
                : incompatible.seen(
                        "Client '%s' is alive, and is set up otherwise: it writes to the register of lease '%s' by %s with an access bound of %s, this client by %s with %s. Two may hold one lease: stop all clients, and start them with one write mode and one access bound (writeMode, accessBound)"
                                .formatted(
                                        stamp.owner(),
                                        Printable.name(resource),
                                        StampCodec.form(stamp.compares()),
                                        Duration.ofNanos(stamp.accessNanos()),
                                        StampCodec.form(rules.compares()),
                                        Duration.ofNanos(rules.accessNanos())),
                        now);
        return Stream.of(one, two).filter(Objects::nonNull).toList();
    }

    /**
     * The store shows less than it did: a backup was put back, or a server that had not been told everything took over. Leases may be held by what is
     * lost, and looked free to clients that do not know that. See {@link Suspension}.
     *
     * @param found null: the register is empty
     * @return what to tell people; null: they have just been told
     */
    @Nullable
    String lostWrites(String resource, @Nullable Stamp found, long before, Moment now) {
        return restored.seen(
                "The register of lease '%s' %s, and had number %d before: the store has lost writes. Two clients may hold one lease. This client acquires none of this store for %.1f s, until all that may be held is over. After a restore stop all clients, wait that long, and start them with tokensAbove set to the highest token that was granted, or more"
                        .formatted(
                                resource,
                                found == null ? "is empty" : "has " + number(found),
                                before,
                                rules.longestPatienceNanos() / NANOS_OF_A_SECOND),
                now);
    }

    /** The same of one register alone, which is not acquired until all that may hold it is over; a write may have landed far too late. */
    @Nullable
    String olderStamp(String resource, Stamp found, long before, Moment now) {
        return older.isDue(now)
                ? "The register of lease '%s' has %s, and had number %d before: a write has landed far too late, or the store has lost writes. Two clients may hold the lease. This client does not acquire it for %.1f s, until all that may be held is over. Find out why accesses take longer than the access bound of %s (accessBound); after a restore, stop all clients first"
                        .formatted(
                                resource,
                                number(found),
                                before,
                                rules.longestPatienceNanos() / NANOS_OF_A_SECOND,
                                Duration.ofNanos(rules.accessNanos()))
                : null;
    }

    private static String number(Stamp found) {
        return "number %d, by '%s'".formatted(found.sequence(), found.owner());
    }

    /** How often such a stamp has been seen. */
    long count() {
        return conflicts;
    }

    /** Why requests are denied at present; null when they are not. */
    @Nullable
    Denial denial(Moment now) {
        Trouble trouble = trouble(now);
        return trouble == null || trouble == restored ? null : trouble.denial;
    }

    /** Why this client contends for nothing at present, in words; null when it does. */
    @Nullable
    String problem(Moment now) {
        Trouble trouble = trouble(now);
        return trouble == null ? null : trouble.words;
    }

    private @Nullable Trouble trouble(Moment now) {
        return Stream.of(duplicate, incompatible, restored)
                .filter(each -> each.lasts(now))
                .findFirst()
                .orElse(null);
    }

    /** One kind of it. */
    private static final class Trouble {

        private final Denial denial;
        private final long lastsNanos;
        private String words = "";
        private @Nullable Moment seenAt;
        private final OnceAMinute told = new OnceAMinute();

        private Trouble(Denial denial, long lastsNanos) {
            this.denial = denial;
            this.lastsNanos = lastsNanos;
        }

        /** Answers what to tell people; null when they have just been told. */
        private @Nullable String seen(String what, Moment now) {
            words = what;
            seenAt = now;
            return told.isDue(now) ? what : null;
        }

        private boolean lasts(Moment now) {
            return seenAt != null && seenAt.nanosUntil(now) < lastsNanos;
        }
    }
}
