package io.paxoslease.protocol.storage;

import static io.paxoslease.protocol.storage.PaperStore.DELTA;
import static io.paxoslease.protocol.storage.PaperStore.LEASE;
import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.protocol.storage.PaperClient.Asked;
import io.paxoslease.protocol.storage.PaperStore.Course;
import io.paxoslease.protocol.storage.PaperStore.Form;
import io.paxoslease.protocol.storage.RegisterMessage.CompareAndSet;
import io.paxoslease.protocol.storage.RegisterMessage.Read;
import io.paxoslease.protocol.storage.RegisterMessage.Write;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * How a client comes to hold the lease in the paper of Chockler and Malkhi.
 *
 * <p>Different here: in the paper a holder counts its time from the read that decides, and other clients wait for the lease time
 * and five or six access bounds. Here the holder counts from before its write, and other clients wait for the lease time and one
 * access bound, in which a renewal that began just before the end becomes visible. The paper bounds the time from the read that
 * finds the lease free to the end of the write; here the client does not begin a write that would exceed it. And where the
 * store compares and sets, that step decides, without the wait after it.
 */
class StoragePaperContendTest {

    private static final long PATIENCE = LEASE + DELTA;
    private static final long SETTLE = 2 * DELTA;

    private final PaperStore store = new PaperStore(Form.KNOWN_DELAY);
    private final PaperClient a = store.client("a");
    private final PaperClient b = store.client("b");

    @Test
    void anEmptyRegisterIsNotWaitedFor() {
        a.contend();
        store.pass(20);
        assertThat(a.asked()).hasSize(2);
        assertThat(a.lastWrite().at()).as("when the read was answered").isEqualTo(20);
    }

    @Test
    void whatIsInTheRegisterIsWaitedForUntilItHasNotChangedForTheLeaseTimeAndABound() {
        a.contendOnceOnly();
        store.pass(50);
        a.crash();
        b.contend();
        store.pass(20);
        long seenAt = store.millis();
        long patience = a.lastWrite().stamp().leaseNanos() / PaperStore.nanos(1) + DELTA;
        store.passUntilHeld(3 * LEASE);
        assertThat(b.holds()).isTrue();
        assertThat(b.lastWrite().at())
                .as("when the first read that began late enough was answered")
                .isBetween(seenAt + patience, seenAt + patience + 20 + DELTA);
        assertThat(b.asked().get(b.asked().indexOf(b.lastWrite()) - 1).at())
                .as("the read that allowed it")
                .isGreaterThanOrEqualTo(seenAt + patience);
    }

    @Test
    void aStampThatChangesIsWaitedForFromThenOn() {
        a.contend();
        b.contend();
        store.pass(2 * LEASE);
        a.crash();
        long last = a.lastWrite().at();
        store.passUntilHeld(3 * LEASE);
        assertThat(b.holds()).isTrue();
        assertThat(b.lastWrite().at()).isGreaterThanOrEqualTo(last + PATIENCE);
    }

    @ParameterizedTest
    @EnumSource(Form.class)
    void aRegisterThatSaysThatTheLeaseIsFreeEndsTheWait(Form form) {
        PaperStore other = new PaperStore(form);
        PaperClient holder = other.client("holder");
        PaperClient waiter = other.client("waiter");
        holder.contend();
        other.pass(500);
        waiter.contend();
        other.pass(100);
        holder.release();
        other.pass(7 * DELTA);
        assertThat(waiter.holds()).isTrue();
    }

    @Test
    void noTwoStampsAreEqual() {
        Set<String> stamps = new HashSet<>();
        int written = 0;
        for (int round = 0; round < 3; round++) {
            a.contend();
            b.contend();
            store.pass(2 * LEASE);
            a.crash();
            b.crash();
        }
        for (PaperClient client : List.of(a, b)) {
            for (Asked write : client.writes()) {
                stamps.add(write.stamp().incarnation() + " " + write.stamp().serial());
                written++;
            }
        }
        assertThat(written).isGreaterThan(5);
        assertThat(stamps).hasSize(written);
    }

    @Test
    void aWriterWaitsForTwoBoundsBeforeItReads() {
        a.contend();
        store.pass(40 + SETTLE - 1);
        assertThat(a.asked()).hasSize(2);
        store.pass(1);
        assertThat(a.asked()).hasSize(3);
        assertThat(a.asked().get(2).request()).isInstanceOf(Read.class);
        assertThat(a.holds()).isFalse();
        store.pass(20);
        assertThat(a.holds()).isTrue();
    }

    @Test
    void whoseStampIsGoneAfterTheWaitWaitsForTheOneThatIsThere() {
        a.contend();
        b.contend();
        store.plan(b, Write.class, Course.of(50, 60));
        store.pass(PATIENCE);
        assertThat(b.holds()).isTrue();
        assertThat(a.holds()).isFalse();
        assertThat(a.writes()).hasSize(1);
    }

