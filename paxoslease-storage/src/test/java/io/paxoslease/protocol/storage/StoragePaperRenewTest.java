package io.paxoslease.protocol.storage;

import static io.paxoslease.protocol.storage.PaperStore.DELTA;
import static io.paxoslease.protocol.storage.PaperStore.LEASE;
import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.protocol.Effect.Extended;
import io.paxoslease.protocol.Effect.Lost;
import io.paxoslease.protocol.Effect.Renewed;
import io.paxoslease.protocol.storage.PaperClient.Asked;
import io.paxoslease.protocol.storage.PaperStore.Course;
import io.paxoslease.protocol.storage.PaperStore.Form;
import io.paxoslease.protocol.storage.RegisterMessage.Read;
import io.paxoslease.protocol.storage.RegisterMessage.Write;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * How a holder renews its lease in the paper of Chockler and Malkhi: by one write where the bound on accesses has always held, by a
 * read, a write, a wait and a read where it holds only from some moment on.
 *
 * <p>Different here: the new time counts from before the renewal's write, as in an acquisition, so other clients wait one access
 * bound more than the lease time with both kinds of renewal; in the paper it is six bounds with the second kind. A
 * renewal begins after a third of the lease time, so there is time to try again, and a holder whose renewal fails holds the
 * lease until its old deadline. With compare-and-set a renewal replaces the stamp that it knows of, which needs neither reads nor
 * a wait.
 */
class StoragePaperRenewTest {

    private static final long SETTLE = 2 * DELTA;

    private static PaperClient holder(PaperStore store) {
        PaperClient holder = store.client("holder");
        holder.contend();
        store.pass(300);
        assertThat(holder.holds()).isTrue();
        return holder;
    }

    /** What the holder asked of the store since its first renewal began. */
    private static List<Asked> renewal(PaperClient holder, int before) {
        return holder.asked().subList(before, holder.asked().size());
    }

    // Known delay

    @Test
    void whereTheDelayIsKnownARenewalIsOneWriteBeforeTheLeaseEnds() {
        PaperStore store = new PaperStore(Form.KNOWN_DELAY);
        PaperClient a = holder(store);
        int before = a.asked().size();
        store.pass(LEASE / 3);
        assertThat(renewal(a, before)).singleElement().satisfies(asked -> {
            assertThat(asked.request()).isInstanceOf(Write.class);
            assertThat(asked.at()).isEqualTo(20 + LEASE / 3);
        });
        assertThat(a.all(Extended.class)).hasSize(1);
        assertThat(a.remaining()).as("from before the write").isEqualTo(20 + LEASE / 3 + LEASE - store.millis());
    }

    @Test
    void aRenewalWritesAFreshStampOfTheSameTenure() {
        PaperStore store = new PaperStore(Form.KNOWN_DELAY);
        PaperClient a = holder(store);
        Stamp first = a.lastWrite().stamp();
        store.pass(LEASE);
        Stamp last = a.lastWrite().stamp();
        assertThat(last.serial()).isGreaterThan(first.serial());
        assertThat(last.sequence()).isGreaterThan(first.sequence());
        assertThat(last.token()).isEqualTo(first.token()).isEqualTo(a.token());
    }

    /** The wait of others is an access bound longer than the lease for that. */
    @Test
    void aRenewalThatBeginsJustBeforeTheEndIsSeenInTime() {
        PaperStore store = new PaperStore(Form.KNOWN_DELAY);
        PaperClient a = store.client("a");
        PaperClient b = store.client("b");
        a.contend();
        store.pass(21);
        b.contend(); // it sees the first stamp as soon as that is there
        store.pass(320);
        renewsJustBeforeTheEnd(store, a, Course.of(DELTA - 1, DELTA - 1));
        store.pass(LEASE - DELTA);
        assertThat(store.stamp()).isEqualTo(a.lastWrite().stamp());
        assertThat(b.writes()).as("it waits for the renewal as well").isEmpty();
    }

    @Test
    void noRenewalBeginsWhenTheLeaseHasEnded() {
        PaperStore store = new PaperStore(Form.KNOWN_DELAY);
        PaperClient a = holder(store);
        Stamp first = a.lastWrite().stamp();
        renewsJustBeforeTheEnd(store, a, Course.USUAL.begun(40));
        assertThat(a.holds()).isFalse();
        assertThat(store.stamp()).isEqualTo(first);
    }

    /** All that come before are lost. */
    private static void renewsJustBeforeTheEnd(PaperStore store, PaperClient holder, Course course) {
        long end = store.millis() + holder.remaining();
        store.courses = (client, request) -> client != holder
                ? Course.USUAL
                : store.millis() < end - 10
                        ? Course.of(PaperStore.NEVER, DELTA - 2).failing()
                        : course;
        store.pass(end - store.millis() + DELTA);
        assertThat(holder.lastWrite().at()).isBetween(end - 10, end - 1);
    }

    /** Which is why this kind needs a bound that has always held: two that hold by an accident both go on. */
    @Test
    void aRenewalByOneWriteDoesNotLookWhoHolds() {
        PaperStore store = new PaperStore(Form.KNOWN_DELAY);
        PaperClient a = holder(store);
        PaperClient b = accidentalHolder(store);
        store.pass(3 * LEASE);
        assertThat(a.holds() && b.holds()).isTrue();
    }

