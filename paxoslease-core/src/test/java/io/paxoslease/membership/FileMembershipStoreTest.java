package io.paxoslease.membership;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paxoslease.Membership;
import io.paxoslease.MembershipStore;
import io.paxoslease.testing.Background;
import io.paxoslease.testing.FaultyFiles;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("slow")
@Tag("jdk")
class FileMembershipStoreTest extends MembershipStoreContract {

    private static final int PROCESSES = 3;
    private static final int CHANGES = 150;

    @TempDir
    private Path directory = Path.of("unset");

    private Path file() {
        return directory.resolve(CELL);
    }

    @Override
    MembershipStore open(String cell) {
        return new FileMembershipStore(directory.resolve(cell), cell);
    }

    @Override
    void damage(String text) throws IOException {
        Files.writeString(file(), text);
    }

    @Test
    void theFileOfAnotherCellIsAnError() throws IOException {
        new FileMembershipStore(file(), "other").replace(null, membership(1, "a"));
        assertThatThrownBy(open(CELL)::read)
                .isInstanceOf(IOException.class)
                .hasMessageContaining("it is of the cell 'other' and not of 'shop': give each cell a store of its own");
    }

    @Test
    void aDirectoryThatIsMissingIsNoEmptyStore() {
        MembershipStore store = new FileMembershipStore(directory.resolve("unmounted/shop"), CELL);
        assertThatThrownBy(store::read)
                .isInstanceOf(IOException.class)
                .hasMessageContaining("there is no directory " + directory.resolve("unmounted"))
                .hasMessageContaining("mount the file system that all nodes share");
        assertThatThrownBy(() -> store.replace(null, membership(1, "a")))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("Cannot write the file")
                .hasMessageContaining("mount the file system that all nodes share");
    }

    @Test
    void whatIsNoFileIsAnError() throws IOException {
        Files.createDirectory(file());
        assertThatThrownBy(open(CELL)::read).isInstanceOf(IOException.class).hasMessageContaining("file " + file());
        assertThatThrownBy(() -> new FileMembershipStore(Path.of("/"), CELL))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'/' is no file");
    }

    @Test
    void whatIsTooLongOrNoTextIsAnError() throws IOException {
        Files.write(file(), new byte[] {'a', (byte) 0xff});
        assertThatThrownBy(open(CELL)::read)
                .hasMessageContaining("Cannot understand the file")
                .hasMessageContaining("it is no text");
        Files.write(file(), new byte[1 << 17]);
        assertThatThrownBy(open(CELL)::read).hasMessageContaining("is longer than 65536 bytes");
    }

    @Test
    void theFileIsOnTheDeviceBeforeItIsMovedAndTheMoveBeforeTheWriteIsOver() throws IOException {
        FaultyFiles files = new FaultyFiles();
        MembershipStore store = new FileMembershipStore(files.path(file()), CELL);
        assertThat(store.replace(null, membership(1, "a"))).isTrue();
        assertThat(files.steps()).containsExactly("force the file", "move", "force the directory");
        assertThat(open(CELL).read()).isEqualTo(membership(1, "a"));
    }

    @Test
    void aWriteThatFailsLeavesTheOldContentAndNothingElse() throws IOException {
        MembershipStore good = open(CELL);
        good.replace(null, membership(1, "a"));
        assertThat(refusal(new AccessDeniedException("to")))
                .contains("Cannot write the file " + file())
                .contains("let the user of this process read and write it");
        assertThat(refusal(new FileSystemException("to", null, "No space left on device")))
                .contains("No space left on device");
        assertThat(refusal(new AtomicMoveNotSupportedException("a", "b", "no such thing")))
                .contains("cannot replace a file in one atomic step; choose another one, or a database");
        assertThat(refusal(new IOException("disk on fire"))).isEqualTo("disk on fire");
        assertThat(good.read()).isEqualTo(membership(1, "a"));
        assertThat(files()).containsExactlyInAnyOrder(CELL, CELL + ".lock");
    }

    private String refusal(IOException failure) {
        FaultyFiles files = new FaultyFiles();
        files.onMove((from, to) -> {
            throw failure;
        });
        MembershipStore store = new FileMembershipStore(files.path(file()), CELL);
        return String.valueOf(assertThatThrownBy(() -> store.replace(membership(1, "a"), membership(2, "a")))
                .isInstanceOf(IOException.class)
                .actual()
                .getMessage());
    }

