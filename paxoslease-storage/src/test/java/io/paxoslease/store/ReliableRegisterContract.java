package io.paxoslease.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paxoslease.testing.Background;
import io.paxoslease.testing.Eventually;
import io.paxoslease.testing.LogCapture;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Over any kind of stores: what every store has to keep, and what must not depend on a minority of them. */
abstract class ReliableRegisterContract extends RegisterContract {

    /** Never waited for where a majority answers. */
    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    /** Far more than a store in memory takes, and short enough to be waited for. */
    private static final Duration SHORT = Duration.ofMillis(500);

    private final Random random = new Random(5);
    private final MapRegister a = new MapRegister("A", compares());
    private final MapRegister b = new MapRegister("B", compares());
    private final MapRegister c = new MapRegister("C", compares());

    abstract boolean compares();

    List<MapRegister> stores() {
        return List.of(a, b, c);
    }

    @Override
    Register open() {
        return new ReliableRegister(stores(), TIMEOUT, random);
    }

    @Override
    int repetitions() {
        return 100;
    }

    @Override
    int longestContent() {
        return ReliableRegister.MAX_BYTES;
    }

    @Override
    boolean deletes() {
        return false;
    }

    @Test
    void oneStoreMayFail() throws IOException {
        for (MapRegister dead : stores()) {
            dead.fault(MapRegister.FAILS);
            open().write("x", bytes(dead.describe()));
            assertThat(open().read("x")).isEqualTo(bytes(dead.describe()));
            dead.fault(MapRegister.NONE);
            assertThat(open().read("x")).isEqualTo(bytes(dead.describe()));
        }
    }

    @Test
    void withoutAMajorityEveryAccessIsAnErrorThatNamesWhatFailed() {
        a.fault(MapRegister.FAILS);
        b.fault(MapRegister.FAILS);
        assertThatThrownBy(() -> open().read("x"))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("and 2 have to: ")
                .hasMessageContaining("map A: out of order")
                .hasMessageContaining("map B: out of order");
        assertThatThrownBy(() -> open().write("x", bytes("1"))).isInstanceOf(IOException.class);
    }

    /** Nothing here waits for the timeout: the test would run for an hour. */
    @Test
    void aStoreThatHangsHoldsNobodyUpAndComesBack() throws IOException {
        CountDownLatch hangs = new CountDownLatch(1);
        Register register = open();
        a.hangUntil(hangs);
        for (int i = 0; i < 200; i++) {
            register.write("x", bytes(i));
            assertThat(number(register.read("x"))).isEqualTo(i);
        }
        assertThat(a.hanging()).isLessThanOrEqualTo(Replica.THREADS);
        AtomicInteger calls = new AtomicInteger();
        a.fault((operation, name) -> calls.incrementAndGet());
        hangs.countDown();
        b.fault(MapRegister.FAILS);
        register.write("x", bytes("through A and C"));
        assertThat(register.read("x")).isEqualTo(bytes("through A and C"));
        assertThat(calls).as("what A was asked long ago is dropped").hasValueLessThan(50);
    }

    @Test
    void aMajorityThatHangsIsAnErrorInTime() {
        CountDownLatch hangs = new CountDownLatch(1);
        a.hangUntil(hangs);
        b.hangUntil(hangs);
        Register register = new ReliableRegister(stores(), SHORT, random);
        assertThatThrownBy(() -> register.read("x"))
                .isInstanceOf(IOException.class)
                .hasMessage("Of 3 stores, 1 answered within 500 ms, and 2 have to: map A: no answer; map B: no answer");
        hangs.countDown();
    }

    @Test
    void aStoreThatMissedAWriteIsOutvoted() throws IOException {
        open().write("x", bytes("old"));
        onlyTo(a, b);
        open().write("x", bytes("new"));
        onlyTo(b, c);
        assertThat(open().read("x")).isEqualTo(bytes("new"));
        onlyTo(a, c);
        assertThat(open().read("x")).isEqualTo(bytes("new"));
    }

    /** A write that reached one store is seen by one read; from then on by all. */
    @Test
    void noReadGoesBackBehindAnother() throws IOException {
        open().write("x", bytes("old"));
        Register dying = open();
        AtomicInteger accesses = new AtomicInteger();
        for (MapRegister store : List.of(b, c)) {
            store.fault((operation, name) -> {
                if (operation.equals("write") || operation.equals("compareAndSet")) {
                    accesses.incrementAndGet();
                    throw new IOException("cut off");
                }
            });
        }
        assertThatThrownBy(() -> dying.write("x", bytes("new"))).isInstanceOf(IOException.class);
        assertThat(accesses).hasPositiveValue();
        Eventually.until("the write reaches A", () -> at(a).equals("new"));
        onlyTo(b, c);
        assertThat(open().read("x")).isEqualTo(bytes("old"));
        onlyTo(a, b);
        assertThat(open().read("x")).isEqualTo(bytes("new"));
        onlyTo(b, c);
        assertThat(open().read("x")).isEqualTo(bytes("new"));
    }

