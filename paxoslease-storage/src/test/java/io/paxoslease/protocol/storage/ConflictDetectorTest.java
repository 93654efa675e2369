package io.paxoslease.protocol.storage;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.protocol.Effect.Denial;
import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Timing;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ConflictDetectorTest {

    private static final long MILLI = 1_000_000;
    private static final long BOUND = 100 * MILLI;
    private static final long LEASE = 3_000 * MILLI;
    private static final NodeId SELF = new NodeId("a");
    private static final Incarnation OWN = new Incarnation(1, 1);

    private ConflictDetector conflicts = watch(true);

    private static ConflictDetector watch(boolean compares) {
        return new ConflictDetector(SELF, rules(compares), at(0));
    }

    private static StorageRules rules(boolean compares) {
        return new StorageRules(new Timing(Duration.ofSeconds(5), 0.1), BOUND, compares, false);
    }

    private static Moment at(long millis) {
        return new Moment(millis * MILLI);
    }

    private static Stamp stamp(
            String owner, Incarnation incarnation, long boundMillis, boolean compares, Stamp.State state) {
        return new Stamp(new NodeId(owner), incarnation, 3, 7, 7, LEASE, boundMillis * MILLI, compares, "", state);
    }

    private static Stamp stamp(String owner, long boundMillis, boolean compares) {
        return stamp(owner, new Incarnation(9, 9), boundMillis, compares, Stamp.State.HELD);
    }

    private List<String> notice(Stamp stamp, long millis) {
        return conflicts.notice(stamp, at(millis - 100), OWN, "r", at(millis));
    }

    @ParameterizedTest
    @CsvSource({
        "true, 100, false, 'by read-write with an access bound of PT0.1S, this client by compare-and-set with PT0.1S'",
        "false, 100, true, 'by compare-and-set with an access bound of PT0.1S, this client by read-write with PT0.1S'",
        "false, 200, false, 'by read-write with an access bound of PT0.2S, this client by read-write with PT0.1S'"
    })
    void aClientThatIsSetUpOtherwiseIsATrouble(boolean own, long bound, boolean other, String difference) {
        conflicts = watch(own);
        assertThat(notice(stamp("b", bound, other), 1_000))
                .singleElement()
                .asString()
                .contains("Client 'b' is alive", "lease 'r'", difference, "one write mode and one access bound");
        assertThat(conflicts.denial(at(1_000))).isEqualTo(Denial.INCOMPATIBLE);
        assertThat(conflicts.problem(at(10_999))).contains(difference);
        assertThat(conflicts.problem(at(11_000))).isNull();
        assertThat(conflicts.denial(at(11_000))).isNull();
    }

    @ParameterizedTest
    @CsvSource({"true, 100", "true, 200", "false, 100"})
    void clientsThatAgreeAreNone(boolean form, long bound) {
        conflicts = watch(form);
        assertThat(notice(stamp("b", bound, form), 1_000)).isEmpty();
        assertThat(conflicts.denial(at(1_000))).isNull();
    }

    @Test
    void anotherClientUnderTheSameIdIsATrouble() {
        assertThat(notice(stamp("a", 100, true), 1_000))
                .singleElement()
                .asString()
                .contains("the node id 'a' is alive");
        assertThat(conflicts.denial(at(1_000))).isEqualTo(Denial.DUPLICATE);
    }

    /** And so that an instance can be replaced by one that is set up otherwise. */
    @Test
    void whatAnEarlierLifeLeftIsNone() {
        Stamp left = stamp("a", 200, false);
        assertThat(conflicts.notice(left, null, OWN, "r", at(1_000)))
                .as("it stood there")
                .isEmpty();
        assertThat(conflicts.notice(left, at(243), OWN, "r", at(1_000)))
                .as("it may have landed late")
                .isEmpty();
        assertThat(conflicts.notice(left, at(500), OWN, "r", at(10_501)))
                .as("long ago")
                .isEmpty();
        assertThat(conflicts.count()).isZero();
        assertThat(conflicts.notice(left, at(245), OWN, "r", at(1_000)))
                .as("it is alive")
                .hasSize(2);
        conflicts = watch(true);
        conflicts.startOver(at(5_000));
        assertThat(notice(left, 5_200)).as("of this process").isEmpty();
        Stamp ended = stamp("a", new Incarnation(9, 9), 100, true, Stamp.State.RELEASED);
        assertThat(notice(ended, 9_000)).as("it says that it ends").isEmpty();
        assertThat(notice(stamp("a", OWN, 100, true, Stamp.State.HELD), 9_000))
                .as("own")
                .isEmpty();
        assertThat(conflicts.denial(at(9_000))).isNull();
    }

    @Test
    void itIsToldOnceAMinute() {
        Stamp other = stamp("b", 100, false);
        assertThat(notice(other, 1_000)).hasSize(1);
        assertThat(notice(other, 60_999)).isEmpty();
        assertThat(conflicts.count()).isEqualTo(2);
        assertThat(conflicts.denial(at(60_999))).isEqualTo(Denial.INCOMPATIBLE);
        assertThat(notice(other, 61_000)).hasSize(1);
    }

    /** Of one that is gone, something may have its effect yet. */
    @ParameterizedTest
    @CsvSource({
        "true, 100, true, 0",
        "true, 200, true, 0",
        "true, 100, false, 100",
        "true, 200, false, 200",
        "false, 50, false, 100",
        "false, 200, false, 200",
        "false, 200, true, 200"
    })
    void theStampOfOneThatWasSetUpOtherwiseIsWaitedForByTheLongerBound(
            boolean own, long bound, boolean other, long allowance) {
        Timing timing = new Timing(Duration.ofSeconds(5), 0.1);
        assertThat(rules(own).patienceNanos(stamp("b", bound, other)))
                .isEqualTo(
                        timing.exclusionNanos(LEASE) + (allowance == 0 ? 0 : timing.exclusionNanos(allowance * MILLI)));
    }
}
