package io.paxoslease.protocol.storage;

import static io.paxoslease.protocol.storage.PaperStore.DELTA;
import static io.paxoslease.protocol.storage.PaperStore.LEASE;
import static io.paxoslease.protocol.storage.PaperStore.NEVER;
import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.protocol.storage.PaperStore.Course;
import io.paxoslease.protocol.storage.PaperStore.Form;
import io.paxoslease.protocol.storage.RegisterMessage.CompareAndSet;
import io.paxoslease.protocol.storage.RegisterMessage.Request;
import io.paxoslease.protocol.storage.RegisterMessage.Write;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * How a holder releases its lease. In the paper of Chockler and Malkhi it empties the register, and the next contender does not wait.
 *
 * <p>Corrected here: a write that empties the register may land after the lease has ended and wipe the stamp of the next holder.
 * With compare-and-set only the releasing client's own stamp is replaced, by one that says that the lease is free and keeps the
 * sequence number. Where the store only reads and writes, the register keeps the stamp, and a second register, the release
 * record, names the stamp that is given up. A contender that finds that very stamp in the register need not wait. So a
 * release may land at any time, and frees no other stamp.
 */
class StoragePaperReleaseTest {

    /** From a release until a contender that waits has read of it, has written, and holds. */
    private static long handOver(Form form) {
        return form == Form.COMPARE_AND_SET ? DELTA + 20 : 4 * DELTA;
    }

    private static PaperClient holder(PaperStore store) {
        PaperClient holder = store.client("holder");
        holder.contend();
        store.pass(300);
        assertThat(holder.holds()).isTrue();
        return holder;
    }

    private static Class<? extends Request> change(Form form) {
        return form == Form.COMPARE_AND_SET ? CompareAndSet.class : Write.class;
    }

    private static Stamp stamp(PaperStore store) {
        return Objects.requireNonNull(store.stamp());
    }

    @ParameterizedTest
    @EnumSource(Form.class)
    void theNextContenderDoesNotWait(Form form) {
        PaperStore store = new PaperStore(form);
        PaperClient a = holder(store);
        PaperClient b = store.client("b");
        a.release();
        store.pass(50);
        b.contend();
        store.pass(handOver(form));
        assertThat(b.holds()).isTrue();
    }