    private static String at(MapRegister store) {
        try {
            Stamped found = MonotonicRegister.of(store).read("x");
            return found == null ? "" : new String(found.content(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** Stores that are simply overwritten would end up with the old content at two of three. */
    @Test
    void aWriteThatIsHeldUpDoesNotComeOverANewerOne() throws IOException, InterruptedException, ExecutionException {
        open().write("x", bytes("first"));
        CountDownLatch heldUp = new CountDownLatch(2);
        CountDownLatch go = new CountDownLatch(1);
        AtomicInteger landed = new AtomicInteger();
        AtomicBoolean failsOnce = new AtomicBoolean();
        for (MapRegister store : List.of(b, c)) {
            AtomicInteger writes = new AtomicInteger();
            store.fault((operation, name) -> {
                boolean change = operation.equals("write") || operation.equals("compareAndSet");
                if (!change && store == c && failsOnce.getAndSet(false)) {
                    throw new IOException("planned");
                }
                if (change && writes.getAndIncrement() == 0) {
                    heldUp.countDown();
                    await(go);
                    landed.incrementAndGet();
                }
            });
        }
        Register slow = open();
        Background<Boolean> late = Background.start(() -> {
            slow.write("x", bytes("late"));
            return true;
        });
        await(heldUp);
        Eventually.until("the third store has it", () -> at(a).equals("late"));
        Eventually.until("nothing else is under way", () -> threadsThatWait() == 0);
        failsOnce.set(true); // the third store is asked, so that what follows is newer
        open().write("x", bytes("newer"));
        go.countDown();
        late.result();
        Eventually.until("both land", () -> landed.get() == 2 && threadsThatWait() == 0);
        for (List<MapRegister> pair : List.of(List.of(a, b), List.of(b, c), List.of(a, c))) {
            onlyTo(pair.get(0), pair.get(1));
            assertThat(open().read("x")).isEqualTo(bytes("newer"));
        }
    }

    private static long threadsThatWait() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("paxoslease-store"))
                .filter(thread -> thread.getState() == Thread.State.RUNNABLE)
                .count();
    }

    private static void await(CountDownLatch latch) throws IOException {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }

    private void onlyTo(MapRegister one, MapRegister two) {
        for (MapRegister store : stores()) {
            store.fault(store == one || store == two ? MapRegister.NONE : MapRegister.FAILS);
        }
    }

    @Test
    void itStartsWithoutAMinorityAndSaysWhatIsMissing() throws IOException {
        try (LogCapture log = LogCapture.of(ReliableRegister.class)) {
            b.fault(MapRegister.FAILS);
            open().check();
            assertThat(log.warnings("A store of a reliable register fails: 2 of 3, map B: out of order"))
                    .hasSize(1);
        }
        CountDownLatch hangs = new CountDownLatch(1);
        b.fault(MapRegister.NONE);
        c.hangUntil(hangs);
        try (LogCapture log = LogCapture.of(ReliableRegister.class)) {
            new ReliableRegister(stores(), SHORT, SHORT, random).check();
            assertThat(log.warnings("map C: no answer")).hasSize(1);
        }
        b.fault(MapRegister.FAILS);
        assertThatThrownBy(new ReliableRegister(stores(), SHORT, SHORT, random)::check)
                .isInstanceOf(IOException.class)
                .hasMessageContaining("map B: out of order")
                .hasMessageContaining("map C: no answer");
        hangs.countDown();
    }

    @Test
    void onlyAnOddNumberOfUsableStoresMakesOne() {
        assertThatThrownBy(() -> new ReliableRegister(List.of(a, b), SHORT, random))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("an odd number, not 2");
        assertThatThrownBy(() -> new ReliableRegister(List.of(a), SHORT, random))
                .isInstanceOf(IllegalArgumentException.class);
        Register plain = new PlainRegister(a);
        assertThatThrownBy(() -> new ReliableRegister(List.of(a, b, plain), SHORT, random))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("cannot use map A")
                .hasMessageContaining("compares and sets, or one that lists its names");
        assertThat(open().describe()).isEqualTo("3 stores of which 1 may fail: map A, map B, map C");
    }
}
