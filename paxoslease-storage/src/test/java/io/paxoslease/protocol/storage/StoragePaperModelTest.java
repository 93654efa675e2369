package io.paxoslease.protocol.storage;

import static io.paxoslease.protocol.storage.PaperStore.DELTA;
import static io.paxoslease.protocol.storage.PaperStore.LEASE;
import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.protocol.storage.PaperStore.Course;
import io.paxoslease.protocol.storage.PaperStore.Form;
import io.paxoslease.protocol.storage.PaperStore.Sight;
import io.paxoslease.protocol.storage.RegisterMessage.Read;
import io.paxoslease.protocol.storage.RegisterMessage.Write;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The model of Chockler and Malkhi: any number of clients, one regular register for a lease, and a bound on accesses that has
 * always held (known delay) or holds from some moment on (eventual).
 *
 * <p>Different here: clocks need not run at one rate, but within a bound of it. The bound on accesses is not trusted: each access is
 * timed, one that takes as long as the bound has failed, and a client begins nothing else while a write of it may still land. What a
 * store that compares and sets keeps rests on no bound at all.
 */
class StoragePaperModelTest {

    private final PaperStore store = new PaperStore(Form.EVENTUAL);

    @Test
    void clientsComeAndGoAndNoOtherIsToldOfThem() {
        PaperClient last = null;
        for (int i = 0; i < 12; i++) {
            PaperClient next = store.client("client" + i);
            next.contend();
            store.pass(2 * LEASE);
            assertThat(next.holds()).as("client %d", i).isTrue();
            assertThat(last == null || next.token() > last.token()).isTrue();
            next.crash();
            last = next;
        }
        assertThat(store.mostHolders()).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource(Sight.class)
    void aReadThatIsConcurrentWithAWriteMayAnswerEither(Sight sight) {
        for (Form form : Form.values()) {
            for (long later = 0; later < 5 * DELTA; later += 5) {
                PaperStore race = new PaperStore(form);
                race.courses = (client, request) -> Course.of(70, 80).seeing(sight);
                PaperClient a = race.client("a");
                PaperClient b = race.client("b");
                a.contend();
                race.pass(later);
                b.contend();
                race.pass(2 * LEASE);
                assertThat(race.mostHolders()).as("%s, %d", form, later).isEqualTo(1);
            }
        }
    }

    /** Clocks start a long way apart in all these tests. */
    @Test
    void clocksNeedNotShowTheSameTime() {
        PaperClient a = store.client("a");
        PaperClient b = store.client("b");
        assertThat(a.now().moment().nanosUntil(b.now().moment())).isGreaterThan(PaperStore.nanos(1_000 * LEASE));
        a.contend();
        store.pass(300);
        a.crash();
        b.contend();
        store.pass(LEASE);
        assertThat(b.holds()).isFalse();
        store.pass(6 * DELTA);
        assertThat(b.holds()).isTrue();
    }

    @ParameterizedTest
    @EnumSource(Form.class)
    void clocksNeedNotRunAtOneRate(Form form) {
        double drift = 0.1;
        PaperStore drifting = new PaperStore(form, drift, () -> 0);
        PaperClient slow = drifting.client("slow", 1 - drift);
        PaperClient fast = drifting.client("fast", 1 + drift);
        slow.contendOnceOnly();
        drifting.pass(10);
        fast.contend();
        drifting.pass(3 * LEASE);
        assertThat(fast.holds()).isTrue();
        assertThat(drifting.mostHolders()).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource(Form.class)
    void anAccessThatTakesTheBoundHasFailedThoughItHadItsEffect(Form form) {
        PaperStore slow = new PaperStore(form);
        PaperClient a = slow.client("a");
        Class<? extends RegisterMessage.Request> write =
                form == Form.COMPARE_AND_SET ? RegisterMessage.CompareAndSet.class : Write.class;
        slow.plan(a, write, Course.of(10, DELTA));
        a.contend();
        slow.pass(20 + DELTA);
        assertThat(slow.stamp()).isNotNull();
        slow.pass(2 * DELTA + 40);
        assertThat(a.holds() && a.writes().size() == 1)
                .as("by the stamp of that access")
                .isFalse();
    }

    @Test
    void aClientBeginsNothingWhileAWriteOfItMayStillLand() {
        PaperClient a = store.client("a");
        store.plan(a, Write.class, Course.of(90, 5).failing());
        a.contend();
        store.pass(20 + DELTA - 1);
        assertThat(a.asked()).hasSize(2);
        store.pass(1);
        assertThat(a.asked()).hasSize(3);
        assertThat(a.asked().get(2).request()).isInstanceOf(Read.class);
    }

    @Test
    void aStoreThatDoesNotAnswerHoldsNothingUpForLongerThanTheBound() {
        PaperClient a = store.client("a");
        store.plan(a, Read.class, Course.of(PaperStore.NEVER, PaperStore.NEVER));
        a.contend();
        store.pass(2 * DELTA);
        assertThat(a.writes()).hasSize(1);
        store.pass(5 * DELTA);
        assertThat(a.holds()).isTrue();
    }

    /** The eventual model allows it, and no algorithm in it can prevent it. */
    @Test
    void beforeTheSystemIsStableTwoMayHold() {
        PaperClient a = store.client("a");
        PaperClient b = store.client("b");
        a.contend();
        store.pass(300);
        b.contend();
        store.pass(25);
        b.leap(2 * LEASE);
        store.pass(4 * DELTA);
        assertThat(store.mostHolders()).isEqualTo(2);
        store.pass(LEASE);
        assertThat(store.holders()).as("afterwards one renewal decides").isEqualTo(1);
    }

    /** Where a store only reads and writes, such a write takes the place of the holder's stamp. */
    @Test
    void aWriteThatLandsLateChangesNothingWhereTheStoreCompares() {
        for (Form form : Form.values()) {
            PaperStore slow = new PaperStore(form);
            PaperClient a = slow.client("a");
            PaperClient b = slow.client("b");
            PaperStore.Courses usual = slow.courses;
            slow.courses = (client, request) -> client == a && a.writes().size() == 1 && !(request instanceof Read)
                    ? Course.of(LEASE, PaperStore.NEVER)
                    : usual.of(client, request);
            a.contend();
            b.contend();
            slow.pass(5 * DELTA);
            assertThat(b.holds()).isTrue();
            slow.courses = usual;
            slow.pass(LEASE - 5 * DELTA + 20);
            assertThat(Objects.requireNonNull(slow.stamp())
                            .incarnation()
                            .equals(b.lastWrite().stamp().incarnation()))
                    .as("%s", form)
                    .isEqualTo(form == Form.COMPARE_AND_SET);
        }
    }
}