    @Test
    void aReadThatFailsIsToldAndOneOfAStaleHandleIsRepeated() throws IOException {
        open(CELL).replace(null, membership(1, "a"));
        FaultyFiles files = new FaultyFiles();
        MembershipStore store = new FileMembershipStore(files.path(file()), CELL);
        files.failNextReads(1, new FileSystemException("shop", null, "Stale file handle"));
        assertThat(store.read()).isEqualTo(membership(1, "a"));
        files.failNextReads(2, new FileSystemException("shop", null, "Input/output error"));
        assertThatThrownBy(store::read)
                .hasMessageContaining("Cannot read the file")
                .hasMessageContaining("Input/output");
        files.failNextReads(1, new AccessDeniedException("shop"));
        assertThatThrownBy(store::read).hasMessageContaining("let the user of this process read it and its directory");
    }

    @Test
    void whatAWriterThatDiedHasLeftIsRemoved() throws IOException {
        Files.writeString(directory.resolve(CELL + ".new-0f8fad5b-d9cb-469f-a165-70867728950e"), "format=1");
        Files.writeString(directory.resolve(CELL + ".new-york"), "of another cell");
        MembershipStore store = open(CELL);
        assertThat(store.read()).isNull();
        store.replace(null, membership(1, "a"));
        assertThat(files()).containsExactlyInAnyOrder(CELL, CELL + ".lock", CELL + ".new-york");
    }

