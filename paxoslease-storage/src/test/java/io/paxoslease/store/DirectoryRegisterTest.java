package io.paxoslease.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paxoslease.testing.FaultyFiles;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DirectoryRegisterTest extends RegisterContract {

    private static final String ID = "store-id";

    @TempDir
    private Path directory = Path.of("");

    @Override
    Register open() {
        return new DirectoryRegister(directory);
    }

    @Override
    int repetitions() {
        return 60;
    }

    @Test
    void everyRegisterIsOneFileWhoseNameIsSafeEverywhere() throws IOException {
        Register register = open();
        register.write("Role/Billing", bytes("x"));
        register.write("Role/Billing", bytes("y"));
        register.write("Ü".repeat(127), bytes("y"));
        List<String> files = files();
        assertThat(files).hasSize(2).contains("r-=52ole=2f=42illing");
        assertThat(files).allMatch(file -> file.matches("r-[a-z0-9._=~-]{1,200}"));
    }

    @Test
    void aDirectoryThatIsMissingIsAnErrorOrCreated() throws IOException {
        Path missing = directory.resolve("not/there");
        assertThatThrownBy(new DirectoryRegister(missing)::check)
                .isInstanceOf(IOException.class)
                .hasMessage(
                        "The directory " + missing
                                + " does not exist: mount the file system that all clients share, and create the directory there");
        DirectoryRegister created = new DirectoryRegister(missing, true);
        created.check();
        created.write("x", bytes("1"));
        assertThat(created.read("x")).isEqualTo(bytes("1"));
    }

    @Test
    void aFileIsNoDirectory() throws IOException {
        Path file = Files.createFile(directory.resolve("file"));
        assertThatThrownBy(new DirectoryRegister(file)::check)
                .isInstanceOf(IOException.class)
                .hasMessageContaining("is no directory");
    }

    @Test
    void aFileSystemWithoutAtomicMovesIsRefused() throws IOException {
        FaultyFiles files = new FaultyFiles();
        files.onMove((from, to) -> {
            throw new AtomicMoveNotSupportedException(from.toString(), to.toString(), "no such thing here");
        });
        assertThatThrownBy(new DirectoryRegister(files.path(directory))::check)
                .isInstanceOf(IOException.class)
                .hasMessageContaining("cannot replace a file in one atomic step: choose another one");
        assertThat(files()).isEmpty();
    }

    @Test
    void whatTheFileSystemRefusesIsToldWithWhatToDo() {
        assertThat(refusal(new AccessDeniedException("to")))
                .contains("let this process's user create, replace and delete files in it");
        assertThat(refusal(new FileSystemException("from", "to", "quota exceeded")))
                .contains("Cannot create and replace files in the directory " + directory)
                .contains("quota exceeded");
        assertThat(refusal(new UnsupportedOperationException("no moves")))
                .contains("cannot replace a file in one atomic step");
    }

    private String refusal(Exception trouble) {
        FaultyFiles files = new FaultyFiles();
        files.onMove((from, to) -> {
            if (trouble instanceof RuntimeException bug) {
                throw bug;
            }
            throw (IOException) trouble;
        });
        return String.valueOf(assertThatThrownBy(new DirectoryRegister(files.path(directory))::check)
                .isInstanceOf(IOException.class)
                .actual()
                .getMessage());
    }

    @Test
    void aFileSystemThatShowsOldContentIsRefused() {
        FaultyFiles files = new FaultyFiles();
        files.onMove((from, to) -> {
            if (Files.exists(to)) {
                Files.delete(from); // replaced, but not seen yet
            } else {
                Files.move(from, to);
            }
        });
        assertThatThrownBy(new DirectoryRegister(files.path(directory))::check)
                .isInstanceOf(IOException.class)
                .hasMessageContaining("does not show what was just written");
    }

    @Test
    void aWriteThatFailsLeavesTheOldContentAndNoFileBehind() throws IOException {
        FaultyFiles files = new FaultyFiles();
        Register register = new DirectoryRegister(files.path(directory));
        register.write("x", bytes("old"));
        files.onMove((from, to) -> {
            throw new IOException("disk on fire");
        });
        assertThatThrownBy(() -> register.write("x", bytes("new"))).hasMessage("disk on fire");
        assertThat(register.read("x")).isEqualTo(bytes("old"));
        assertThat(files()).containsExactly("r-x");
    }

    @Test
    void aFileIsOnTheDeviceBeforeItIsMovedAndTheMoveBeforeTheWriteIsOver() throws IOException {
        FaultyFiles files = new FaultyFiles();
        Register register = new DirectoryRegister(files.path(directory));
        register.check();
        files.steps();
        register.write("x", bytes("1"));
        assertThat(files.steps()).containsExactly("force the file", "move", "force the directory");
        files.forcesDirectories(false);
        assertThatThrownBy(() -> register.write("x", bytes("2"))).isInstanceOf(AccessDeniedException.class);
    }

    @Test
    void aFileSystemThatForcesNoDirectoriesIsUsedWithoutThat() throws IOException {
        FaultyFiles files = new FaultyFiles();
        files.forcesDirectories(false);
        Register register = new DirectoryRegister(files.path(directory));
        register.check();
        files.steps();
        register.write("x", bytes("1"));
        assertThat(files.steps()).containsExactly("force the file", "move");
    }

    @Test
    void writesThatAreUnderWayAtOnceKeepOutOfEachOthersWay() throws IOException {
        FaultyFiles files = new FaultyFiles();
        Register register = new DirectoryRegister(files.path(directory));
        files.onMove((from, to) -> {
            open().write("x", bytes("the other's"));
            Files.move(from, to, StandardCopyOption.ATOMIC_MOVE);
        });
        register.write("x", bytes("1"));
        assertThat(register.read("x")).isEqualTo(bytes("1"));
        assertThat(files()).containsExactly("r-x");
    }

    /** Deleted, or moved to its place, by another client. */
    @Test
    void aFileThatGoesWhileTheDirectoryIsListedIsNotThere() throws IOException {
        FaultyFiles files = new FaultyFiles();
        Register register = new DirectoryRegister(files.path(directory));
        register.write("n".repeat(255), bytes("1"));
        register.write("short", bytes("1"));
        files.deleteWhenListed("r-n");
        assertThat(register.names("")).containsExactly("short");
        Files.createFile(directory.resolve("t-under-way"));
        files.deleteWhenListed("t-under-way");
        register.check();
    }

    @Test
    void aHandleThatWentStaleIsOpenedAnew() throws IOException {
        FaultyFiles files = new FaultyFiles();
        Register register = new DirectoryRegister(files.path(directory));
        register.write("x", bytes("1"));
        files.failNextReads(1, new IOException("stale file handle"));
        assertThat(register.read("x")).isEqualTo(bytes("1"));
        files.failNextReads(2, new IOException("stale file handle"));
        assertThatThrownBy(() -> register.read("x")).hasMessage("stale file handle");
    }

    @Test
    void whatWritersThatDiedHaveLeftIsRemovedAndWritesUnderWayAreNot() throws IOException {
        Path old = Files.createFile(directory.resolve("t-old"));
        Files.setLastModifiedTime(
                old, FileTime.fromMillis(Files.getLastModifiedTime(old).toMillis() - 2 * 3_600_000));
        Files.createFile(directory.resolve("t-new"));
        Register register = open();
        register.write("x", bytes("1"));
        register.check();
        assertThat(files()).containsExactlyInAnyOrder("t-new", "r-x");
        assertThat(register.names("")).containsExactly("x");
    }

    @Test
    void aFileThatNobodyWroteAsAWholeIsAnErrorThatNamesIt() throws IOException {
        Register register = open();
        register.write("x", bytes("content"));
        Path file = directory.resolve("r-x");
        byte[] whole = Files.readAllBytes(file);
        for (int length = 0; length < whole.length; length++) {
            Files.write(file, Arrays.copyOf(whole, length));
            assertThatThrownBy(() -> register.read("x"))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining(file + " holds " + length + " bytes that are no register");
        }
        for (int i = 0; i < whole.length; i++) {
            byte[] wrong = whole.clone();
            wrong[i] ^= 1;
            Files.write(file, wrong);
            assertThatThrownBy(() -> register.read("x")).as("byte " + i).isInstanceOf(IOException.class);
        }
        Files.write(directory.resolve("r-y"), whole);
        assertThatThrownBy(() -> register.read("y")).hasMessageContaining("holds the register 'x' in the place of 'y'");
    }

    @Test
    void aTornFileIsToldWithWhatToDo() throws IOException {
        Register register = open();
        Path torn = Files.createFile(directory.resolve("r-x"));
        assertThatThrownBy(() -> register.read("x"))
                .hasMessage(
                        torn
                                + " holds 0 bytes that are no register: it is torn, or another program has written it. Remove it while no client of the store is running, or when it has been like this for longer than the longest lease time");
    }

    /** Windows and SMB drop it. */
    @Test
    void noFileEndsWithADot() throws IOException {
        Register register = open();
        for (String name : List.of("a.", "a", "a.b", "a..")) {
            register.write(name, bytes(name));
        }
        assertThat(files()).containsExactlyInAnyOrder("r-a=2e", "r-a", "r-a.b", "r-a.=2e");
        assertThat(register.names("a.")).containsExactlyInAnyOrder("a.", "a.b", "a..");
        assertThat(register.read("a.")).isEqualTo(bytes("a."));
    }

    /** Its mount point is left, or another file system is mounted there. */
    @Test
    void aDirectoryThatIsNotTheOneThatItWasIsAnErrorUntilItIsBack() throws IOException {
        Path mounted = Files.createDirectory(directory.resolve("mounted"));
        Register register = new DirectoryRegister(mounted);
        register.check();
        register.write("x", bytes("1"));
        Path away = Files.move(mounted, directory.resolve("away"));
        assertThatThrownBy(() -> register.read("x"))
                .hasMessageContaining("its file store-id is missing. Mount the file system again");
        Files.createDirectory(mounted);
        assertIsAnother(register, "is missing");
        new DirectoryRegister(mounted).check();
        assertIsAnother(register, "has another content");
        assertThatThrownBy(register::check).hasMessageContaining("has another content");
        assertThat(Files.exists(mounted.resolve("r-x"))).isFalse();
        Files.move(mounted, directory.resolve("other"));
        Files.move(away, mounted);
        assertThat(register.read("x")).isEqualTo(bytes("1"));
        register.write("y", bytes("2"));
        register.check();
    }

    private static void assertIsAnother(Register register, String why) {
        String message = "is not the directory that it was: its file store-id " + why;
        assertThatThrownBy(() -> register.read("x")).hasMessageContaining(message);
        assertThatThrownBy(() -> register.write("x", bytes("2"))).hasMessageContaining(message);
        assertThatThrownBy(() -> register.names("")).hasMessageContaining(message);
    }

    @Test
    void allClientsFindOneIdAlsoWithoutHardLinks() throws IOException {
        FaultyFiles files = new FaultyFiles(); // it has none
        Path fresh = Files.createDirectory(directory.resolve("fresh"));
        new DirectoryRegister(files.path(fresh)).check();
        String id = Files.readString(fresh.resolve(ID));
        new DirectoryRegister(fresh).check();
        assertThat(fresh.resolve(ID)).hasContent(id);
        Files.writeString(fresh.resolve(ID), "torn");
        assertThatThrownBy(new DirectoryRegister(fresh)::check)
                .hasMessageContaining(fresh.resolve(ID) + " does not hold the id of this store");
    }

    private List<String> files() throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> !name.equals(ID))
                    .toList();
        }
    }
}
