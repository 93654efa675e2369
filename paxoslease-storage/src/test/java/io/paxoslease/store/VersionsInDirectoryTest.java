package io.paxoslease.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paxoslease.testing.FaultyFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Directories as stores of a reliable register. */
class VersionsInDirectoryTest {

    private static final String LONG = "L".repeat(255);

    @TempDir
    private Path directory = Path.of("");

    private final FaultyFiles files = new FaultyFiles();

    private MonotonicRegister open() throws IOException {
        DirectoryRegister store = new DirectoryRegister(files.path(directory));
        store.check();
        return MonotonicRegister.of(store);
    }

    private static Stamped stamped(long count) {
        return new Stamped(count, 1, 1, new byte[] {(byte) count});
    }

    @Test
    void everyRegisterHasASubdirectoryWithItsHighestVersionAndTheMarker() throws IOException {
        MonotonicRegister register = open();
        for (String name : List.of("Role/Billing", LONG, "a.")) {
            for (int count = 1; count <= 3; count++) {
                register.raise(name, stamped(count));
            }
            assertThat(Objects.requireNonNull(open().read(name)).count()).isEqualTo(3);
        }
        assertThat(list(directory)).hasSize(4).contains("v-=52ole=2f=42illing", "v-a=2e", "store-id");
        assertThat(list(directory.resolve("v-a=2e"))).hasSize(2).contains(MonotonicByName.MARKER);
        assertThat(open().names("")).containsExactlyInAnyOrder("Role/Billing", LONG, "a.");
        assertThat(open().names("L")).containsExactly(LONG);
    }

    @Test
    void whatWasNeverWrittenIsReadWithoutATrace() throws IOException {
        assertThat(open().read("x")).isNull();
        assertThat(open().names("")).isEmpty();
        assertThat(list(directory)).containsExactly("store-id");
    }

    /** A client that sees the marker relies on the subdirectory, which another one has created. */
    @Test
    void theSubdirectoryIsOnTheDeviceBeforeTheMarkerIsThere() throws IOException {
        MonotonicRegister register = open();
        files.steps();
        register.raise("x", stamped(1));
        assertThat(files.steps())
                .containsExactly(
                        "force the file",
                        "move",
                        "force the file",
                        "move",
                        "force the directory",
                        "force the directory",
                        "force the file",
                        "move",
                        "force the directory");
        register.raise("x", stamped(2));
        assertThat(files.steps()).containsExactly("force the file", "move", "force the directory");
    }

    @Test
    void aDirectoryThatIsNotTheOneThatItWasIsAnError() throws IOException {
        Path mounted = Files.createDirectory(directory.resolve("mounted"));
        DirectoryRegister store = new DirectoryRegister(mounted);
        store.check();
        MonotonicRegister register = MonotonicRegister.of(store);
        register.raise("x", stamped(1));
        Path away = Files.move(mounted, directory.resolve("away"));
        Files.createDirectory(mounted);
        String message = "is not the directory that it was: its file store-id is missing";
        assertThatThrownBy(() -> register.read("x")).hasMessageContaining(message);
        assertThatThrownBy(() -> register.raise("x", stamped(2))).hasMessageContaining(message);
        assertThatThrownBy(() -> register.names("")).hasMessageContaining(message);
        assertThat(list(mounted)).isEmpty();
        Files.delete(mounted);
        Files.move(away, mounted);
        assertThat(Objects.requireNonNull(register.read("x")).count()).isEqualTo(1);
    }

    private static List<String> list(Path directory) throws IOException {
        try (Stream<Path> found = Files.list(directory)) {
            return found.map(file -> file.getFileName().toString()).toList();
        }
    }
}
