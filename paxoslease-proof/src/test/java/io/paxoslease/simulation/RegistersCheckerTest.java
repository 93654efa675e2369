package io.paxoslease.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.paxoslease.simulation.HistoryChecker.Belief;
import io.paxoslease.simulation.HistoryChecker.Violation;
import io.paxoslease.simulation.RegistersChecker.Entry;
import io.paxoslease.simulation.RegistersChecker.Round;
import io.paxoslease.simulation.RegistersChecker.Value;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A checker that accepts a bad history proves nothing. Three acceptors; wall clocks show microseconds of real time. */
@Tag("proof")
class RegistersCheckerTest {

    private static final long MICRO = 1_000;
    private static final int R = 0;
    private static final Value OF_P = new Value(false, 71, 10, 100);
    private static final Value OF_Q = new Value(false, 72, 20, 200);
    private static final Value EMPTY = new Value(true, 0, 10, 0);

    private boolean clocksAreRight = true;
    private final RegistersChecker checker = new RegistersChecker(3, 3, 1, true, new RegistersChecker.Registers() {
        @Override
        public long wallMicros(int node, long real) {
            return real / MICRO;
        }

        @Override
        public boolean clocksAreRight() {
            return clocksAreRight;
        }

        @Override
        public long maxLeaseNanos() {
            return 100 * MICRO;
        }
    });

    private static Entry entry(long slot, int node, Value value) {
        return new Entry(new Round(slot, 0, node), value);
    }

    private void stored(long micros, Entry entry, int... acceptors) {
        for (int acceptor : acceptors) {
            checker.stored(micros * MICRO, acceptor, R, entry);
        }
    }

    private void believes(long micros, int node, Value value) {
        checker.believes(
                micros * MICRO,
                new Belief(value.token(), node, R, value.token(), value.incarnation(), value.endMicros() * MICRO));
    }

    private static void rejected(String why, ThrowingCallable history) {
        assertThatExceptionOfType(Violation.class).isThrownBy(history).withMessageContaining(why);
    }

    @Test
    void whatAMajorityHasStoredMayBeBelievedInAndThenReplaced() {
        stored(10, entry(1, 0, OF_P), 0, 1);
        believes(11, 0, OF_P);
        stored(50, entry(2, 0, new Value(false, 71, 10, 150)), 0, 2);
        stored(160, entry(3, 1, OF_Q), 0, 1);
        believes(161, 1, OF_Q);

        assertThat(checker.handOvers()).isEqualTo(1);
    }

    @Test
    void whatAMinorityHasStoredMustNotBeBelievedIn() {
        stored(10, entry(1, 0, OF_P), 0);

        rejected("exclude others", () -> believes(11, 0, OF_P));
    }

    @Test
    void aBeliefMustNotOutlastWhatIsStored() {
        stored(10, entry(1, 0, OF_P), 0, 1);

        rejected("exclude others", () -> believes(11, 0, new Value(false, 71, 10, 102)));
    }

    @Test
    void acceptorsThatAreSilentForLongerCountAsWell() {
        stored(10, entry(1, 0, OF_P), 0, 1);
        believes(11, 0, OF_P);
        checker.crashed(1);
        checker.mustBeSilent(20 * MICRO, 1, 100 * MICRO);

        rejected("exclude others", () -> checker.mustBeSilent(20 * MICRO, 1, 99 * MICRO));
        rejected("silent until", () -> stored(30, entry(2, 0, OF_P), 1));
    }

    @Test
    void aDecidedLeaseIsReplacedOnlyWhenItHasEnded() {
        stored(10, entry(1, 0, OF_P), 0, 1);

        rejected("after a majority", () -> stored(99, entry(2, 1, OF_Q), 2));
    }

    @Test
    void aDecidedLeaseIsNeverShortened() {
        stored(10, entry(1, 0, OF_P), 0, 1);

        rejected("after a majority", () -> stored(11, entry(2, 0, new Value(false, 71, 10, 99)), 2));
    }

    @Test
    void withWrongClocksOnlyHoldersTell() {
        clocksAreRight = false;
        stored(10, entry(1, 0, OF_P), 0, 1);
        stored(99, entry(2, 1, OF_Q), 2);
    }

    @Test
    void onlyThatTenureIsReleased() {
        stored(10, entry(1, 0, OF_P), 0, 1);

        rejected("after a majority", () -> stored(20, entry(2, 0, new Value(true, 0, 9, 0)), 2));
        stored(20, entry(2, 0, EMPTY), 2);
        stored(21, entry(3, 1, OF_Q), 0, 1);
    }

    @Test
    void anAcceptorNeverGoesBackToALowerRound() {
        stored(10, entry(2, 0, OF_P), 0);

        rejected("went back", () -> stored(11, entry(1, 0, OF_P), 0));
        checker.promised(12 * MICRO, 0, R, new Round(4, 0, 1));
        rejected("went back", () -> stored(13, entry(3, 0, OF_P), 0));
    }

    @Test
    void anAcceptorMayForgetWhatIsOver() {
        stored(10, entry(1, 0, OF_P), 0, 1);
        believes(11, 0, OF_P);
        stored(120, Entry.NOTHING, 0, 1);
        rejected("went back", () -> stored(121, entry(0, 1, OF_Q), 0));
        stored(121, entry(5, 1, OF_Q), 0, 1);
    }

    @Test
    void anAcceptorMustNotForgetWhatIsBelievedIn() {
        stored(10, entry(1, 0, OF_P), 0, 1);
        believes(11, 0, OF_P);

        rejected("exclude others", () -> stored(99, Entry.NOTHING, 0));
    }

    @Test
    void onlyItsOwnerMakesALeaseLonger() {
        checker.writes(10, 0, R, OF_P, true);
        checker.writes(11, 1, R, OF_P, false);

        rejected("has not made", () -> checker.writes(12, 1, R, new Value(false, 71, 10, 101), false));
    }

    @Test
    void whoIsCertainMustBeRight() {
        stored(10, entry(1, 0, OF_P), 0, 1);
        believes(11, 0, OF_P);
        checker.certain(20 * MICRO, 2, R, 0);

        rejected("is certain", () -> checker.certain(20 * MICRO, 2, R, 1));
    }

    @Test
    void whoHasHeardOfTheLastHolderBeforeItsReleaseMayBeLate() {
        stored(10, entry(1, 0, OF_P), 0, 1);
        stored(20, entry(2, 0, EMPTY), 0, 1);
        stored(21, entry(3, 1, OF_Q), 0, 1);
        believes(22, 1, OF_Q);
        checker.certain(23 * MICRO, 2, R, 0);

        rejected("is certain", () -> checker.certain(121 * MICRO, 2, R, 0));
    }
}
