package io.paxoslease.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The reliable register of Chockler and Malkhi: one register made of 2t + 1 base registers of which t may stop answering.
 *
 * <p>Corrected here: the paper overwrites base registers. A write that is held up then puts an old content back over a newer one, at
 * one base register after the other, until a majority has it. Here the stamps of a base register only rise: the store
 * compares and sets, or each stamp has a name of its own there. And a read writes back what it answers, which the paper needs only
 * for atomicity: a majority that a write reached in part must not be forgotten by the next read.
 */
class StoragePaperRegisterTest {

    /** Never waited for where a majority answers. */
    private static final Duration TIMEOUT = Duration.ofSeconds(20);

    private final Random random = new Random(11);

    private static List<MapRegister> bases(int count, boolean compares) {
        List<MapRegister> bases = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            bases.add(new MapRegister("base " + i, compares));
        }
        return bases;
    }

    private Register client(List<MapRegister> bases) {
        return new ReliableRegister(bases, TIMEOUT, random);
    }

    /** The others fail. */
    private static void reach(List<MapRegister> bases, int answering) {
        for (int i = 0; i < bases.size(); i++) {
            bases.get(i).fault((answering & (1 << i)) == 0 ? MapRegister.FAILS : MapRegister.NONE);
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static void plant(MapRegister base, String name, long count, long writer, String text) throws IOException {
        MonotonicRegister.of(base).raise(name, new Stamped(count, writer, 1, bytes(text)));
    }

    /** All sets of answering base registers that have that many members. */
    private static List<Integer> sets(int bases, int members) {
        List<Integer> sets = new ArrayList<>();
        for (int set = 0; set < 1 << bases; set++) {
            if (Integer.bitCount(set) == members) {
                sets.add(set);
            }
        }
        return sets;
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whatOneMajorityHasTakenEveryOtherMajorityAnswers(boolean compares) throws IOException {
        for (int tolerated = 1; tolerated <= 2; tolerated++) {
            List<MapRegister> bases = bases(2 * tolerated + 1, compares);
            Register writer = client(bases);
            Register reader = client(bases);
            List<Integer> majorities = sets(bases.size(), tolerated + 1);
            for (int writing : majorities) {
                for (int reading : majorities) {
                    String name = writing + " " + reading;
                    reach(bases, reading);
                    writer.write(name, bytes("old"));
                    reach(bases, writing);
                    writer.write(name, bytes("new"));
                    reach(bases, reading);
                    assertThat(reader.read(name)).as(name).isEqualTo(bytes("new"));
                }
            }
        }
    }

    /** With waits it would take minutes. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @Timeout(60)
    void baseRegistersThatStopAnsweringAreNotWaitedFor(boolean compares) throws IOException {
        for (int silent = 0; silent < 3; silent++) {
            List<MapRegister> bases = bases(3, compares);
            CountDownLatch hangs = new CountDownLatch(1);
            bases.get(silent).hangUntil(hangs);
            Register client = client(bases);
            client.write("x", bytes("1"));
            assertThat(client.read("x")).isEqualTo(bytes("1"));
            hangs.countDown();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void withoutAMajorityNothingIsAnswered(boolean compares) throws IOException {
        for (int answering : sets(5, 2)) {
            List<MapRegister> bases = bases(5, compares);
            Register client = client(bases);
            client.write("x", bytes("old"));
            reach(bases, answering);
            assertThatThrownBy(() -> client.read("x")).isInstanceOf(IOException.class);
            assertThatThrownBy(() -> client.write("x", bytes("new"))).isInstanceOf(IOException.class);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aWriteIsStampedAboveEveryWriteThatWasCompleteBeforeIt(boolean compares) throws IOException {
        List<MapRegister> bases = bases(3, compares);
        Register busy = client(bases);
        for (int i = 0; i < 5; i++) {
            busy.write("x", bytes("busy " + i));
        }
        for (int i = 0; i < 3; i++) {
            client(bases).write("x", bytes("new client " + i));
            assertThat(busy.read("x")).isEqualTo(bytes("new client " + i));
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aWriteThatNoMajorityTakesIsNotComplete(boolean compares) {
        for (int taking = 0; taking < 3; taking++) {
            List<MapRegister> bases = bases(3, compares);
            for (MapRegister base : bases) {
                if (base != bases.get(taking)) {
                    base.fault((operation, name) -> {
                        if (operation.equals("write") || operation.equals("compareAndSet")) {
                            throw new IOException("the disk is full");
                        }
                    });
                }
            }
            assertThatThrownBy(() -> client(bases).write("x", bytes("new")))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("the disk is full");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aReadAnswersTheHighestStampOfAMajority(boolean compares) throws IOException {
        String[] highest = {"", "", "", "second", "", "first", "second"};
        for (int reading : sets(3, 2)) {
            List<MapRegister> bases = bases(3, compares);
            plant(bases.get(0), "x", 1, 9, "first");
            plant(bases.get(1), "x", 2, 1, "second");
            reach(bases, reading);
            assertThat(client(bases).read("x")).as("%d", reading).isEqualTo(bytes(highest[reading]));
        }
        List<MapRegister> never = bases(3, compares);
        assertThat(client(never).read("x")).isNull();
    }

    /** Two writers may have seen the same highest stamp. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void ofTwoWritesWithOneCountEveryReadTakesTheSame(boolean compares) throws IOException {
        for (int first : sets(3, 2)) {
            List<MapRegister> bases = bases(3, compares);
            plant(bases.get(0), "x", 4, 1, "one");
            plant(bases.get(1), "x", 4, 2, "two");
            plant(bases.get(2), "x", 4, 2, "two");
            reach(bases, first);
            assertThat(client(bases).read("x")).as("%d", first).isEqualTo(bytes("two"));
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aReadWritesBackWhatItAnswers(boolean compares) throws IOException {
        List<MapRegister> bases = bases(3, compares);
        plant(bases.get(0), "x", 1, 1, "old");
        plant(bases.get(1), "x", 1, 1, "old");
        plant(bases.get(2), "x", 1, 1, "old");
        plant(bases.get(0), "x", 2, 1, "new");
        reach(bases, 0b011);
        assertThat(client(bases).read("x")).isEqualTo(bytes("new"));
        reach(bases, 0b110);
        assertThat(client(bases).read("x")).isEqualTo(bytes("new"));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whereAMajorityAgreesAReadWritesNothing(boolean compares) throws IOException {
        List<MapRegister> bases = bases(3, compares);
        reach(bases, 0b011);
        client(bases).write("x", bytes("2"));
        AtomicInteger accesses = new AtomicInteger();
        AtomicInteger changes = new AtomicInteger();
        for (MapRegister base : bases.subList(0, 2)) {
            base.fault((operation, name) -> {
                boolean looks = operation.equals("read") || operation.equals("names");
                (looks ? accesses : changes).incrementAndGet();
            });
            MonotonicRegister.of(base).read("x");
        }
        int looks = accesses.getAndSet(0);
        assertThat(client(bases).read("x")).isEqualTo(bytes("2"));
        assertThat(changes).hasValue(0);
        assertThat(accesses).as("each is read once").hasValue(looks);
    }

    /** Whichever majorities the reads ask, one after the other. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void allReadsAgreeWithOneOrderOfTheWrites(boolean compares) throws IOException {
        List<MapRegister> bases = bases(3, compares);
        Register client = client(bases);
        List<Integer> majorities = sets(3, 2);
        for (int first : majorities) {
            for (int second : majorities) {
                for (int third : majorities) {
                    String name = first + " " + second + " " + third;
                    reach(bases, 7);
                    plant(bases.get(0), name, 3, 1, "3");
                    plant(bases.get(1), name, 2, 1, "2");
                    plant(bases.get(2), name, 1, 1, "1");
                    String last = "0";
                    for (int reading : List.of(first, second, third)) {
                        reach(bases, reading);
                        byte[] found = client.read(name);
                        String read = new String(Objects.requireNonNull(found), StandardCharsets.UTF_8);
                        assertThat(read).as(name).isGreaterThanOrEqualTo(last);
                        last = read;
                    }
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aWriteThatReachesABaseRegisterLatePutsNothingOldBack(boolean compares) throws IOException {
        List<MapRegister> bases = bases(3, compares);
        plant(bases.get(0), "x", 1, 1, "late");
        client(bases).write("x", bytes("newer"));
        reach(bases, 7);
        for (MapRegister base : bases) {
            plant(base, "x", 1, 1, "late");
        }
        for (int reading : sets(3, 2)) {
            reach(bases, reading);
            assertThat(client(bases).read("x")).isEqualTo(bytes("newer"));
        }
    }
}
