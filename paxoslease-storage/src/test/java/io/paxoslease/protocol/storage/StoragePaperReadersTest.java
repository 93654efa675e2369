package io.paxoslease.protocol.storage;

import static io.paxoslease.protocol.storage.PaperStore.DELTA;
import static io.paxoslease.protocol.storage.PaperStore.LEASE;
import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.protocol.Effect.Lost;
import io.paxoslease.protocol.storage.PaperStore.Course;
import io.paxoslease.protocol.storage.PaperStore.Form;
import io.paxoslease.protocol.storage.RegisterMessage.Write;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Readers and writers of Chockler and Malkhi: readers share the lease, and each writer contends for itself.
 *
 * <p>Corrected here: in the paper all readers contend under one common name. Then a reader whose write was held up could take the
 * stamp of readers that began after a writer had come and gone for its own, and hold while the next writer held. Here readers
 * are known by the stamp that they began with. Other clients wait two access bounds more than the lease for readers, because
 * the stamps of two readers may be ordered otherwise than they were seen, and a shared lease is not released: it lapses.
 */
class StoragePaperReadersTest {

    private static PaperStore store(Form form) {
        PaperStore store = new PaperStore(form);
        store.client("a");
        store.client("b");
        store.client("c");
        return store;
    }

    @ParameterizedTest
    @EnumSource(Form.class)
    void readersHoldTogetherAndDoNotWaitForEachOther(Form form) {
        PaperStore store = store(form);
        PaperClient a = store.clients.get(0);
        PaperClient b = store.clients.get(1);
        a.contendAsReader();
        store.pass(300);
        b.contendAsReader();
        store.pass(300);
        assertThat(a.holds() && b.holds()).isTrue();
        store.pass(5 * LEASE);
        assertThat(a.holds() && b.holds()).as("they renew side by side").isTrue();
        assertThat(a.all(Lost.class)).isEmpty();
    }

    @Test
    void readersThatBeginTogetherHoldTogether() {
        PaperStore store = store(Form.EVENTUAL);
        PaperClient a = store.clients.get(0);
        a.contendAsReader();
        store.pass(300);
        for (PaperClient other : store.clients.subList(1, 3)) {
            other.contendAsReader();
        }
        store.pass(600);
        assertThat(store.holders()).isEqualTo(3);
    }

    @ParameterizedTest
    @EnumSource(Form.class)
    void aWriterWaitsForTheLastOfTheReaders(Form form) {
        PaperStore store = store(form);
        PaperClient a = store.clients.get(0);
        PaperClient b = store.clients.get(1);
        PaperClient writer = store.clients.get(2);
        a.contendAsReader();
        store.pass(300);
        b.contendAsReader();
        writer.contend();
        store.pass(3 * LEASE);
        assertThat(a.holds() && b.holds() && !writer.holds()).isTrue();
        a.crash();
        store.pass(2 * LEASE);
        assertThat(writer.holds()).as("one reader is left").isFalse();
        b.crash();
        store.pass(LEASE + 8 * DELTA);
        assertThat(writer.holds()).isTrue();
    }

    @ParameterizedTest
    @EnumSource(Form.class)
    void readersWaitForAWriter(Form form) {
        PaperStore store = store(form);
        PaperClient writer = store.clients.get(0);
        writer.contend();
        store.pass(300);
        store.clients.get(1).contendAsReader();
        store.clients.get(2).contendAsReader();
        store.pass(3 * LEASE);
        assertThat(store.mostHolders()).isEqualTo(1);
        assertThat(writer.holds()).isTrue();
        writer.crash();
        store.pass(2 * LEASE);
        assertThat(store.holders()).isEqualTo(2);
    }

    /** The last stamp that a writer has seen may not be the last that was written. */
    @Test
    void readersAreWaitedForTwoBoundsLongerThanTheirLease() {
        PaperStore store = store(Form.EVENTUAL);
        PaperClient reader = store.clients.get(0);
        PaperClient writer = store.clients.get(1);
        reader.contendAsReader();
        store.pass(300);
        reader.crash();
        writer.contend();
        store.pass(20);
        long seenAt = store.millis();
        store.passUntilHeld(2 * LEASE);
        long waited = writer.lastWrite().at() - seenAt;
        assertThat(waited).isBetween(LEASE + 2 * DELTA, LEASE + 3 * DELTA);
    }

    @Test
    void aReadersStampSaysWithWhichReadersItsOwnerHolds() {
        PaperStore store = store(Form.EVENTUAL);
        PaperClient a = store.clients.get(0);
        PaperClient b = store.clients.get(1);
        PaperClient c = store.clients.get(2);
        a.contendAsReader();
        store.pass(300);
        b.contendAsReader();
        store.pass(300);
        String readers = a.lastWrite().stamp().readers();
        assertThat(readers).isNotEmpty();
        assertThat(b.lastWrite().stamp().readers()).isEqualTo(readers);
        a.crash();
        b.crash();
        PaperClient writer = store.client("writer");
        writer.contend();
        store.pass(2 * LEASE);
        assertThat(writer.holds()).isTrue();
        writer.crash();
        c.contendAsReader();
        store.pass(2 * LEASE);
        assertThat(c.holds()).isTrue();
        assertThat(c.lastWrite().stamp().readers())
                .as("after a writer they begin again")
                .isNotEqualTo(readers);
    }

    /** The reader's own stamp is gone, and what is there is of readers that began without it. */
    @Test
    void aReaderDoesNotHoldByTheStampOfReadersThatBeganWithoutIt() {
        PaperStore store = store(Form.EVENTUAL);
        PaperClient a = store.clients.get(0);
        PaperClient b = store.clients.get(1);
        store.plan(b, Write.class, Course.of(70, 80));
        a.contendAsReader();
        b.contendAsReader();
        store.pass(330);
        assertThat(b.holds()).isTrue();
        assertThat(a.holds()).isFalse();
        assertThat(a.writes().get(0).stamp().readers())
                .isNotEqualTo(b.writes().get(0).stamp().readers());
        store.pass(200);
        assertThat(a.holds()).as("it joins them by another stamp").isTrue();
        assertThat(a.lastWrite().stamp().readers())
                .isEqualTo(b.lastWrite().stamp().readers());
    }

    @Test
    void aSharedLeaseIsNotReleasedButLapses() {
        for (Form form : Form.values()) {
            PaperStore store = store(form);
            PaperClient a = store.clients.get(0);
            PaperClient writer = store.clients.get(2);
            a.contendAsReader();
            store.pass(300);
            int writes = a.writes().size();
            a.release();
            writer.contend();
            store.pass(LEASE - 300);
            assertThat(a.writes()).hasSize(writes);
            assertThat(writer.holds()).isFalse();
            store.pass(10 * DELTA);
            assertThat(writer.holds()).isTrue();
        }
    }
}
