package io.paxoslease.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.AcquireOptions;
import io.paxoslease.Lease;
import io.paxoslease.PaxosLeaseOptions;
import io.paxoslease.election.LeaderCandidate;
import io.paxoslease.election.LeaderElection;
import io.paxoslease.election.Leadership;
import io.paxoslease.testing.Eventually;
import io.paxoslease.testing.TestCell;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A process whose heap is full, with real connections: its member does not stay as one that says it serves and answers nothing. */
@Tag("slow")
@Tag("jdk")
@Timeout(120)
class OutOfMemoryNodeTest {

    private static final Duration LEASE = Duration.ofSeconds(1);
    private static final AcquireOptions SOON =
            AcquireOptions.builder().maxWait(Duration.ofSeconds(20)).build();

    @Test
    void aMemberWithoutMemoryGivesUpItsPlace() throws Exception {
        try (TestCell cell = TestCell.of(LEASE, "a", "b", "c")) {
            cell.start("b");
            cell.start("c");
            Process process = member(cell);
            try {
                String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
                assertThat(process.waitFor(10, TimeUnit.SECONDS)).isTrue();
                assertThat(output)
                        .contains("This node takes no further part")
                        .containsPattern("ended: FAILED, held false, lost (FAILED|EXPIRED), revoked");
                try (Lease next = cell.node("b").tryAcquire("r", SOON).orElseThrow()) {
                    assertThat(next.isHeld()).isTrue();
                }
            } finally {
                process.destroyForcibly();
            }
        }
    }

    private static Process member(TestCell cell) throws Exception {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx40m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                Member.class.getName(),
                cell.name()));
        cell.addresses().forEach((id, address) -> command.add(id + "=" + address));
        return new ProcessBuilder(command).redirectErrorStream(true).start();
    }

    /** The main class of that process: fills the heap until its member has failed, and says what became of it. */
    static final class Member implements LeaderCandidate {

        private static final int LARGE = 1 << 16;
        private static final long LIMIT_NANOS = TimeUnit.SECONDS.toNanos(60);

        private final CountDownLatch granted = new CountDownLatch(1);
        private final CountDownLatch revoked = new CountDownLatch(1);
        private final CountDownLatch told = new CountDownLatch(1);
        private volatile String loss = "nothing";

        public static void main(String[] args) throws InterruptedException {
            PaxosLeaseOptions.Builder options = PaxosLeaseOptions.builder("a")
                    .cell(args[0])
                    .leaseTime(LEASE)
                    .maxLeaseTime(LEASE);
            Arrays.stream(args).skip(1).map(peer -> peer.split("=", 2)).forEach(peer -> options.peer(peer[0], peer[1]));
            LocalNode node = LocalNode.create(options.build());
            node.start();
            new Member().run(node);
        }

        private void run(LocalNode node) throws InterruptedException {
            Lease lease = node.tryAcquire("r", SOON).orElseThrow();
            lease.onLost((which, reason) -> {
                loss = reason.name();
                told.countDown();
            });
            LeaderElection election = LeaderElection.builder(node.handle(), "r").build(this);
            election.start();
            granted.await();
            NodeRuntime running = Objects.requireNonNull(node.lifecycle.running());
            fillUntil(running);
            boolean heard = told.await(20, TimeUnit.SECONDS) && revoked.await(20, TimeUnit.SECONDS);
            Eventually.until(
                    "all is done, the log line too", () -> running.runner().lookAfterFault());
            System.out.printf(
                    "ended: %s, held %s, lost %s, %s%n",
                    node.status().state(), lease.isHeld(), loss, heard ? "revoked" : "not revoked");
            System.exit(0);
        }

        /** Takes what the collector frees at once, so that the next that wants memory gets none. */
        private static void fillUntil(NodeRuntime node) {
            long limit = System.nanoTime() + LIMIT_NANOS;
            @Nullable Object @Nullable [] hog = null;
            int size = LARGE;
            while (!node.hasFailed() && System.nanoTime() < limit) {
                try {
                    hog = taking(hog, size);
                } catch (OutOfMemoryError full) {
                    size = Math.max(2, size / 2);
                }
            }
        }

        private static @Nullable Object[] taking(@Nullable Object @Nullable [] hog, int size) {
            @Nullable Object[] more = new Object[size];
            more[0] = hog;
            return more;
        }

        @Override
        public void onGranted(Leadership leadership) {
            granted.countDown();
        }

        @Override
        public void onRevoked(Leadership leadership) {
            revoked.countDown();
        }
    }
}
