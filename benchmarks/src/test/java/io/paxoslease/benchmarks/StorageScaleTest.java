package io.paxoslease.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.paxoslease.Lease;
import io.paxoslease.benchmarks.ScaleMeasurement.Operation;
import io.paxoslease.store.DirectoryRegister;
import io.paxoslease.store.Register;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.stream.Stream;
import org.h2.jdbcx.JdbcConnectionPool;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class StorageScaleTest {

    /** Long enough for a busy machine: an access that takes longer is repeated, and counted again. */
    private static final Duration BOUND = Duration.ofSeconds(1);

    @TempDir
    private Path parent = Path.of("");

    private static ScaleMeasurement measured(ScaleStore store, Duration bound)
            throws IOException, InterruptedException, ExecutionException {
        try (ScaleClient holder = new ScaleClient("holder", store.open(), bound);
                ScaleClient next = new ScaleClient("next", store.open(), bound)) {
            // The first accesses load classes, and leave a released lease.
            new ScaleMeasurement(holder, next, bound).measure("measured");
            ScaleMeasurement measurement = new ScaleMeasurement(holder, next, bound);
            measurement.measure("measured");
            return measurement;
        }
    }

    private static long accesses(ScaleMeasurement measurement, Operation operation) {
        assertThat(measurement.lost()).isZero();
        assertThat(measurement.of(operation).accesses().getTotalCount()).isEqualTo(1);
        return measurement.of(operation).accesses().getMaxValue();
    }

    /** Read and replace; replace; release, read and replace, and perhaps a read that found the lease held. */
    @Test
    void theAccessesOfEachOperationAreCountedByCompareAndSet()
            throws IOException, InterruptedException, ExecutionException {
        JdbcConnectionPool pool = JdbcConnectionPool.create("jdbc:h2:mem:storage-scale-test", "sa", "");
        try (ScaleStore store = new ScaleTable(pool, BOUND)) {
            ScaleMeasurement measurement = measured(store, BOUND);

            assertThat(accesses(measurement, Operation.ACQUIRE)).isEqualTo(2);
            assertThat(accesses(measurement, Operation.RENEW)).isEqualTo(1);
            assertThat(accesses(measurement, Operation.HAND_OVER)).isBetween(3L, 4L);
            assertThat(store.floor(3).getTotalCount()).isEqualTo(3);
        }
    }

    /**
     * At least read, write and read. An acquisition also looks at the release record, which says that the lease is free, and reads again. A
     * hand-over writes that record first.
     */
    @Test
    void theAccessesOfEachOperationAreCountedByReadsAndWrites()
            throws IOException, InterruptedException, ExecutionException {
        Duration bound = Duration.ofMillis(300);
        try (ScaleStore store = new ScaleDirectories(parent, 1, bound)) {
            ScaleMeasurement measurement = measured(store, bound);

            assertThat(accesses(measurement, Operation.ACQUIRE)).isGreaterThanOrEqualTo(5);
            assertThat(accesses(measurement, Operation.RENEW)).isGreaterThanOrEqualTo(3);
            assertThat(accesses(measurement, Operation.HAND_OVER)).isGreaterThanOrEqualTo(5);
            assertThat(measurement.of(Operation.ACQUIRE).whole().getMaxValue())
                    .as("it waits two access bounds")
                    .isGreaterThan(2 * bound.toNanos());
            assertThat(store.floor(3).getTotalCount()).isEqualTo(3);
        }
    }

    @Test
    void everyOtherLeaseIsInEachOfTheDirectories() throws IOException, InterruptedException {
        Map<String, byte[]> others = new LinkedHashMap<>();
        for (int i = 0; i < 250; i++) {
            others.put("other-" + i, new byte[] {(byte) i});
        }
        try (ScaleStore store = new ScaleDirectories(parent, 3, BOUND)) {
            Register register = store.open();
            register.check();
            store.add(others);

            assertThat(register.names("")).containsExactlyInAnyOrderElementsOf(others.keySet());
            assertThat(register.read("other-249")).containsExactly(249);
            assertThat(files()).hasSize(3).allMatch(files -> files > 250);
        }
        assertThat(parent).as("everything is removed").isEmptyDirectory();
    }

    /** The numbers of files and directories in each of the directories. */
    private List<Long> files() throws IOException {
        List<Long> counts = new ArrayList<>();
        for (String name : List.of("1", "2", "3")) {
            try (Stream<Path> root = Files.list(parent);
                    Stream<Path> files =
                            Files.walk(root.findFirst().orElseThrow().resolve(name))) {
                counts.add(files.count());
            }
        }
        return counts;
    }

    @Test
    void theWaitForAnAccessThatHangsEnds() throws InterruptedException, ExecutionException {
        HangingRegister register = new HangingRegister(new DirectoryRegister(parent));
        try (ScaleClient client = new ScaleClient("hangs", register, BOUND)) {
            client.awaitQuiet();
            CompletableFuture<Lease> lease = client.acquire("a");
            register.awaitRead();

            try {
                assertThatIllegalStateException()
                        .isThrownBy(() -> client.awaitQuiet(Duration.ofMillis(50)))
                        .withMessageContaining("Client 'hangs' still accesses the store after PT0.05S");
            } finally {
                register.goOn();
            }
            lease.get();
            client.awaitQuiet();
        }
    }

    @Test
    void numbersThatFallAreRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> StorageScaleBenchmark.run(
                        new PrintStream(PrintStream.nullOutputStream()), "--few=10", "--some=5"))
                .withMessageContaining("must not fall");
    }

    /** A store whose reads wait until they may go on. */
    private static final class HangingRegister implements Register {

        private final Register register;
        private final CountDownLatch begun = new CountDownLatch(1);
        private final CountDownLatch mayGoOn = new CountDownLatch(1);

        HangingRegister(Register register) {
            this.register = register;
        }

        void awaitRead() throws InterruptedException {
            begun.await();
        }

        void goOn() {
            mayGoOn.countDown();
        }

        @Override
        public byte @Nullable [] read(String name) throws IOException {
            begun.countDown();
            try {
                mayGoOn.await();
            } catch (InterruptedException e) {
                throw new InterruptedIOException("Interrupted while it hung");
            }
            return register.read(name);
        }

        @Override
        public void write(String name, byte[] content) throws IOException {
            register.write(name, content);
        }

        @Override
        public String describe() {
            return "store that hangs";
        }
    }
}
