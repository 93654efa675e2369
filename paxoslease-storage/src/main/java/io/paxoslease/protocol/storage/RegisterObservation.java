package io.paxoslease.protocol.storage;

import io.paxoslease.protocol.Moment;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What a client has seen of one register. It outlives the requests, so that a client that asks now and then need not observe it anew. */
final class RegisterObservation {

    private static final int POLLS_IN_A_STREAK = 8;
    private static final int RELEASE_LOOKS = 4;

    /** @param tokensAbove see {@link StorageRules#tokensAbove} */
    RegisterObservation(long tokensAbove) {
        this.highestSequence = tokensAbove;
    }

    private @Nullable Content content;
    private @Nullable Stamp stamp;
    /** When a read that answered it had ended, for the first time in a row. */
    private @Nullable Moment since;

    /** A write of this client whose outcome is unknown may have its effect until then: nothing else begins before. */
    @Nullable
    Moment quietUntil;

    private @Nullable Moment at;
    private long highestSequence;
    /** The highest round that is known to have been in the register; below zero: none. */
    private long highestStored = -1;

    private @Nullable Moment knownAt;

    /** It has gone back: until then the lease may be held by what it has lost. */
    private @Nullable Moment closedUntil;

    private @Nullable Content recordContent;
    /** Which stamp was given up last, by the release record. */
    private @Nullable Stamp record;
    /** How often the release record was looked at since the register was. */
    private int releaseLooks;

    /** Since when this client has taken the lease again and again, without letting others look. */
    private @Nullable Moment streakSince;

    private @Nullable Moment givenUpAt;
    /** Others come first until then. */
    private @Nullable Moment othersUntil;

    /**
     * Takes in what a read answered.
     *
     * @return when the last look was since which it has changed; null: it has not, or this is the first look
     */
    @Nullable
    Moment look(@Nullable Content found, @Nullable Stamp read, Moment now) {
        releaseLooks = 0;
        boolean same = Objects.equals(found, content);
        Moment before = at;
        if (!same) {
            content = found;
            stamp = read;
            since = now;
        }
        at = now;
        if (read != null) {
            used(read.sequence());
        }
        return same ? null : before;
    }

    /** That sequence number is in use, or may come to be. */
    void used(long sequence) {
        highestSequence = Math.max(highestSequence, sequence);
    }

    /** Of those that are in use, or may come to be. */
    long highestSequence() {
        return highestSequence;
    }

    /**
     * Notes what the register has if it cannot be replaced by less while the store keeps its bound. Where stamps are written, those of clients that
     * had read before may still come, with lower numbers, until it has stood as long as they may take.
     */
    void noteIfStanding(StorageRules rules, Moment now) {
        Stamp last = stamp;
        boolean stands = rules.compares() || (since != null && since.nanosUntil(now) >= rules.settleNanos());
        if (last != null && stands) {
            stored(rules, last, now);
        }
    }

    /** A lease is held by that stamp, or was. */
    void stored(StorageRules rules, Stamp stamp, Moment now) {
        if (ranks(rules, stamp)) {
            highestStored = Math.max(highestStored, rules.round(stamp.sequence()));
            knownAt = now;
        }
    }

    /** Readers write without waiting for each other: their stamps may take each other's place in any order. */
    private static boolean ranks(StorageRules rules, Stamp stamp) {
        return rules.agreeWith(stamp) && (rules.compares() || !stamp.isShared());
    }

    /** Whether what was read is older than what this register is known to have had: then the store has lost writes. */
    boolean isBehind(StorageRules rules, @Nullable Stamp read) {
        return read == null ? highestStored >= 0 : ranks(rules, read) && rules.round(read.sequence()) < highestStored;
    }

    /** What was known of it is no longer so; numbers that were in use are not used again. */
    void hasGoneBack() {
        highestStored = -1;
    }

    /** It is free when the longest lease is over, whatever it has by then. */
    void close(StorageRules rules, Moment now) {
        closedUntil = now.plusNanos(rules.longestPatienceNanos());
    }

    /** For how long it is closed; zero or less: it is not. */
    long closedNanos(Moment now) {
        return closedUntil == null ? 0 : now.nanosUntil(closedUntil);
    }

    /** When it was learnt what is known of it. */
    Moment knownAt() {
        return Objects.requireNonNull(knownAt);
    }

    /**
     * Takes in what a read of the release record answered; null: it was never written, or cannot be read.
     *
     * @return whether it is another one than at the look before
     */
    boolean lookAtRelease(@Nullable Content found, @Nullable Stamp read) {
        boolean changed = !Objects.equals(found, recordContent);
        recordContent = found;
        record = read;
        releaseLooks++;
        if (read != null) {
            used(read.sequence());
        }
        return changed;
    }

    /**
     * Whether the release record is to be looked at next: after every look at the register that found it held, and then again and again,
     * with a look at the register now and then.
     */
    boolean wantsReleaseLook(StorageRules rules, Moment now) {
        Stamp last = stamp;
        return !rules.compares()
                && last != null
                && !last.isShared()
                && releaseLooks < RELEASE_LOOKS
                && waitNanos(rules, now) > 0;
    }

    /** Whether the latest look at the release record was the first one since the register was looked at. */
    boolean hasJustLooked() {
        return releaseLooks == 1;
    }

    /** The release record tells that the register has another stamp by now. */
    void wantsLook() {
        releaseLooks = RELEASE_LOOKS;
    }

    private boolean isReleased(Stamp last) {
        return last.isReleased() || (record != null && last.isReleasedBy(record));
    }

    @Nullable
    Stamp stamp() {
        return stamp;
    }

    /** How old what is known is. */
    long ageNanos(Moment now) {
        return at == null ? 0 : at.nanosUntil(now);
    }

    /** How long the lease may still be held by what was seen last; zero or less: it is free. */
    long waitNanos(StorageRules rules, Moment now) {
        long closed = closedNanos(now);
        Stamp last = stamp;
        if (last == null || since == null || isReleased(last)) {
            return closed;
        }
        return Math.max(closed, now.nanosUntil(since.plusNanos(rules.patienceNanos(last))));
    }

    void granted(StorageRules rules, ResourceState.Attempt attempt, Moment now) {
        stored(rules, attempt.stamp(), now);
        boolean goesOn =
                givenUpAt != null && givenUpAt.nanosUntil(attempt.startedAt().moment()) < rules.longestPollNanos();
        if (streakSince == null || !goesOn) {
            streakSince = now;
        }
    }

    /**
     * Others learn of a release by looking, so that a client that took the lease again at once, and for ever, would starve them: it
     * lets them look once in a while.
     */
    void givenUp(StorageRules rules, Moment now) {
        givenUpAt = now;
        if (streakSince != null && streakSince.nanosUntil(now) > POLLS_IN_A_STREAK * rules.longestPollNanos()) {
            streakSince = null;
            othersUntil = now.plusNanos(rules.longestPollNanos() + rules.shortestPollNanos());
        }
    }

    /** When this client may want the lease again. */
    Moment afterOthers(Moment now) {
        return othersUntil == null ? now : Moment.later(now, othersUntil);
    }
}
