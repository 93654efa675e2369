package io.paxoslease;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.paxoslease.testing.InMemoryCell;
import io.paxoslease.watch.LeaseWatch;
import io.paxoslease.watch.LeaseWatchListener;
import io.paxoslease.watch.WatchedLease;
import io.paxoslease.watch.WatchedLease.State;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Watches of a cell whose clock the test turns. */
class LeaseWatchTest {

    private static final Duration SOON = Duration.ofMillis(100);

    private final InMemoryCell cell = InMemoryCell.of(Duration.ofSeconds(3), Duration.ofSeconds(5), "a", "b", "c");

    @AfterEach
    void close() {
        cell.close();
    }

    /** Remembers what it is told. */
    private static final class Told implements LeaseWatchListener {
        private final Map<String, WatchedLease> leases = new HashMap<>();
        private final List<String> news = new ArrayList<>();

        @Override
        public synchronized void changed(List<WatchedLease> changes) {
            for (WatchedLease each : changes) {
                leases.put(each.resource(), each);
                news.add(each.resource() + " " + each.state() + " " + each.owner());
            }
            notifyAll();
        }

        @Override
        public synchronized void currentChanged(boolean current) {
            news.add(current ? "current" : "stalled");
            notifyAll();
        }

        synchronized void await(String last) throws InterruptedException {
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
            while (!news.contains(last)) {
                long left = end - System.nanoTime();
                assertThat(left).as("%s in %s", last, news).isPositive();
                TimeUnit.NANOSECONDS.timedWait(this, left);
            }
        }

        synchronized List<String> news() {
            return List.copyOf(news);
        }
    }

    private Lease acquire(String node, String resource) {
        CompletableFuture<Lease> lease = cell.node(node).acquire(resource, AcquireOptions.renewing());
        until(lease::isDone);
        return lease.join();
    }

    /** The cell's time passes until it is so. */
    private void until(BooleanSupplier condition) {
        for (int i = 0; i < 200 && !condition.getAsBoolean(); i++) {
            cell.advance(SOON);
        }
        assertThat(condition.getAsBoolean()).isTrue();
    }

    @Test
    void aListenerIsToldOfWhatIsHeldAndOfEachChange() throws InterruptedException {
        cell.addClient("z");
        Lease lease = acquire("a", "role:x");
        Told told = new Told();
        LeaseWatch watch = cell.node("z").watch("role:", told);
        cell.advance(SOON);
        told.await("current");
        told.await("role:x HELD a");
        assertThat(watch.isCurrent()).isTrue();
        assertThat(watch.leases()).containsOnlyKeys("role:x");
        assertThat(watch.prefix()).isEqualTo("role:");
        lease.release();
        until(() -> watch.leases().isEmpty());
        told.await("role:x FREE null");
        acquire("b", "role:x");
        until(() -> watch.leases().containsKey("role:x"));

        told.await("role:x HELD b");
    }

    @Test
    void aSecondListenerOfAPrefixIsToldOfAllAtOnce() throws InterruptedException {
        acquire("a", "role:x");
        LeaseWatch first = cell.node("b").watch("role:", new Told());
        until(first::isCurrent);
        Told told = new Told();
        LeaseWatch second = cell.node("b").watch("role:", told);

        told.await("role:x HELD a");
        told.await("current");
        first.close();
        acquire("a", "role:y");
        until(() -> second.leases().containsKey("role:y"));
        told.await("role:y HELD a");
        assertThat(first.isCurrent()).isFalse();
    }

    @Test
    void aWatchThatIsClosedTellsNothingMore() throws InterruptedException {
        Told told = new Told();
        LeaseWatch watch = cell.node("b").watch("role:", told);
        until(watch::isCurrent);
        told.await("current");
        watch.close();
        watch.close();
        acquire("a", "role:x");
        cell.advance(SOON);

        assertThat(watch.leases()).isEmpty();
        assertThat(told.news()).containsExactly("current");
    }

    @Test
    void aWatchOutlivesItsNodesStopAndStart() throws InterruptedException {
        Lease lease = acquire("a", "role:x");
        acquire("a", "role:y");
        Told told = new Told();
        LeaseWatch watch = cell.node("b").watch("role:", told);
        until(watch::isCurrent);
        told.await("role:x HELD a");
        told.await("current");
        cell.node("b").stop();
        told.await("stalled");
        assertThat(watch.isCurrent()).isFalse();
        assertThat(watch.leases()).containsOnlyKeys("role:x", "role:y");
        lease.release();
        cell.advance(SOON);
        cell.node("b").start();
        until(watch::isCurrent);

        told.await("role:x FREE null");
        assertThat(watch.leases()).containsOnlyKeys("role:y");
    }

    @Test
    void aNodeThatIsCutOffHasAStalledWatch() throws InterruptedException {
        acquire("a", "role:x");
        Told told = new Told();
        LeaseWatch watch = cell.node("b").watch("role:", told);
        until(watch::isCurrent);
        told.await("current");
        cell.disconnect("b");
        until(() -> !watch.isCurrent());
        told.await("stalled");
        cell.reconnect("b");
        until(watch::isCurrent);

        assertThat(watch.leases()).containsEntry("role:x", new WatchedLease("role:x", State.HELD, "a", null));
    }

    /** The latest state of each lease, not each state, and no lease that it has never heard of and that has ended. */
    @Test
    void aSlowListenerIsToldOfTheLatestState() throws InterruptedException {
        CountDownLatch entered = new CountDownLatch(1);
        CountDownLatch leave = new CountDownLatch(1);
        Told told = new Told();
        LeaseWatch watch = cell.node("b").watch("role:", changes -> {
            entered.countDown();
            try {
                leave.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            told.changed(changes);
        });
        until(watch::isCurrent);
        Lease slow = acquire("a", "role:slow");
        cell.advance(SOON);
        assertThat(entered.await(20, TimeUnit.SECONDS)).isTrue();
        for (int i = 0; i < 5; i++) {
            acquire("a", "role:x").release();
            cell.advance(SOON);
        }
        slow.release();
        until(() -> watch.leases().isEmpty());
        leave.countDown();

        told.await("role:slow FREE null");
        assertThat(told.news()).as("nothing of what came and went").noneMatch(each -> each.contains("role:x"));
    }

    @Test
    void whatAListenerThrowsDoesNotEndTheWatch() throws InterruptedException {
        Told told = new Told();
        LeaseWatch watch = cell.node("b").watch("role:", changes -> {
            told.changed(changes);
            throw new IllegalStateException("planted");
        });
        until(watch::isCurrent);
        acquire("a", "role:x");
        until(() -> watch.leases().containsKey("role:x"));
        told.await("role:x HELD a");
        acquire("a", "role:y");
        until(() -> watch.leases().containsKey("role:y"));

        told.await("role:y HELD a");
    }

    @Test
    void onlyRolesAndShardsCanBeWatched() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> cell.node("a").watch("lock:x", new Told()))
                .withMessageContainingAll("[role:, shard:, shards:]", "'lock:x'");
        assertThatIllegalArgumentException().isThrownBy(() -> cell.node("a").watch("", new Told()));
    }

    @Test
    void aNodeWatchesSoManyPrefixesAtMost() {
        for (int i = 0; i < 64; i++) {
            cell.node("a").watch("role:" + i, new Told());
        }
        cell.node("a").watch("role:0", new Told());

        assertThatIllegalStateException()
                .isThrownBy(() -> cell.node("a").watch("role:64", new Told()))
                .withMessageContaining("at most 64 prefixes");
    }
}
