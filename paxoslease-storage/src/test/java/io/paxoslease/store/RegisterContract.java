package io.paxoslease.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.paxoslease.testing.Background;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What every store has to keep. */
abstract class RegisterContract {

    private static final int THREADS = 6;

    /** Names that some file system, database or encoding takes for one another, or does not take at all. */
    private static final List<String> NAMES = List.of(
            "a",
            "A",
            "ä",
            "Ä",
            "a\u0308",
            "a ",
            " a",
            "a.",
            ".",
            "..",
            "a/b",
            "a\\b",
            "a=62",
            "ab",
            "con",
            "nul.txt",
            "a%b",
            "a_b",
            "axb",
            "a~b",
            "a'b",
            "a\"b",
            "a\u0000b",
            "a\nb",
            "role:billing",
            "😀",
            "-",
            "_");

    private Register register = new MapRegister("unset", false);
    private Register other = register;

    /** One more client of the same store. */
    abstract Register open();

    /** How often the tests with threads do it. */
    abstract int repetitions();

    int longestContent() {
        return Register.MAX_BYTES;
    }

    int longestName() {
        return 255;
    }

    @BeforeEach
    void openTwo() throws IOException {
        register = open();
        register.check();
        other = open();
        other.check();
    }

    @Test
    void aRegisterThatWasNeverWrittenIsEmpty() throws IOException {
        assertThat(register.read("nobody wrote this")).isNull();
    }

    @Test
    void aReadAnswersTheLastWriteOfAnyClient() throws IOException {
        register.write("x", bytes("one"));
        assertThat(other.read("x")).isEqualTo(bytes("one"));
        other.write("x", bytes("two"));
        assertThat(register.read("x")).isEqualTo(bytes("two"));
    }

    @Test
    void contentsOfEveryLengthAndByteComeBack() throws IOException {
        byte[] longest = new byte[longestContent()];
        new Random(1).nextBytes(longest);
        byte[] all = new byte[256];
        for (int i = 0; i < all.length; i++) {
            all[i] = (byte) i;
        }
        for (String name : List.of("content", "n".repeat(longestName()))) {
            for (byte[] content : List.of(longest, new byte[0], all)) {
                register.write(name, content);
                assertThat(other.read(name)).isEqualTo(content);
            }
        }
    }

    @Test
    void namesAreKeptApartWhateverTheyConsistOf() throws IOException {
        List<String> names = new ArrayList<>(NAMES);
        String stem = "L".repeat(longestName() - 1);
        names.addAll(List.of(stem + "1", stem + "2", stem, "é".repeat(longestName() / 2)));
        for (String name : names) {
            register.write(name, name.getBytes(StandardCharsets.UTF_8));
        }
        for (String name : names) {
            assertThat(other.read(name)).as(name).isEqualTo(name.getBytes(StandardCharsets.UTF_8));
        }
        if (register.listsNames()) {
            assertThat(other.names("")).containsAll(names).doesNotHaveDuplicates();
            assertThat(other.names("a_")).containsExactly("a_b");
            assertThat(other.names("LL")).containsExactlyInAnyOrder(stem + "1", stem + "2", stem);
            assertThat(other.names(stem)).containsExactlyInAnyOrder(stem + "1", stem + "2", stem);
            assertThat(other.names(stem + "2")).containsExactly(stem + "2");
            assertThat(other.names("nobody")).isEmpty();
        }
    }

