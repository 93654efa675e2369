package io.paxoslease.protocol.storage;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.protocol.Effect.Notice;
import io.paxoslease.protocol.Effect.Notice.Level;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.Timing;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class AccessTimesTest {

    private static final long MILLI = 1_000_000;
    private static final long MINUTE = 60_000 * MILLI;

    private AccessTimes times = times(true);
    private long nanos;
    private long accesses;

    private static AccessTimes times(boolean compares) {
        return new AccessTimes(
                "the store", new StorageRules(new Timing(Duration.ofSeconds(5), 0.1), 100 * MILLI, compares, false));
    }

    private Moment now() {
        return new Moment(nanos);
    }

    private @Nullable Notice notice(long millis, boolean writes, @Nullable String failure) {
        times.begun(++accesses, writes, now());
        nanos += millis * MILLI;
        return times.ended(accesses, failure, now());
    }

    private @Nullable Level took(long millis, @Nullable String failure) {
        Notice notice = notice(millis, true, failure);
        return notice == null ? null : notice.level();
    }

    private @Nullable Level took(long millis) {
        return took(millis, null);
    }

    @Test
    void quantilesAreTimesThatWereMeasured() {
        assertThat(times.view(null, 0, now()).maxNanos()).isZero();
        for (int i = 1; i <= 100; i++) {
            took(i);
        }
        StoreView view = times.view(null, 0, now());
        assertThat(view.medianNanos()).isEqualTo(50 * MILLI);
        assertThat(view.p99Nanos()).isEqualTo(99 * MILLI);
        assertThat(view.maxNanos()).isEqualTo(100 * MILLI);
        assertThat(view.slow()).as("as long as the bound").isEqualTo(1);
        assertThat(view.near()).as("more than half of it").isEqualTo(50);
    }

    @Test
    void onlyTheLatestAreMeasuredAndAllAreCounted() {
        took(90);
        took(150);
        took(1, "no");
        for (int i = 0; i < 512; i++) {
            took(1);
        }
        StoreView view = times.view(null, 0, now());
        assertThat(view.maxNanos()).isEqualTo(MILLI);
        assertThat(view.count()).isEqualTo(515);
        assertThat(view.slow()).isEqualTo(1);
        assertThat(view.failed()).isEqualTo(1);
        assertThat(view.trouble()).isNull();
    }

    @Test
    void accessesThatAreNeverAnsweredAreForgottenInTheEnd() {
        for (int i = 1; i <= 1_025; i++) {
            times.begun(i, true, now());
        }
        times.ended(1, null, now());
        assertThat(times.view(null, 0, now()).count()).as("forgotten").isZero();
        times.ended(2, null, now());
        times.ended(2, null, now());
        assertThat(times.view(null, 0, now()).count()).isEqualTo(1);
    }

    @Test
    void moreThanHalfOfTheBoundIsToldOnceAMinute() {
        assertThat(took(50)).isNull();
        assertThat(took(51)).isEqualTo(Level.WARN);
        nanos += MINUTE - 52 * MILLI;
        assertThat(took(51)).isNull();
        assertThat(took(51)).isEqualTo(Level.WARN);
    }

    @Test
    void theBoundIsToldOnceAMinute() {
        assertThat(took(99)).isEqualTo(Level.WARN);
        assertThat(took(100)).isEqualTo(Level.WARN);
        nanos += MINUTE - 101 * MILLI;
        assertThat(took(100)).isNull();
        assertThat(took(100)).isEqualTo(Level.WARN);
    }

    /** As of a loaded machine at a start, whose first accesses are reads. */
    @Test
    void aLateReadIsNoErrorAndHidesNone() {
        times = times(false);

        assertThat(notice(100, false, null))
                .isEqualTo(
                        new Notice(
                                Level.WARN,
                                "An access to the store took 100 ms, and the access bound is 100 ms: it counts as failed, and leases are neither taken nor renewed by it while this goes on. Find out what is slow, the store, the way to it or this machine, or raise accessBound on all clients, with all of them stopped"));
        assertThat(notice(100, true, null)).extracting(Notice::level).isEqualTo(Level.ERROR);
    }

    @Test
    void aLateWriteThatDoesNotCompareIsAnErrorOnceAMinute() {
        times = times(false);

        Notice alarm = notice(100, true, null);
        assertThat(alarm).extracting(Notice::level).isEqualTo(Level.ERROR);
        assertThat(alarm).extracting(Notice::text).asString().contains("leases in this store are not safe");
        assertThat(took(100)).isNull();
        nanos += MINUTE;
        assertThat(took(100)).isEqualTo(Level.ERROR);
    }

    @Test
    void aStoreThatComesAndGoesIsToldOnceAMinute() {
        assertThat(took(1, "no")).isEqualTo(Level.WARN);
        assertThat(took(1, "no")).isNull();
        assertThat(took(1)).as("it works again").isEqualTo(Level.INFO);
        assertThat(took(1, "no")).isNull();
        assertThat(took(1)).as("nobody knows that it did not").isNull();
        nanos += MINUTE;
        assertThat(took(1, "no")).isEqualTo(Level.WARN);
    }

    /** A disk that is full can be read. */
    @Test
    void aStoreThatTakesNoWriteDoesNotWorkAgainWhenItIsRead() {
        assertThat(notice(1, false, "no")).extracting(Notice::level).isEqualTo(Level.WARN);
        assertThat(notice(1, true, "full")).isNull();
        assertThat(notice(1, false, null)).isNull();
        times.unanswered(true, now());
        assertThat(notice(1, false, null)).isNull();
        assertThat(notice(1, true, null)).extracting(Notice::level).isEqualTo(Level.INFO);
        nanos += MINUTE;
        assertThat(notice(1, false, "no")).extracting(Notice::level).isEqualTo(Level.WARN);
        assertThat(notice(1, false, null))
                .as("only reads failed")
                .extracting(Notice::level)
                .isEqualTo(Level.INFO);
    }

    @Test
    void whatWasWrongAMinuteAgoIsNotKnownToBe() {
        took(1, "no");
        nanos += MINUTE - 2 * MILLI;
        assertThat(times.view(null, 0, now()).trouble()).isEqualTo("no");
        nanos += MILLI;
        assertThat(times.view(null, 0, now()).trouble()).isNull();
        times.begun(++accesses, true, now());
        assertThat(times.view(null, 0, now()).trouble()).as("asked again").isEqualTo("no");
    }
}
