package io.paxoslease;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.locks.LeaseLock;
import io.paxoslease.locks.LeaseLocks;
import io.paxoslease.locks.LockOptions;
import io.paxoslease.membership.FileMembershipStore;
import io.paxoslease.monitor.MembershipStatus;
import io.paxoslease.testing.Eventually;
import io.paxoslease.testing.TestCell;
import io.paxoslease.testing.Walk;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How many types a reader steps through, over TCP; the page names no type that does not run there. */
class WalksTest {

    private static final Duration LEASE = Duration.ofSeconds(3);
    private static final List<String> MEMBERS = List.of("a", "b", "c");

    private final TestCell cell = TestCell.of(LEASE, MEMBERS.toArray(String[]::new));

    @AfterEach
    void stop() {
        cell.close();
    }

    private static void assertPage(String title, Walk.Seen seen, int most) throws IOException {
        assertThat(seen.entered()).as(title).containsAll(Walk.onThePage(title));
        assertThat(seen.onTheWay()).as(title).hasSizeLessThanOrEqualTo(most);
    }

    /** Late answers and renewals in other threads cross some of the walks; the shortest is without them. */
    private static Walk.Seen shortest(int walks, Callable<Walk.Seen> walk) throws Exception {
        List<Walk.Seen> all = new ArrayList<>();
        for (int i = 0; i < walks; i++) {
            all.add(walk.call());
        }
        return Collections.min(
                all, Comparator.comparingInt(seen -> seen.onTheWay().size()));
    }

    @Test
    void aLockIsTakenAndRetained() throws Exception {
        MEMBERS.forEach(cell::start);
        cell.awaitServing();
        LeaseLocks locks = new LeaseLocks(
                cell.node("a"),
                LockOptions.builder().idleRetention(Duration.ofMinutes(5)).build());
        AtomicInteger key = new AtomicInteger();
        locks.get("x0"); // its classes are loaded before they are instrumented
        try (Walk walk = new Walk()) {
            Walk.Seen first = lock(walk, locks, "x0"); // resolves what the later ones find resolved
            Walk.Seen shortest = shortest(20, () -> lock(walk, locks, "x" + key.incrementAndGet()));
            assertPage("A cold `lock()`", new Walk.Seen(first.entered(), shortest.onTheWay()), 40);
            assertPage("A `lock()` on a retained lease", shortest(100, () -> lock(walk, locks, "x1")), 8);
        }
    }

    private static Walk.Seen lock(Walk walk, LeaseLocks locks, String key) throws Exception {
        LeaseLock lock = locks.get(key);
        Walk.Seen seen = walk.of(lock::lock);
        lock.unlock();
        return seen;
    }

    @Test
    void aLeaseIsRenewed() throws Exception {
        MEMBERS.forEach(cell::start);
        cell.awaitServing();
        Lease lease = cell.node("a").acquire("r", AcquireOptions.renewing()).get();
        awaitRenewal(lease); // the acceptors know the batch from then on
        try (Walk walk = new Walk()) {
            assertPage("A renewal", shortest(3, () -> walk.of(() -> awaitRenewal(lease))), 40);
        }
    }

    private static void awaitRenewal(Lease lease) {
        AtomicReference<Duration> last = new AtomicReference<>(lease.remaining());
        Eventually.until("the lease is renewed", () -> {
            Duration before = last.getAndSet(lease.remaining());
            return last.get().compareTo(before) > 0;
        });
    }

    @Test
    void theCellChanges(@TempDir Path directory) throws Exception {
        MEMBERS.forEach(id -> cell.start(cell.options(id)
                .membershipStore(new FileMembershipStore(directory.resolve("members"), cell.name()))
                .build()));
        cell.awaitServing();
        Map<String, String> fewer = new TreeMap<>(cell.addresses());
        fewer.remove("c");
        try (Walk walk = new Walk()) {
            Walk.Seen seen = walk.of(() -> {
                cell.node("a").admin().changeMembers(MembershipChange.to(fewer));
                fewer.keySet()
                        .forEach(id -> Eventually.until(
                                id + " knows of the seal", () -> membership(id).sealed() == 2));
            });
            assertPage("A change of the members", seen, 60);
        }
    }

    private MembershipStatus membership(String id) {
        return Objects.requireNonNull(cell.node(id).monitor().status().membership());
    }
}
