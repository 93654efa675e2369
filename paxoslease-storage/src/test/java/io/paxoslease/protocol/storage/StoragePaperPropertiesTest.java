package io.paxoslease.protocol.storage;

import static io.paxoslease.protocol.storage.PaperStore.DELTA;
import static io.paxoslease.protocol.storage.PaperStore.LEASE;
import static io.paxoslease.protocol.storage.PaperStore.NEVER;
import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.protocol.Effect.Extended;
import io.paxoslease.protocol.Effect.Lost;
import io.paxoslease.protocol.storage.PaperStore.Course;
import io.paxoslease.protocol.storage.PaperStore.Form;
import io.paxoslease.protocol.storage.PaperStore.Sight;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What Chockler and Malkhi promise of a lease: at most one holder once the system is stable, a holder if a correct client contends
 * and no other holds, and that a correct holder's renewal succeeds.
 *
 * <p>Different here: the paper's promise begins when the system becomes stable. A lease that was acquired before lasts for its time,
 * so what is judged here begins when all of these are over or have been renewed once. With compare-and-set at most one client
 * holds at any time, however slow the store is, as long as clocks keep their rates.
 */
class StoragePaperPropertiesTest {

    private static final int SEEDS = 60;
    private static final List<Sight> SIGHTS = List.of(Sight.values());

    private static Course withinTheBound(SplittableRandom random) {
        long effect = random.nextLong(DELTA);
        long answered = random.nextLong(effect, DELTA);
        return Course.of(effect, answered).seeing(SIGHTS.get(random.nextInt(SIGHTS.size())));
    }

    /** Late, lost, failed, or as it should be. */
    private static Course unstable(SplittableRandom random) {
        return switch (random.nextInt(6)) {
            case 0 -> Course.of(random.nextLong(4 * DELTA), 4 * DELTA);
            case 1 -> Course.of(random.nextLong(4 * DELTA), NEVER);
            case 2 -> Course.of(NEVER, random.nextLong(DELTA)).failing();
            default -> withinTheBound(random);
        };
    }

    private static PaperStore world(Form form, SplittableRandom random) {
        PaperStore store = new PaperStore(form, 0, random.split());
        for (String name : new String[] {"a", "b", "c"}) {
            store.client(name);
        }
        return store;
    }

    /** Users contend, release and crash as they like. */
    private static void live(PaperStore store, SplittableRandom random, long time) {
        for (long end = store.millis() + time; store.millis() < end; ) {
            PaperClient client = store.clients.get(random.nextInt(store.clients.size()));
            int act = random.nextInt(10);
            if (act == 0) {
                client.crash();
            } else if (act < 3 && client.holds()) {
                client.release();
            } else {
                client.contendIfIdle();
            }
            store.pass(random.nextLong(DELTA, 8 * DELTA));
        }
    }

    @ParameterizedTest
    @EnumSource(Form.class)
    void whileTheBoundHoldsAtMostOneClientHolds(Form form) {
        long grants = 0;
        for (int seed = 0; seed < SEEDS; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            PaperStore store = world(form, random);
            store.courses = (client, request) -> withinTheBound(random);
            live(store, random, 10 * LEASE);
            assertThat(store.mostHolders()).as("%s, seed %d", form, seed).isLessThanOrEqualTo(1);
            grants += store.clients.stream().mapToLong(PaperClient::grants).sum();
        }
        assertThat(grants).isGreaterThan(3 * SEEDS);
    }

    @Test
    void whereTheStoreComparesAtMostOneClientHoldsHoweverSlowItIs() {
        long grants = 0;
        for (int seed = 0; seed < SEEDS; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            PaperStore store = world(Form.COMPARE_AND_SET, random);
            store.courses = (client, request) -> unstable(random);
            live(store, random, 10 * LEASE);
            assertThat(store.mostHolders()).as("seed %d", seed).isLessThanOrEqualTo(1);
            grants += store.clients.stream().mapToLong(PaperClient::grants).sum();
        }
        assertThat(grants).isGreaterThan(2 * SEEDS);
    }