    @ParameterizedTest
    @EnumSource(Form.class)
    void aContenderThatWaitsIsServedSoon(Form form) {
        for (long later = 0; later < DELTA; later += 9) {
            PaperStore store = new PaperStore(form);
            PaperClient a = holder(store);
            PaperClient b = store.client("b");
            b.contend();
            store.pass(LEASE / 2 + later);
            a.release();
            store.pass(handOver(form));
            assertThat(b.holds()).as("%d", later).isTrue();
            assertThat(store.mostHolders()).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @EnumSource(Form.class)
    void tokensRiseOverReleases(Form form) {
        PaperStore store = new PaperStore(form);
        PaperClient a = store.client("a");
        PaperClient b = store.client("b");
        long last = 0;
        for (PaperClient next : new PaperClient[] {a, b, b, a, b}) {
            next.contend();
            store.pass(2 * handOver(form));
            assertThat(next.holds()).isTrue();
            assertThat(next.token()).isGreaterThan(last);
            last = next.token();
            next.release();
        }
    }

    @ParameterizedTest
    @EnumSource(Form.class)
    void aClientThatHoldsNothingReleasesNothing(Form form) {
        PaperStore store = new PaperStore(form);
        PaperClient a = holder(store);
        PaperClient b = store.client("b");
        b.contend();
        store.pass(DELTA);
        b.release(a.token());
        a.release(a.token() - 1);
        store.pass(handOver(form) + DELTA);
        assertThat(b.holds()).isFalse();
        assertThat(b.writes()).isEmpty();
        assertThat(b.releases()).isEmpty();
        assertThat(a.releases()).as("of an earlier tenure").isEmpty();
    }

    /** It may be the last stamp that the register gets, or not. */
    @ParameterizedTest
    @EnumSource(Form.class)
    void aReleaseDuringARenewalFollowsIt(Form form) {
        PaperStore store = new PaperStore(form);
        PaperClient a = holder(store);
        PaperClient b = store.client("b");
        store.plan(a, change(form), Course.of(30, 60));
        int writes = a.writes().size();
        while (a.writes().size() == writes) {
            store.pass(1);
        }
        Stamp renewal = a.lastWrite().stamp();
        store.pass(10);
        a.release();
        b.contend();
        store.pass(handOver(form) + DELTA);
        assertThat(b.holds()).isTrue();
        Stamp released = form == Form.COMPARE_AND_SET
                ? a.lastWrite().stamp()
                : a.releases().get(0).stamp();
        assertThat(released.sequence()).isEqualTo(renewal.sequence());
    }

    @ParameterizedTest
    @EnumSource(Form.class)
    void aReleaseWhoseOutcomeIsUnknownIsTriedAgain(Form form) {
        PaperStore store = new PaperStore(form);
        PaperClient a = holder(store);
        PaperClient b = store.client("b");
        b.contend();
        store.pass(DELTA);
        store.plan(a, change(form), Course.of(NEVER, 20).failing());
        a.release();
        store.pass(handOver(form) + 2 * DELTA);
        assertThat(b.holds()).isTrue();
    }

    /** The next holder's stamp is there by then. */
    @ParameterizedTest
    @EnumSource(Form.class)
    void aReleaseThatLandsLateFreesNothing(Form form) {
        PaperStore store = new PaperStore(form);
        PaperClient a = holder(store);
        PaperClient b = store.client("b");
        PaperClient c = store.client("c");
        b.contend();
        store.pass(25);
        store.plan(a, change(form), Course.of(2 * LEASE, NEVER));
        store.courses = (client, request) -> client == a ? Course.of(NEVER, NEVER) : Course.USUAL;
        a.release();
        store.pass(LEASE + 6 * DELTA);
        assertThat(b.holds()).isTrue();
        c.contend();
        store.pass(3 * LEASE);
        assertThat(b.holds()).isTrue();
        assertThat(stamp(store).incarnation()).isEqualTo(b.lastWrite().stamp().incarnation());
        assertThat(c.writes()).isEmpty();
        assertThat(store.mostHolders()).isEqualTo(1);
    }

    // Compare and set

    @Test
    void aReleasedRegisterKeepsTheSequenceNumber() {
        PaperStore store = new PaperStore(Form.COMPARE_AND_SET);
        PaperClient a = holder(store);
        long sequence = a.lastWrite().stamp().sequence();
        a.release();
        store.pass(50);
        assertThat(stamp(store).state()).isEqualTo(Stamp.State.RELEASED);
        assertThat(stamp(store).sequence()).isEqualTo(sequence);
    }

    // Read and write

    @ParameterizedTest
    @EnumSource(names = {"KNOWN_DELAY", "EVENTUAL"})
    void whereTheStoreOnlyWritesTheRegisterKeepsTheStampAndTheRecordNamesIt(Form form) {
        PaperStore store = new PaperStore(form);
        PaperClient a = holder(store);
        Stamp last = stamp(store);
        a.release();
        store.pass(LEASE);
        assertThat(stamp(store)).isEqualTo(last);
        assertThat(a.releases()).singleElement().satisfies(record -> {
            assertThat(record.stamp().state()).isEqualTo(Stamp.State.RELEASED);
            assertThat(record.stamp().incarnation()).isEqualTo(last.incarnation());
            assertThat(record.stamp().serial()).isEqualTo(last.serial());
        });
    }

    /** The record of the tenure before it stays. */
    @ParameterizedTest
    @EnumSource(names = {"KNOWN_DELAY", "EVENTUAL"})
    void aStampThatTheRecordDoesNotNameIsWaitedFor(Form form) {
        PaperStore store = new PaperStore(form);
        PaperClient a = holder(store);
        PaperClient b = store.client("b");
        a.release();
        store.pass(DELTA);
        a.contend();
        store.pass(4 * DELTA);
        assertThat(a.holds()).isTrue();
        b.contend();
        store.pass(2 * LEASE);
        assertThat(a.holds()).isTrue();
        assertThat(b.writes()).isEmpty();
    }

    /** The record names the older stamp then, and the newer one lapses. */
    @ParameterizedTest
    @EnumSource(names = {"KNOWN_DELAY", "EVENTUAL"})
    void aLateReleaseThatReplacesANewerOneCostsTimeAlone(Form form) {
        PaperStore store = new PaperStore(form);
        PaperClient a = holder(store);
        PaperClient b = store.client("b");
        PaperClient c = store.client("c");
        b.contend();
        store.pass(25);
        long landsAt = store.millis() + 2 * LEASE;
        store.plan(a, Write.class, Course.of(2 * LEASE, NEVER));
        store.courses = (client, request) -> client == a ? Course.of(NEVER, NEVER) : Course.USUAL;
        a.release();
        store.pass(landsAt - DELTA - store.millis());
        assertThat(b.holds()).isTrue();
        b.release();
        store.pass(DELTA + 10);
        c.contend();
        store.pass(handOver(form));
        assertThat(c.holds()).isFalse();
        store.pass(LEASE);
        assertThat(c.holds()).isTrue();
        assertThat(store.mostHolders()).isEqualTo(1);
    }

    /** A write that empties the register must not come so late. */
    @ParameterizedTest
    @EnumSource(names = {"KNOWN_DELAY", "EVENTUAL"})
    void aReleaseMayComeJustBeforeTheEnd(Form form) {
        PaperStore store = new PaperStore(form);
        PaperClient a = store.client("a");
        PaperClient b = store.client("b");
        a.contendOnceOnly();
        store.pass(300);
        store.pass(a.remaining() - 10);
        a.release();
        store.pass(20);
        assertThat(a.releases()).hasSize(1);
        b.contend();
        store.pass(handOver(form));
        assertThat(b.holds()).isTrue();
    }
}
