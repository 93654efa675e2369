package io.paxoslease.shards.plan;

import io.paxoslease.protocol.Printable;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Why a shard is where it is, as one instance sees it: why it is free, or why it does not move to the node that should have it.
 *
 * @param node the node that is waited for; null if it is no single one
 * @param remaining how long the wait lasts at most; null if no time ends it
 */
public record Reason(
        Kind kind, @Nullable String node, @Nullable Duration remaining) {

    /** What the wait is for. */
    public enum Kind {
        /** Nothing: its owner is the one that the plan names, or no participant. */
        IN_PLACE,
        /** This instance does not participate, and does not look. */
        NOT_PARTICIPATING,
        /** No majority of the members answers, so nothing is claimed and nothing moves. */
        VIEW_STALLED,
        /** No majority agrees on who owns the shard. */
        OWNER_UNKNOWN,
        /** The group starts, and waits for more instances (S9). */
        GROUP_STARTS,
        /** No participant is active. */
        NO_PARTICIPANT,
        /** All active participants own as many shards as they accept (S10). */
        MAX_OWNED,
        /** The active participants did not claim what they should, and are left out of plans for a while (S5). */
        NONE_ACTS,
        /** The named node should claim it. */
        TO_BE_CLAIMED,
        /** This instance has asked for it again and again. */
        NOT_GRANTED,
        /** The participants have changed within two seconds (S6). */
        PARTICIPANTS_CHANGE,
        /** The named node has not run for the settle time (S6). */
        SETTLING,
        /** The participants run different revisions (S6). */
        REVISIONS_DIFFER,
        /** Other shards move between the two first (S6). */
        ITS_TURN,
        /** The named node should queue for the shard. */
        RECEIVER_AWAITED,
        /** The named node, its owner, ends the work on it. */
        WORK_ENDS,
        /** The work on it did not end in time, or its owner did not answer: balance leaves it alone (S7). */
        LEFT_ALONE
    }

    /** In words. */
    public String text() {
        String who = node == null ? "another node" : Printable.name(node);
        String text =
                switch (kind) {
                    case IN_PLACE -> "is where it should be";
                    case NOT_PARTICIPATING -> "this instance does not participate";
                    case VIEW_STALLED ->
                        "no majority of the members answers, or this node has no memory for what they tell: nothing is claimed and nothing moves";
                    case OWNER_UNKNOWN -> "no majority of the members agrees on its owner";
                    case GROUP_STARTS -> "the group starts and waits for more instances";
                    case NO_PARTICIPANT -> "no instance is active in the group";
                    case MAX_OWNED -> "all active instances own max-owned shards";
                    case NONE_ACTS -> "no active instance has claimed what it should own";
                    case NOT_GRANTED ->
                        who
                                + " requests it and is not granted it: the members may have no memory for more leases of that node";
                    case TO_BE_CLAIMED -> who + " should claim it";
                    case PARTICIPANTS_CHANGE -> "the participants are changing";
                    case SETTLING -> who + " has not run for settle-time";
                    case REVISIONS_DIFFER -> "the participants run different revisions";
                    case ITS_TURN -> "other shards move first";
                    case RECEIVER_AWAITED -> who + " should request it";
                    case WORK_ENDS -> "the work on " + who + " is ending";
                    case LEFT_ALONE ->
                        "its last move failed: the work did not end in time, or its owner did not answer";
                };
        return remaining == null ? text : "%s, for %d ms at most".formatted(text, remaining.toMillis());
    }

    static Reason of(Kind kind) {
        return new Reason(kind, null, null);
    }
}