    @Test
    void aWriteThatWaitsForAnotherCanBeInterrupted() throws Exception {
        MembershipStore store = open(CELL);
        try (FileChannel channel = FileChannel.open(
                        directory.resolve(CELL + ".lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                var lock = channel.lock()) {
            assertThat(lock.isValid()).isTrue();
            assertThatThrownBy(() -> store.replace(null, membership(1, "a")))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("another application in this process writes it at this moment");
        }
        Background<Boolean> write = Background.start(() -> {
            Thread.currentThread().interrupt();
            return store.replace(null, membership(1, "a"));
        });
        assertThatThrownBy(write::result)
                .isInstanceOf(ExecutionException.class)
                .hasCauseInstanceOf(InterruptedIOException.class);
        assertThat(store.read()).isNull();
    }

    /** A process that hangs with the lock must not hold up an endpoint, and with it the whole actuator. */
    @Test
    @Timeout(30)
    void aLockThatAnotherProcessKeepsIsWaitedForThreeSeconds() throws Exception {
        Process keeper = keeper();
        try {
            assertThat(keeper.getInputStream().read()).as("it has the lock").isEqualTo('k');
            assertThatThrownBy(() -> open(CELL).replace(null, membership(1, "a")))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("another process has had the lock of " + directory.resolve(CELL + ".lock"))
                    .hasMessageContaining("for 3000 ms");
            assertThat(open(CELL).read()).isNull();
        } finally {
            keeper.destroyForcibly().waitFor();
        }
        assertThat(open(CELL).replace(null, membership(1, "a"))).isTrue();
    }

    /** As on a network file system, where each attempt is a round trip; and the wait for another thread is a part of it. */
    @Test
    @Timeout(60)
    void threeSecondsAreAllHoweverLongAnAttemptTakes() throws Exception {
        FaultyFiles files = new FaultyFiles();
        CountDownLatch waits = new CountDownLatch(1);
        files.onTryLock(() -> {
            waits.countDown();
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
        });
        MembershipStore store = new FileMembershipStore(files.path(file()), CELL);
        Process keeper = keeper();
        try {
            assertThat(keeper.getInputStream().read()).as("it has the lock").isEqualTo('k');
            Background<Duration> first = Background.start(() -> refusalAfter(store));
            waits.await();
            Duration second = refusalAfter(store);
            assertThat(List.of(first.result(), second))
                    .allSatisfy(wait -> assertThat(wait).isBetween(Duration.ofSeconds(3), Duration.ofMillis(4_500)));
        } finally {
            keeper.destroyForcibly().waitFor();
        }
    }

    private static Duration refusalAfter(MembershipStore store) {
        long start = System.nanoTime();
        assertThatThrownBy(() -> store.replace(null, membership(1, "a")))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("for 3000 ms");
        return Duration.ofNanos(System.nanoTime() - start);
    }

    private Process keeper() throws IOException {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Keeper.class.getName(),
                        directory.resolve(CELL + ".lock").toString())
                .redirectErrorStream(true)
                .start();
    }

    /** The main class of a process that keeps the lock. */
    static final class Keeper {

        public static void main(String... args) throws IOException, InterruptedException {
            try (FileChannel channel =
                            FileChannel.open(Path.of(args[0]), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                    FileLock lock = channel.lock()) {
                System.out.println(lock.isValid() ? "k" : "");
                Thread.currentThread().join();
            }
        }
    }

    @Test
    void aSymbolicLinkIsRefused() throws IOException {
        Path other = directory.resolve("other");
        Files.writeString(other, "secret=1");
        Files.createSymbolicLink(file(), other);

        assertThatThrownBy(open(CELL)::read)
                .isInstanceOf(IOException.class)
                .hasMessageContaining(file() + " is a symbolic link")
                .hasMessageNotContaining("secret");
        assertThatThrownBy(() -> open(CELL).replace(null, membership(1, "a")))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(file() + " is a symbolic link");
        Files.delete(file());
        Files.deleteIfExists(directory.resolve(CELL + ".lock"));
        Files.createSymbolicLink(directory.resolve(CELL + ".lock"), other);
        assertThatThrownBy(() -> open(CELL).replace(null, membership(1, "a")))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(CELL + ".lock is a symbolic link");
        assertThat(other).hasContent("secret=1");
    }

    /** Named by mistake, such as a file of passwords: the log and the endpoint must not show it. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "password=secret\nsecret\n",
                "secret\nend\n",
                "secret=1\nsecret=2\nend\n",
                "format=secret\nend\n",
                "secret=secret\nend\n"
            })
    void whatIsNoStoreIsNotShown(String text) throws IOException {
        damage(text);
        assertThatThrownBy(open(CELL)::read)
                .isInstanceOf(IOException.class)
                .hasMessageContaining("Cannot understand the file")
                .hasMessageNotContaining("secret")
                .satisfies(e -> assertThat(String.valueOf(e.getCause())).doesNotContain("secret"));
    }

    /** Every generation is stored by one process. */
    @Test
    void ofSeveralProcessesOneStoresEachGeneration() throws Exception {
        List<Process> processes = new ArrayList<>();
        open(CELL).replace(null, membership(1, "start"));
        for (int i = 0; i < PROCESSES; i++) {
            processes.add(writer("n" + i, 1 + CHANGES));
        }
        Set<Integer> stored = new TreeSet<>();
        int count = 0;
        for (Process process : processes) {
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(process.waitFor(20, TimeUnit.SECONDS)).isTrue();
            assertThat(process.exitValue()).as(output).isZero();
            for (String generation : output.lines().toList()) {
                stored.add(Integer.parseInt(generation));
                count++;
            }
        }
        assertThat(stored).hasSize(CHANGES);
        assertThat(count).isEqualTo(CHANGES);
        assertThat(generation(open(CELL))).isEqualTo(1 + CHANGES);
    }

    /** Killed in the middle, again and again: the file is always whole, and the next one goes on. */
    @Test
    void aProcessThatIsKilledLeavesAWholeFileAndNoLock() throws Exception {
        MembershipStore store = open(CELL);
        store.replace(null, membership(1, "start"));
        for (int i = 0; i < 4; i++) {
            Process process = writer("n", Integer.MAX_VALUE);
            try {
                assertThat(process.getInputStream().read()).isPositive(); // it writes
            } finally {
                process.destroyForcibly().waitFor();
            }
            Membership found = Objects.requireNonNull(store.read());
            int next = found.generation().number() + 1;
            assertThat(store.replace(found, membership(next, "me"))).isTrue();
            assertThat(generation(store)).isEqualTo(next);
        }
    }

    private Process writer(String name, int last) throws IOException {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xshare:auto",
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Writer.class.getName(),
                        file().toString(),
                        name,
                        String.valueOf(last))
                .redirectErrorStream(true)
                .start();
    }

    /** The main class of these processes: stores generation after generation, and prints which. */
    static final class Writer {

        private Writer() {}

        public static void main(String... args) throws IOException {
            MembershipStore store = new FileMembershipStore(Path.of(args[0]), CELL);
            int last = Integer.parseInt(args[2]);
            while (true) {
                Membership found = store.read();
                if (found == null || found.generation().number() >= last) {
                    return;
                }
                int next = found.generation().number() + 1;
                if (store.replace(found, membership(next, args[1]))) {
                    System.out.println(next);
                }
            }
        }
    }

    private List<String> files() throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(file -> file.getFileName().toString()).toList();
        }
    }
}
