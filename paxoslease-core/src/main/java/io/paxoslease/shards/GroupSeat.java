package io.paxoslease.shards;

import io.paxoslease.AcquireOptions;
import io.paxoslease.node.HeldLease;
import io.paxoslease.node.LocalNode;
import io.paxoslease.node.PendingLease;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.Printable;
import io.paxoslease.shards.plan.Participant;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The lease by which this instance participates in a group (S2). The node does not renew it by itself, but the caller of {@link #keep}: if that hangs, the
 * lease ends, and the instance counts as a participant no more. Used by one thread at a time.
 */
final class GroupSeat {

    private static final int CONFIRMED_PER_LEASE = 3;

    private static final Logger log = LoggerFactory.getLogger(ShardNames.LOGGER);
    private static final Duration LONG = Duration.ofSeconds(15);
    private static final Duration AFTER_REFUSAL = Duration.ofSeconds(1);

    private final LocalNode node;
    private final String group;
    private final String resource;
    private final Runnable onChange;

    private @Nullable Participant note;
    private Moment writtenAt;
    private @Nullable Participant told;
    private @Nullable PendingLease asked;
    private @Nullable HeldLease lease;
    private Moment confirmedAt;
    private @Nullable CompletableFuture<Boolean> confirmation;
    private @Nullable Moment missingSince;
    private @Nullable Moment unseenSince;
    private @Nullable Moment askNotBefore;
    private boolean isGivenUp;

    /** @param onChange called by any thread when {@link #keep} has something to do; must not block */
    GroupSeat(LocalNode node, String group, Runnable onChange, Moment now) {
        this.node = node;
        this.group = group;
        this.resource = ShardNames.participants(group) + node.options().nodeId();
        this.onChange = onChange;
        this.writtenAt = now;
        this.confirmedAt = now;
    }

    /** From now on this is what the others read. */
    void write(Participant content, Moment now) {
        note = content;
        writtenAt = now;
    }

    /** How long the lease lasts after each confirmation. */
    private Duration time() {
        return node.leaseTimes().defaultLeaseTime();
    }

    /**
     * Asks for the lease where it is not held, confirms it where it is.
     *
     * @param isSeen whether this node is one of the participants that the members tell of, as far as is known
     * @return when to be called again at the latest; null when that is not needed
     */
    @Nullable
    Moment keep(boolean isSeen, Moment now) {
        if (note == null || isGivenUp) {
            return null;
        }
        take(now);
        if (lease != null && !lease.isHeld()) {
            lease.release();
            lease = null;
        }
        if (lease == null) {
            unseenSince = null;
            tellOfLongWait(now);
            if (askNotBefore != null && now.isBefore(askNotBefore)) {
                return askNotBefore;
            }
            ask(now);
            return now.plusNanos(time().toNanos() / CONFIRMED_PER_LEASE);
        }
        missingSince = null;
        tellIfUnseen(isSeen, now);
        tell(lease, now);
        return confirm(lease, now);
    }

    /** Nothing is wrong while the members cannot be reached; but another node may hold it. */
    private void tellOfLongWait(Moment now) {
        Moment since = missingSince;
        if (since == null) {
            missingSince = now;
        } else if (since.nanosUntil(now) > LONG.toNanos()) {
            missingSince = now;
            log.warn(
                    "Node '{}' has asked for {} seconds for lease '{}', by which it participates in group '{}', and was not granted it. Either"
                            + " it reaches no majority of the members, or another node holds the lease, or the members have no memory for more"
                            + " leases of this node",
                    Printable.name(node.options().nodeId()),
                    LONG.toSeconds(),
                    Printable.name(resource),
                    Printable.name(group));
        }
    }

    private void tellIfUnseen(boolean isSeen, Moment now) {
        Moment since = unseenSince;
        if (isSeen || since == null) {
            unseenSince = isSeen ? null : now;
        } else if (since.nanosUntil(now) > LONG.toNanos()) {
            unseenSince = now;
            log.warn(
                    "Node '{}' holds lease '{}', and after {} seconds it is none of the participants of group '{}', so it gets no shards. Either"
                            + " the members have no memory for more notes, or the group has its largest number of instances",
                    Printable.name(node.options().nodeId()),
                    Printable.name(resource),
                    LONG.toSeconds(),
                    Printable.name(group));
        }
    }

    private void take(Moment now) {
        PendingLease pending = asked;
        if (pending != null && pending.isAnswered()) {
            asked = null;
            lease = pending.granted();
            confirmation = null;
            askNotBefore = lease == null ? now.plusNanos(AFTER_REFUSAL.toNanos()) : null;
            if (lease != null) {
                lease.belongToElection();
                lease.observe(reason -> onChange.run());
            }
        }
    }

    private void ask(Moment now) {
        if (asked == null && note != null) {
            told = note;
            confirmedAt = now;
            AcquireOptions how = AcquireOptions.fixed(time()).toBuilder()
                    .note(text(note, now))
                    .build();
            asked = node.groups().ask(resource, how, null, onChange);
        }
    }

    /** The age counts from when the note is told. */
    private String text(Participant content, Moment now) {
        long age = content.ageMillis() + Math.max(0, writtenAt.nanosUntil(now)) / 1_000_000;
        return content.withAge(age).toNote();
    }

    private void tell(HeldLease held, Moment now) {
        if (note != null && !note.equals(told)) {
            told = note;
            held.note(text(note, now));
        }
    }

    private Moment confirm(HeldLease held, Moment now) {
        long between = time().toNanos() / CONFIRMED_PER_LEASE;
        boolean isOpen = confirmation != null && !confirmation.isDone();
        if (isOpen) {
            return now.plusNanos(between); // it is overdue: the members do not answer, or the node hangs
        }
        if (confirmedAt.nanosUntil(now) >= between) {
            confirmedAt = now;
            confirmation = held.renewNow(time());
        }
        return confirmedAt.plusNanos(between);
    }

    /** The instance no longer participates. */
    void giveUp() {
        isGivenUp = true;
        if (asked != null) {
            asked.withdraw();
        }
        if (lease != null) {
            lease.release();
        }
    }
}
