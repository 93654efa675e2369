package io.paxoslease;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paxoslease.locks.LeaseLocks;
import io.paxoslease.locks.LeaseSemaphore;
import io.paxoslease.locks.LockOptions;
import io.paxoslease.storage.StorageOptions;
import io.paxoslease.store.DirectoryRegister;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A lease whose file in the store is torn: the one who asks for it is told which file, and what to do. */
class TornStoreTest {

    private static final Duration BOUND = Duration.ofSeconds(1);
    private static final Duration LEASE = Duration.ofSeconds(13);
    private static final Duration WAIT = Duration.ofMillis(100);
    private static final String REPORT = "report";
    private static final String LOCK = LockOptions.DEFAULT_PREFIX + REPORT;
    private static final String PERMIT = "semaphore:imports/0";

    private final Path directory;
    private final PaxosLease node;

    TornStoreTest(@TempDir Path directory) {
        this.directory = directory;
        this.node = PaxosLease.create(PaxosLeaseOptions.builder("a")
                .algorithm(StorageOptions.builder(new DirectoryRegister(directory))
                        .accessBound(BOUND)
                        .build())
                .leaseTime(LEASE)
                .maxLeaseTime(LEASE)
                .build());
    }

    /** And each of them is read once. */
    @BeforeEach
    void tear() throws IOException {
        DirectoryRegister register = new DirectoryRegister(directory);
        for (String resource : List.of(REPORT, LOCK, PERMIT)) {
            register.write(node.monitor().options().cell() + " " + resource, new byte[] {1});
        }
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                Files.writeString(file, "torn");
            }
        }
        node.start();
        for (String resource : List.of(REPORT, LOCK, PERMIT)) {
            assertThatThrownBy(() -> askOnce(resource))
                    .cause()
                    .satisfies(failure ->
                            assertNamesTheFile(failure, "Lease '" + resource + "' was not granted: the store did not"));
        }
    }

    private Lease askOnce(String resource) throws InterruptedException, ExecutionException {
        return node.acquire(
                        resource,
                        AcquireOptions.builder().maxWait(Duration.ZERO).build())
                .get();
    }

    @AfterEach
    void stop() {
        node.close();
    }

    private void assertNamesTheFile(Throwable failure, String what) {
        assertThat(failure)
                .isInstanceOf(LeaseTimeoutException.class)
                .hasMessageStartingWith(what)
                .hasMessageContaining("; the store: ")
                .hasMessageContaining(directory.toString())
                .hasMessageContaining("holds 4 bytes that are no register");
    }

    @Test
    void aRequestThatWaits() {
        assertThatThrownBy(() -> node.acquire(
                                REPORT, AcquireOptions.builder().maxWait(WAIT).build())
                        .get())
                .isInstanceOf(ExecutionException.class)
                .cause()
                .satisfies(failure -> assertNamesTheFile(failure, "Lease 'report' was not granted in time"));
    }

    @Test
    void aLock() {
        LeaseLocks locks =
                new LeaseLocks(node, LockOptions.builder().waitTimeout(WAIT).build());
        assertThatThrownBy(() -> locks.get(REPORT).lock())
                .satisfies(failure -> assertNamesTheFile(failure, "The lock at report was not granted within"));
    }

    @Test
    void aPermit() {
        LeaseLocks locks =
                new LeaseLocks(node, LockOptions.builder().waitTimeout(WAIT).build());
        assertThatThrownBy(() -> new LeaseSemaphore(locks, "imports", 1).acquire())
                .satisfies(failure ->
                        assertNamesTheFile(failure, "No permit of the semaphore 'imports' was granted within"));
    }
}