    /** However the two are timed against each other: the one whose write came last finds its stamp. */
    @Test
    void ofContendersThatFoundTheSameAtMostOneFindsItsStamp() {
        int decided = 0;
        for (long later = 0; later < DELTA; later += 7) {
            for (long effect = 0; effect < DELTA; effect += 9) {
                PaperStore race = new PaperStore(Form.KNOWN_DELAY);
                PaperClient one = race.client("one");
                PaperClient two = race.client("two");
                race.plan(two, Write.class, Course.of(effect, DELTA - 1));
                one.contend();
                race.pass(later);
                two.contend();
                race.pass(LEASE);
                assertThat(race.mostHolders()).as("%d, %d", later, effect).isLessThanOrEqualTo(1);
                decided += race.holders();
            }
        }
        assertThat(decided).as("most of them are decided").isGreaterThan(100);
    }

    @Test
    void aHoldersTimeCountsFromBeforeItsWrite() {
        store.plan(a, Write.class, Course.of(80, 90));
        a.contend();
        store.passUntilHeld(LEASE);
        long written = a.lastWrite().at();
        assertThat(store.millis()).isEqualTo(written + 90 + SETTLE + 20);
        assertThat(a.remaining()).isEqualTo(written + LEASE - store.millis());
    }

    @Test
    void aLeaseThatIsNotRenewedLastsForItsWholeTimeAfterTheReadThatDecides() {
        a.contendOnceOnly();
        store.passUntilHeld(LEASE);
        assertThat(a.remaining()).isEqualTo(LEASE);
        Stamp stamp = a.lastWrite().stamp();
        assertThat(stamp.leaseNanos()).as("others wait for so long").isGreaterThan(PaperStore.nanos(LEASE));
    }

    /** A read and the write that it allows take less than two bounds together: that is what the wait after a write is for. */
    @Test
    void aWriteIsNotBegunOneBoundAfterTheReadThatAllowedItBegan() {
        store.plan(a, Read.class, Course.of(5, 60));
        store.plan(a, Write.class, Course.of(10, 20).begun(DELTA - 60));
        a.contend();
        b.contend();
        store.passUntilHeld(LEASE);
        assertThat(b.holds()).as("what began too late was not begun").isTrue();
        assertThat(a.writes()).hasSize(1);
        store.pass(DELTA);
        assertThat(a.holds()).isFalse();
    }

    @Test
    void anAnswerOfALateReadAllowsNoWrite() {
        store.plan(a, Read.class, Course.of(0, DELTA));
        a.contend();
        store.pass(DELTA);
        assertThat(a.writes()).isEmpty();
    }

    @Test
    void compareAndSetDecidesByItself() {
        PaperStore comparing = new PaperStore(Form.COMPARE_AND_SET);
        PaperClient one = comparing.client("one");
        PaperClient two = comparing.client("two");
        one.contend();
        two.contend();
        comparing.pass(40);
        assertThat(one.holds()).isTrue();
        assertThat(two.holds()).isFalse();
        assertThat(one.asked()).hasSize(2);
        assertThat(two.lastWrite().request()).isInstanceOf(CompareAndSet.class);
    }

    @Test
    void compareAndSetWaitsForNoMoreThanTheLeaseTime() {
        PaperStore comparing = new PaperStore(Form.COMPARE_AND_SET);
        PaperClient one = comparing.client("one");
        PaperClient two = comparing.client("two");
        one.contend();
        comparing.pass(50);
        one.crash();
        two.contend();
        comparing.pass(20);
        long seenAt = comparing.millis();
        comparing.passUntilHeld(2 * LEASE);
        assertThat(two.lastWrite().at()).isBetween(seenAt + LEASE, seenAt + LEASE + DELTA);
    }

    @Test
    void allWaitsAreLongerWhereClocksMayDifferInRate() {
        PaperStore drifting = new PaperStore(Form.KNOWN_DELAY, 0.1, () -> 0);
        PaperClient one = drifting.client("one");
        PaperClient two = drifting.client("two");
        one.contend();
        drifting.pass(50);
        one.crash();
        two.contend();
        drifting.pass(20);
        long seenAt = drifting.millis();
        drifting.passUntilHeld(3 * LEASE);
        long patience = (long) Math.ceil((LEASE + DELTA) * 1.1 / 0.9);
        assertThat(two.lastWrite().at()).isBetween(seenAt + patience, seenAt + patience + DELTA);
        assertThat(drifting.millis() - two.lastWrite().at())
                .isGreaterThanOrEqualTo(20 + (long) Math.ceil(SETTLE * 1.1 / 0.9));
    }
}
