package io.paxoslease.protocol.storage;

import io.paxoslease.protocol.Moment;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What a client has seen of one register. It outlives the requests, so that a client that asks now and then need not observe it anew. */
final class RegisterObservation {

    private static final int POLLS_IN_A_STREAK = 8;

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

    long nextSequence() {
        return highestSequence + 1;
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
        Stamp last = stamp;
        if (last == null || since == null || last.isReleased()) {
            return 0;
        }
        return now.nanosUntil(since.plusNanos(rules.patienceNanos(last)));
    }

    void granted(StorageRules rules, Moment now) {
        boolean goesOn = givenUpAt != null && givenUpAt.nanosUntil(now) < rules.longestPollNanos();
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