    /** Clocks that jump and accesses of any length before, and then nothing but what the model allows. */
    @Test
    void onceTheSystemIsStableAtMostOneClientHolds() {
        int overlaps = 0;
        for (int seed = 0; seed < SEEDS; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            PaperStore store = world(Form.EVENTUAL, random);
            store.courses = (client, request) -> unstable(random);
            for (int i = 0; i < 10; i++) {
                live(store, random, LEASE / 2);
                store.clients.get(random.nextInt(3)).leap(2 * LEASE);
            }
            overlaps += store.mostHolders() > 1 ? 1 : 0;
            store.courses = (client, request) -> withinTheBound(random);
            store.pass(LEASE + 4 * DELTA);
            store.mostHolders();
            live(store, random, 5 * LEASE);
            assertThat(store.mostHolders()).as("seed %d", seed).isLessThanOrEqualTo(1);
        }
        assertThat(overlaps).as("runs in which two held before").isPositive();
    }

    @ParameterizedTest
    @EnumSource(Form.class)
    void ifNoClientHoldsAndACorrectOneContendsOneComesToHold(Form form) {
        for (int seed = 0; seed < SEEDS; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            PaperStore store = world(form, random);
            store.courses = (client, request) -> unstable(random);
            live(store, random, 3 * LEASE);
            store.courses = (client, request) -> withinTheBound(random);
            store.clients.forEach(PaperClient::crash);
            PaperClient last = store.client("d");
            for (long end = store.millis() + 4 * LEASE; store.millis() < end && !last.holds(); ) {
                last.contendIfIdle();
                store.pass(DELTA);
            }
            assertThat(last.holds()).as("%s, seed %d", form, seed).isTrue();
        }
    }

    /** All of them begin at once, and each writes over the others; and again when the holder has gone. */
    @ParameterizedTest
    @EnumSource(Form.class)
    void amongManyThatContendOneComesToHold(Form form) {
        PaperStore store = new PaperStore(form, 0, new SplittableRandom(5));
        SplittableRandom random = new SplittableRandom(6);
        store.courses = (client, request) -> withinTheBound(random);
        for (int i = 0; i < 20; i++) {
            store.client("client" + i).contend();
        }
        for (int round = 0; round < 5; round++) {
            store.passUntilHeld(3 * LEASE);
            assertThat(store.holders()).as("round %d", round).isEqualTo(1);
            store.clients.stream().filter(PaperClient::holds).forEach(PaperClient::crash);
        }
        assertThat(store.mostHolders()).isLessThanOrEqualTo(1);
    }

    /** However often others look, and though every access takes nearly as long as it may. */
    @ParameterizedTest
    @EnumSource(Form.class)
    void theRenewalsOfACorrectHolderSucceed(Form form) {
        PaperStore store = world(form, new SplittableRandom(7));
        store.courses = (client, request) -> Course.of(DELTA - 2, DELTA - 1);
        PaperClient holder = store.clients.get(0);
        holder.contend();
        store.passUntilHeld(LEASE);
        store.clients.get(1).contend();
        store.clients.get(2).contend();
        store.pass(20 * LEASE);
        assertThat(holder.holds()).isTrue();
        assertThat(holder.all(Lost.class)).isEmpty();
        assertThat(holder.all(Extended.class)).hasSizeGreaterThan(30);
        assertThat(store.clients.get(1).writes()).isEmpty();
    }

    /** A crash costs others the rest of the lease, the bound, and the time that it takes to see it and to acquire. */
    @ParameterizedTest
    @EnumSource(Form.class)
    void aCrashedHolderIsWaitedForNoLongerThanItsLease(Form form) {
        PaperStore store = world(form, new SplittableRandom(8));
        PaperClient holder = store.clients.get(0);
        PaperClient waiter = store.clients.get(1);
        holder.contend();
        store.pass(LEASE);
        waiter.contend();
        store.pass(LEASE);
        long left = holder.remaining();
        holder.crash();
        store.pass(left);
        assertThat(waiter.holds()).isFalse();
        store.pass(LEASE / 3);
        assertThat(waiter.holds()).isTrue();
    }

    /** Before its end a holder stops by its own clock: it needs neither the store nor a message for that. */
    @ParameterizedTest
    @EnumSource(Form.class)
    void aHolderThatTheStoreDoesNotAnswerStopsBeforeAnotherHolds(Form form) {
        PaperStore store = world(form, new SplittableRandom(9));
        PaperClient holder = store.clients.get(0);
        holder.contend();
        store.pass(LEASE);
        store.clients.get(1).contend();
        store.courses = (client, request) -> client == holder ? Course.of(NEVER, NEVER) : Course.USUAL;
        store.pass(2 * LEASE);
        assertThat(holder.holds()).isFalse();
        assertThat(store.clients.get(1).holds()).isTrue();
        assertThat(store.mostHolders()).isEqualTo(1);
    }
}