    /** By a clock that jumps, which the model allows only before the system is stable. */
    private static PaperClient accidentalHolder(PaperStore store) {
        PaperClient b = store.client("b");
        b.contend();
        store.pass(25);
        b.leap(2 * LEASE);
        store.pass(350);
        assertThat(b.holds()).isTrue();
        assertThat(store.holders()).isEqualTo(2);
        return b;
    }

    // Eventual

    @Test
    void otherwiseARenewalReadsWritesWaitsAndReads() {
        PaperStore store = new PaperStore(Form.EVENTUAL);
        PaperClient a = holder(store);
        int before = a.asked().size();
        store.pass(LEASE / 3);
        List<Asked> renewal = renewal(a, before);
        assertThat(renewal).hasSize(3);
        assertThat(renewal.get(0).request()).isInstanceOf(Read.class);
        assertThat(renewal.get(1).request()).isInstanceOf(Write.class);
        assertThat(renewal.get(2).request()).isInstanceOf(Read.class);
        assertThat(renewal.get(2).at() - renewal.get(1).at()).isEqualTo(20 + SETTLE);
    }

    @Test
    void itCountsWhenTheLastReadHasShownTheNewStamp() {
        PaperStore store = new PaperStore(Form.EVENTUAL);
        PaperClient a = holder(store);
        int writes = a.writes().size();
        while (a.writes().size() == writes) {
            store.pass(1);
        }
        long written = store.millis();
        long left = a.remaining();
        store.pass(20 + SETTLE + 19);
        assertThat(a.all(Extended.class)).isEmpty();
        assertThat(a.remaining()).as("until then the old deadline stands").isEqualTo(left - (20 + SETTLE + 19));
        store.pass(1);
        assertThat(a.all(Extended.class)).hasSize(1);
        assertThat(a.remaining()).isEqualTo(written + LEASE - store.millis());
    }

    @Test
    void aHolderThatReadsAnothersStampWritesNothingAndHoldsNoMore() {
        PaperStore store = new PaperStore(Form.EVENTUAL);
        PaperClient a = holder(store);
        PaperClient b = accidentalHolder(store);
        int writes = a.writes().size();
        store.pass(LEASE / 2);
        assertThat(a.holds()).isFalse();
        assertThat(a.all(Lost.class)).hasSize(1);
        assertThat(a.writes()).hasSize(writes);
        store.pass(LEASE);
        assertThat(b.holds()).isTrue();
    }

    @Test
    void aHolderWhoseStampIsOverwrittenDuringTheWaitHoldsNoMore() {
        PaperStore store = new PaperStore(Form.EVENTUAL);
        PaperClient a = holder(store);
        int writes = a.writes().size();
        while (a.writes().size() == writes) {
            store.pass(1);
        }
        store.pass(SETTLE);
        store.overwrite("another", a.lastWrite().stamp());
        store.pass(DELTA);
        assertThat(a.holds()).isFalse();
        assertThat(a.all(Extended.class)).isEmpty();
        assertThat(a.all(Lost.class)).hasSize(1);
    }

    /** Whenever the second one came to hold, before a renewal, between its steps or after it. */
    @Test
    void ofSeveralAccidentalHoldersOneAtMostSurvivesARenewal() {
        int survived = 0;
        for (long at = 300; at < 300 + LEASE / 2; at += 11) {
            PaperStore store = new PaperStore(Form.EVENTUAL);
            PaperClient a = holder(store);
            PaperClient b = store.client("b");
            PaperClient c = store.client("c");
            b.contend();
            c.contend();
            store.pass(at - 300);
            b.leap(2 * LEASE);
            store.pass(at % 90);
            c.leap(2 * LEASE);
            store.pass(LEASE);
            assertThat(store.holders()).as("at %d", at).isLessThanOrEqualTo(1);
            assertThat(a.holds() && a.all(Lost.class).isEmpty()).isEqualTo(a.holds());
            survived += store.holders();
        }
        assertThat(survived).isGreaterThan(100);
    }

    @Test
    void aRenewalThatAHolderAsksForIsAnsweredByWhetherItStillHolds() {
        for (boolean taken : new boolean[] {false, true}) {
            PaperStore store = new PaperStore(Form.EVENTUAL);
            PaperClient a = holder(store);
            if (taken) {
                accidentalHolder(store);
            }
            a.renew();
            store.pass(5 * DELTA);
            assertThat(a.all(Renewed.class)).singleElement().satisfies(answer -> assertThat(answer.extended())
                    .isEqualTo(!taken));
        }
    }

    // Compare and set

    @Test
    void whereTheStoreComparesARenewalReplacesTheStampThatTheHolderKnows() {
        PaperStore store = new PaperStore(Form.COMPARE_AND_SET);
        PaperClient a = holder(store);
        int before = a.asked().size();
        store.pass(LEASE / 3);
        assertThat(renewal(a, before)).hasSize(1);
        assertThat(a.all(Extended.class)).hasSize(1);
        PaperClient b = accidentalHolder(store);
        store.pass(LEASE);
        assertThat(b.holds()).isTrue();
        assertThat(a.holds()).isFalse();
    }
}