    @Test
    void wrongNamesAndContentsAreRefused() {
        assertThatThrownBy(() -> register.read(""))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("1 to 255 bytes");
        assertThatThrownBy(() -> register.write("é".repeat(128), bytes("")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("this one has 256");
        assertThatThrownBy(() -> register.read("\ud800"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("valid Unicode");
        assertThatThrownBy(() -> register.write("x", new byte[longestContent() + 1]))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("takes " + longestContent() + " bytes");
    }

    @Test
    void whatIsDeletedWasNeverWritten() throws IOException {
        assumeTrue(deletes(), "the store deletes");
        register.write("gone", bytes("x"));
        other.delete("gone");
        other.delete("gone");
        assertThat(register.read("gone")).isNull();
        assertThat(register.names("gone")).isEmpty();
    }

    boolean deletes() {
        return true;
    }

    @Test
    void compareAndSetReplacesOnlyWhatIsExpected() throws IOException {
        assumeTrue(register.comparesAndSets(), "the store compares");
        assertThat(register.compareAndSet("cas", bytes("x"), bytes("one"))).isFalse();
        assertThat(register.compareAndSet("cas", null, bytes("one"))).isTrue();
        assertThat(other.compareAndSet("cas", null, bytes("two"))).isFalse();
        assertThat(other.compareAndSet("cas", bytes("ONE"), bytes("two"))).isFalse();
        assertThat(other.compareAndSet("cas", bytes("one"), new byte[0])).isTrue();
        assertThat(register.compareAndSet("cas", bytes("one"), bytes("three"))).isFalse();
        assertThat(register.compareAndSet("cas", new byte[0], bytes("three"))).isTrue();
        assertThat(other.read("cas")).isEqualTo(bytes("three"));
    }

    /** Also of a register that is there already. */
    @Test
    void compareAndSetComparesWithWhatWasWritten() throws IOException {
        assumeTrue(register.comparesAndSets(), "the store compares");
        register.write("incompatible", bytes("one"));
        register.write("incompatible", bytes("two"));
        assertThat(other.compareAndSet("incompatible", bytes("one"), bytes("three")))
                .isFalse();
        assertThat(other.compareAndSet("incompatible", bytes("two"), bytes("three")))
                .isTrue();
        assertThat(register.compareAndSet("incompatible", bytes("three"), bytes("four")))
                .isTrue();
    }

    @Test
    void aStoreThatDoesNotCompareSaysSo() {
        assumeFalse(register.comparesAndSets(), "the store compares");
        assertThatThrownBy(() -> register.compareAndSet("x", null, bytes("")))
                .isInstanceOf(UnsupportedOperationException.class);
    }

    @Test
    void noIncrementOfManyThreadsIsLost() throws IOException, InterruptedException, ExecutionException {
        assumeTrue(register.comparesAndSets(), "the store compares");
        int each = repetitions();
        List<Background<Boolean>> threads = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            Register client = i % 2 == 0 ? register : other;
            threads.add(Background.start(() -> {
                for (int done = 0; done < each; ) {
                    byte[] found = client.read("counter");
                    long value = found == null ? 0 : number(found);
                    if (client.compareAndSet("counter", found, bytes(value + 1))) {
                        done++;
                    }
                }
                return true;
            }));
        }
        for (Background<Boolean> thread : threads) {
            thread.result();
        }
        byte[] found = register.read("counter");
        assertThat(found).isEqualTo(bytes((long) THREADS * each));
    }

    /** Regular: of the last complete write, or of one under way; and whole. */
    @Test
    void readsBesideWritesAnswerNothingOldAndNothingTorn()
            throws IOException, InterruptedException, ExecutionException {
        AtomicLong begun = new AtomicLong();
        AtomicLong complete = new AtomicLong();
        AtomicBoolean over = new AtomicBoolean();
        register.write("busy", repeated(0));
        List<Background<Long>> readers = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            Register client = i == 0 ? register : other;
            readers.add(Background.start(() -> {
                long reads = 0;
                do {
                    long least = complete.get();
                    byte[] found = client.read("busy");
                    long most = begun.get();
                    long value = number(found);
                    assertThat(found).isEqualTo(repeated(value));
                    assertThat(value).isBetween(least, most);
                    reads++;
                } while (!over.get());
                return reads;
            }));
        }
        for (long n = 1; n <= repetitions(); n++) {
            begun.set(n);
            (n % 2 == 0 ? register : other).write("busy", repeated(n));
            complete.set(n);
        }
        over.set(true);
        for (Background<Long> reader : readers) {
            assertThat(reader.result()).isPositive();
        }
    }

    @Test
    void writersOfOneRegisterAgreeOnTheLastOne() throws IOException, InterruptedException, ExecutionException {
        List<Background<Boolean>> writers = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            long from = 1_000L * i;
            Register client = i % 2 == 0 ? register : other;
            writers.add(Background.start(() -> {
                for (long n = 1; n <= repetitions() / 4; n++) {
                    client.write("fought over", repeated(from + n));
                }
                return true;
            }));
        }
        for (Background<Boolean> writer : writers) {
            writer.result();
        }
        byte[] last = register.read("fought over");
        assertThat(number(last) % 1_000).isEqualTo(repetitions() / 4);
        assertThat(other.read("fought over")).isEqualTo(last);
    }

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    static byte[] bytes(long number) {
        return ByteBuffer.allocate(Long.BYTES).putLong(number).array();
    }

    static long number(byte @Nullable [] bytes) {
        assertThat(bytes).isNotNull();
        return ByteBuffer.wrap(Objects.requireNonNull(bytes)).getLong();
    }

    private static byte[] repeated(long number) {
        ByteBuffer buffer = ByteBuffer.allocate(2_048);
        while (buffer.hasRemaining()) {
            buffer.putLong(number);
        }
        return Arrays.copyOf(buffer.array(), (int) (1_024 + number % 100 * 8));
    }
}
