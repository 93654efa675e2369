package io.paxoslease.shards;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paxoslease.AcquireOptions;
import io.paxoslease.HandOverException;
import io.paxoslease.Lease;
import io.paxoslease.NodeAdmin;
import io.paxoslease.monitor.NodeObserver;
import io.paxoslease.node.GroupSupport;
import io.paxoslease.node.HeldLease;
import io.paxoslease.node.LocalNode;
import io.paxoslease.node.NodeClock;
import io.paxoslease.node.PendingLease;
import io.paxoslease.node.TestLeases;
import io.paxoslease.protocol.Moment;
import io.paxoslease.shards.plan.Participant;
import io.paxoslease.testing.InMemoryCell;
import io.paxoslease.testing.Latches;
import io.paxoslease.testing.LogCapture;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The work on shards: threads, interrupts, failures, and that no shard is released while work on it runs. */
class ShardWorkTest {

    private static final Duration STARTED = Duration.ofSeconds(5);
    private static final Duration SOON = Duration.ofMillis(500);
    private static final int COUNT = 4;

    private final InMemoryCell cell = InMemoryCell.of("a", "b", "c");
    private final BlockingQueue<String> events = new LinkedBlockingQueue<>();
    private final ExecutorService threads = Executors.newCachedThreadPool();

    @AfterEach
    void close() {
        threads.shutdownNow();
        cell.close();
    }

    private ShardGroup.Builder builder(String node) {
        return ShardGroup.builder(cell.node(node), "invoices", COUNT);
    }

    private ShardGroup started(ShardGroup group) {
        group.start();
        cell.advance(STARTED);
        return group;
    }

    /** Blocks until it is interrupted, and tells of it. */
    private ShardWorker blocking() {
        return new ShardWorker() {
            @Override
            public void work(Shard shard) throws InterruptedException {
                events.add("granted " + shard.index());
                new CountDownLatch(1).await();
            }

            @Override
            public void onRevoked(Shard shard) {
                events.add("revoked " + shard.index() + (shard.isOwned() ? " and owned" : ""));
            }
        };
    }

    /** Moves the clock until the threads of shards have come so far. */
    private void until(BooleanSupplier condition) {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).as("in time").isLessThan(deadline);
            cell.advance(Duration.ofMillis(20));
            Thread.onSpinWait();
        }
    }

    private List<String> take(int count) throws InterruptedException {
        List<String> taken = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            taken.add(events.poll(10, TimeUnit.SECONDS));
        }
        return taken;
    }

    @Test
    void eachShardThatIsOwnedHasAThreadThatIsInterruptedWhenItIsGivenUp() throws InterruptedException {
        ShardGroup group = started(builder("a").worker(blocking()).build());
        assertThat(take(COUNT)).containsExactlyInAnyOrder("granted 0", "granted 1", "granted 2", "granted 3");
        assertThat(group.stop(Duration.ofSeconds(10))).isTrue();
        assertThat(take(COUNT)).containsExactlyInAnyOrder("revoked 0", "revoked 1", "revoked 2", "revoked 3");
        assertThat(group.owned()).isEmpty();
        assertThat(cell.node("a").monitor().heldLeases()).isZero();
    }

    @Test
    void aShardIsNotReleasedWhileItsWorkRuns() throws InterruptedException {
        CountDownLatch mayEnd = new CountDownLatch(1);
        CountDownLatch interrupted = new CountDownLatch(COUNT);
        ShardGroup group = started(builder("a")
                .worker(shard -> {
                    try {
                        new CountDownLatch(1).await();
                    } finally {
                        interrupted.countDown();
                        Latches.awaitStubbornly(mayEnd);
                    }
                })
                .build());
        ShardGroup other = builder("b").build();
        other.start();
        until(() -> group.owned().size() == COUNT);
        assertThat(group.stop(Duration.ZERO)).isFalse();
        cell.advance(Duration.ofMinutes(2));
        assertThat(interrupted.await(10, TimeUnit.SECONDS)).isTrue();
        assertThat(other.owned()).isEmpty();
        assertThat(group.owned()).isEmpty();
        assertThat(cell.node("a").monitor().heldLeases()).isEqualTo(COUNT + 1);
        mayEnd.countDown();
        until(() -> other.owned().size() == COUNT);
        assertThat(group.stop(Duration.ofSeconds(10))).isTrue();
    }

    @Test
    void workThatFailsStartsAgainUnderTheSameToken() {
        AtomicInteger calls = new AtomicInteger();
        Map<Integer, Long> tokens = new ConcurrentHashMap<>();
        ShardGroup group = started(builder("a")
                .worker(shard -> {
                    if (shard.index() == 0) {
                        tokens.put(calls.incrementAndGet(), shard.fencingToken());
                        throw new IllegalStateException("on purpose");
                    }
                })
                .build());
        until(() -> calls.get() >= 3);
        assertThat(tokens.values().stream().distinct()).hasSize(1);
        assertThat(group.counts().failed()).isBetween(2L, (long) calls.get());
        assertThat(group.ownedIndexes()).contains(1, 2, 3);
    }

    private static HeldLease leaseOf(Shard shard) {
        return ((ShardTenure) shard).lease();
    }

    /** As after a step of a clock. Such work has ended for good, though the lease is confirmed a moment later. */
    @Test
    void workThatEndsWhileItsLeaseIsInDoubtStartsAgain() throws InterruptedException {
        BlockingQueue<Shard> shards = new LinkedBlockingQueue<>();
        ShardGroup group = started(ShardGroup.builder(cell.node("a"), "invoices", 1)
                .worker(new ShardWorker() {
                    @Override
                    public void work(Shard shard) {
                        shards.add(shard);
                        while (shard.isOwned()) {
                            Thread.onSpinWait();
                        }
                        events.add("ended");
                    }

                    @Override
                    public void onRevoked(Shard shard) {
                        events.add("revoked");
                    }
                })
                .build());
        Shard first = shards.poll(10, TimeUnit.SECONDS);
        TestLeases.suspect(leaseOf(first));
        assertThat(take(2)).containsExactly("ended", "revoked");
        TestLeases.confirm(leaseOf(first));

        until(() -> !shards.isEmpty());
        Shard second = shards.poll(10, TimeUnit.SECONDS);
        assertThat(second.fencingToken()).isEqualTo(first.fencingToken());
        assertThat(second.isOwned()).isTrue();
        assertThat(first.isOwned()).as("never again once it has been false").isFalse();
        assertThat(group.counts().failed()).isZero();
        assertThat(group.stop(Duration.ofSeconds(10))).isTrue();
    }

    private interface Question {
        boolean isOwned(ShardGroup group, int index) throws Exception;
    }

    /** Whatever the work asks: it ends because of the answer. */
    private void workThatAsksInDoubtStartsAgain(Question question) throws InterruptedException {
        BlockingQueue<Shard> shards = new LinkedBlockingQueue<>();
        AtomicReference<ShardGroup> group = new AtomicReference<>();
        group.set(ShardGroup.builder(cell.node("a"), "invoices", 2)
                .worker(shard -> {
                    if (shard.index() == 1) {
                        new CountDownLatch(1).await();
                    }
                    shards.add(shard);
                    while (question.isOwned(group.get(), 0)) {
                        Thread.onSpinWait();
                    }
                    events.add("ended");
                })
                .build());
        started(group.get());
        Shard first = shards.poll(10, TimeUnit.SECONDS);
        TestLeases.suspect(leaseOf(first));
        assertThat(take(1)).containsExactly("ended");
        TestLeases.confirm(leaseOf(first));
        until(() -> !shards.isEmpty());
        assertThat(group.get().stop(Duration.ofSeconds(10))).isTrue();
    }

    @Test
    void workThatAsksTheGroupInDoubtStartsAgain() throws InterruptedException {
        workThatAsksInDoubtStartsAgain(ShardGroup::owns);
    }

    @Test
    void workThatAsksForAllOwnedShardsInDoubtStartsAgain() throws InterruptedException {
        workThatAsksInDoubtStartsAgain((group, index) -> group.ownedIndexes().contains(index));
    }

    @Test
    void workThatAsksInACallForAnotherShardInDoubtStartsAgain() throws InterruptedException {
        workThatAsksInDoubtStartsAgain((group, index) -> group.callIfOwned(1, () -> group.owns(index))
                .orElse(!Thread.currentThread().isInterrupted()));
    }

    @Test
    void workOnOneNodeIsNotThatOfAnotherNodeOfTheProcess() throws Exception {
        ShardGroup ofA = started(builder("a").build());
        ShardGroup ofB = started(builder("b").build());
        int index = ofA.ownedIndexes().get(0);
        assertThat(ofA.callIfOwned(index, () -> List.of(ofA.owns(index), ofB.owns(index))))
                .contains(List.of(true, false));
    }

    @Test
    void workThatDoesNotEndAfterADoubtIsReported() throws InterruptedException {
        CountDownLatch mayEnd = new CountDownLatch(1);
        BlockingQueue<Shard> shards = new LinkedBlockingQueue<>();
        started(ShardGroup.builder(cell.node("a"), "invoices", 1)
                .worker(shard -> {
                    shards.add(shard);
                    Latches.awaitStubbornly(mayEnd);
                })
                .build());
        Shard shard = shards.poll(10, TimeUnit.SECONDS);
        try (LogCapture log = LogCapture.of(ShardGroup.class)) {
            TestLeases.suspect(leaseOf(shard));
            assertThat(shard.isOwned()).isFalse();
            TestLeases.confirm(leaseOf(shard));
            cell.advance(SOON);
            assertThat(log.lines()).singleElement().asString().contains("A shard of group", "for a moment");
            cell.advance(Duration.ofMinutes(1));
            assertThat(log.lines()).hasSize(2).last().asString().contains("has not ended in");
        }
        mayEnd.countDown();
        until(() -> shards.size() == 1);
    }

    @Test
    void workThatIsToStartWhileItsLeaseIsInDoubtStartsLater() throws InterruptedException {
        BlockingQueue<Shard> failed = new LinkedBlockingQueue<>();
        ShardGroup group = started(ShardGroup.builder(cell.node("a"), "invoices", 1)
                .worker(shard -> {
                    if (failed.isEmpty()) {
                        failed.add(shard);
                        throw new IllegalStateException("on purpose");
                    }
                    events.add("works");
                    new CountDownLatch(1).await();
                })
                .build());
        until(() -> group.counts().failed() == 1);
        HeldLease lease = leaseOf(failed.element());
        for (int i = 0; i < 300; i++) {
            TestLeases.suspect(lease); // a renewal ends the doubt
            cell.advance(Duration.ofMillis(10));
        }
        TestLeases.confirm(lease);
        until(() -> !events.isEmpty());
        assertThat(group.ownedIndexes()).containsExactly(0);
        assertThat(group.stop(Duration.ofSeconds(10))).isTrue();
    }

    /** What only looks on ends nothing; who works on the shard and asks ends its stretch of work, also where no worker has a thread. */
    @Test
    void aShardThatIsRefusedInDoubtComesBack() throws Exception {
        ShardGroup group =
                started(ShardGroup.builder(cell.node("a"), "invoices", 1).build());
        Shard shard = group.owned().get(0);
        TestLeases.suspect(leaseOf(shard));
        assertThat(group.callIfOwned(0, () -> 1)).isEmpty();
        assertThat(group.status().shards().get(0).owner()).isNotNull();
        TestLeases.confirm(leaseOf(shard));
        assertThat(group.callIfOwned(0, () -> 1)).contains(1);
        TestLeases.suspect(leaseOf(shard));
        assertThat(shard.isOwned()).isFalse();
        TestLeases.confirm(leaseOf(shard));
        assertThat(group.owns(0)).as("not at once").isFalse();
        until(() -> group.owns(0));
        assertThat(group.callIfOwned(0, () -> 1)).contains(1);
        assertThat(shard.remaining()).isZero();
    }

    @Test
    void aLostLeaseEndsTheWorkAndAnotherInstanceTakesOver() throws InterruptedException {
        ShardGroup group = started(builder("a").worker(blocking()).build());
        take(COUNT);
        ShardGroup other = builder("b").build();
        other.start();
        cell.disconnect("a");
        cell.advance(Duration.ofSeconds(15));
        assertThat(group.owned()).isEmpty();
        assertThat(take(COUNT)).containsExactlyInAnyOrder("revoked 0", "revoked 1", "revoked 2", "revoked 3");
        until(() -> other.owned().size() == COUNT);
        assertThat(group.counts().lost()).isEqualTo(COUNT);
    }

    @Test
    void aShardThatComesBackWaitsForTheWorkBeforeTheLoss() throws InterruptedException {
        CountDownLatch mayEnd = new CountDownLatch(1);
        AtomicInteger running = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        ShardGroup group = started(ShardGroup.builder(cell.node("a"), "invoices", 1)
                .worker(shard -> {
                    most.accumulateAndGet(running.incrementAndGet(), Math::max);
                    events.add("granted " + shard.fencingToken());
                    if (mayEnd.getCount() > 0) {
                        Latches.awaitStubbornly(mayEnd);
                        running.decrementAndGet();
                    } else {
                        new CountDownLatch(1).await();
                    }
                })
                .build());
        assertThat(take(1)).doesNotContainNull();
        cell.disconnect("a");
        cell.advance(Duration.ofSeconds(15));
        cell.reconnect("a");
        until(() -> cell.node("a").monitor().heldLeases() == 2);
        cell.advance(SOON);
        assertThat(group.owned()).isEmpty();
        assertThat(events).isEmpty();
        mayEnd.countDown();
        take(1);
        until(() -> group.owned().size() == 1);
        assertThat(most).hasValue(1);
    }

    @Test
    void aShardThatCameBackIsHandedOnOnlyWhenTheWorkBeforeTheLossHasEnded() throws InterruptedException {
        CountDownLatch mayEnd = new CountDownLatch(1);
        ShardGroup group = started(ShardGroup.builder(cell.node("a"), "invoices", 1)
                .worker(shard -> {
                    events.add("granted " + shard.fencingToken());
                    Latches.awaitStubbornly(mayEnd);
                })
                .build());
        assertThat(take(1)).doesNotContainNull();
        cell.disconnect("a");
        cell.advance(Duration.ofSeconds(15));
        cell.reconnect("a");
        until(() -> cell.node("a").monitor().heldLeases() == 2);
        ShardGroup other = ShardGroup.builder(cell.node("b"), "invoices", 1).build();
        other.start();
        cell.advance(STARTED);
        assertThat(group.stop(Duration.ZERO)).isFalse();
        cell.advance(Duration.ofMinutes(2));
        assertThat(other.owned()).isEmpty();
        mayEnd.countDown();
        until(() -> other.owned().size() == 1);
        assertThat(events).isEmpty();
    }

    @Test
    void aGuardedCallDelaysTheHandOver() throws Exception {
        ShardGroup group = started(builder("a").build());
        ShardGroup other = builder("b").build();
        other.start();
        cell.advance(STARTED);
        int index = group.ownedIndexes().get(0);
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch mayEnd = new CountDownLatch(1);
        Future<Optional<Boolean>> call = threads.submit(() -> group.callIfOwned(index, () -> {
            inside.countDown();
            Latches.awaitStubbornly(mayEnd);
            return Thread.currentThread().isInterrupted() || Shard.current().index() == index;
        }));
        assertThat(inside.await(10, TimeUnit.SECONDS)).isTrue();
        assertThat(group.stop(Duration.ZERO)).isFalse();
        cell.advance(Duration.ofSeconds(5));
        assertThat(other.owns(index)).isFalse();
        assertThat(group.callIfOwned(index, () -> true)).isEmpty();
        mayEnd.countDown();
        assertThat(call.get(10, TimeUnit.SECONDS)).contains(true);
        until(() -> other.owns(index));
    }

    @Test
    void theNodesObserversSeeTheWorkAndTheCalls() throws Exception {
        cell.node("a").monitor().addObserver(new NodeObserver() {
            @Override
            public void around(Kind kind, String name, Callback callback) throws InterruptedException {
                events.add(kind + " " + name);
                try {
                    callback.run();
                } finally {
                    events.add("end of " + kind);
                }
            }
        });
        ShardGroup group = started(ShardGroup.builder(cell.node("a"), "orders", 1)
                .worker(blocking())
                .build());
        assertThat(take(3))
                .as("the work itself is not observed, as it may last for days")
                .containsExactly("SHARD_GRANTED orders/0", "end of SHARD_GRANTED", "granted 0");
        assertThatThrownBy(() -> group.callIfOwned(0, () -> {
                    throw new IOException("on purpose");
                }))
                .isInstanceOf(IOException.class)
                .hasMessage("on purpose");
        assertThat(take(2)).containsExactly("SHARD_CALL orders/0", "end of SHARD_CALL");
        assertThat(group.callIfOwned(0, () -> 42)).contains(42);
        assertThat(take(2)).containsExactly("SHARD_CALL orders/0", "end of SHARD_CALL");
        group.stop(Duration.ZERO);
        assertThat(take(3)).containsExactly("SHARD_REVOKED orders/0", "revoked 0", "end of SHARD_REVOKED");
    }

    @Test
    void whatACallThrowsIsThrownWhateverAnObserverDoes() {
        cell.node("a").monitor().addObserver(new NodeObserver() {
            @Override
            public void around(Kind kind, String name, Callback callback) throws InterruptedException {
                try {
                    callback.run();
                } catch (InterruptedException e) {
                    throw e;
                } catch (Exception e) { // kept, though it must not be
                    events.add(e.getMessage());
                }
            }
        });
        ShardGroup group = started(builder("a").build());
        assertThatThrownBy(() -> group.callIfOwned(0, () -> {
                    throw new IOException("on purpose");
                }))
                .isInstanceOf(IOException.class);
        assertThat(events).containsExactly("on purpose");
    }

    @Test
    void anotherNumberOfShardsIsRefusedWithBothNumbers() {
        started(builder("a").build());
        ShardGroup wrong =
                ShardGroup.builder(cell.node("b"), "invoices", COUNT + 1).build();
        wrong.start();
        cell.advance(Duration.ofSeconds(20));
        assertThat(wrong.owned()).isEmpty();
        ShardGroupStatus status = wrong.status();
        assertThat(status.state()).isEqualTo(ShardGroupStatus.State.REFUSED);
        assertThat(status.conflict()).contains("4 shards at node 'a'", "5 at this node 'b'");
        assertThat(wrong.stop(Duration.ofSeconds(10))).isTrue();
        assertThat(wrong.status().state()).isEqualTo(ShardGroupStatus.State.STOPPED);
        assertThat(wrong.status().conflict()).isNull();
    }

    @Test
    void aStopOfAGroupThatIsRefusedLogsNothing() {
        started(builder("a").build());
        ShardGroup wrong =
                ShardGroup.builder(cell.node("b"), "invoices", COUNT + 1).build();
        try (LogCapture log = LogCapture.of(ShardGroup.class)) {
            wrong.start();
            cell.advance(Duration.ofSeconds(20));
            int before = log.lines().size();
            assertThat(before).isPositive();
            wrong.stop(Duration.ofSeconds(10));
            cell.advance(Duration.ofMinutes(1));
            assertThat(log.lines()).hasSize(before);
        }
    }

    /** Both leave, as none is clearly older; they do not look again at the same time for ever. */
    @Test
    void twoNumbersOfShardsThatStartTogetherDoNotRefuseEachOtherForEver() {
        ShardGroup four = builder("a").build();
        ShardGroup five =
                ShardGroup.builder(cell.node("b"), "invoices", COUNT + 1).build();
        four.start();
        five.start();
        until(() -> four.owned().size() == COUNT || five.owned().size() == COUNT + 1);
        assertThat(four.owned().isEmpty() || five.owned().isEmpty()).isTrue();
    }

    /** The interrupt has been spent: work that began now would not be told to end. */
    @Test
    void noWorkBeginsWhenTheShardHasToEndWhileItIsOpened() throws InterruptedException {
        CountDownLatch opening = new CountDownLatch(COUNT);
        ShardGroup group = started(builder("a")
                .worker(new ShardWorker() {
                    @Override
                    public void onGranted(Shard shard) {
                        opening.countDown();
                        try {
                            new CountDownLatch(1).await();
                        } catch (InterruptedException swallowed) {
                            events.add("opened " + shard.index());
                        }
                    }

                    @Override
                    public void work(Shard shard) {
                        events.add("works on " + shard.index());
                    }

                    @Override
                    public void onRevoked(Shard shard) {
                        events.add("revoked " + shard.index());
                    }
                })
                .build());
        assertThat(opening.await(10, TimeUnit.SECONDS)).isTrue();
        assertThat(group.stop(Duration.ofSeconds(10))).isTrue();
        assertThat(take(2 * COUNT)).noneMatch(event -> event.startsWith("works"));
        assertThat(events).isEmpty();
    }

    @Test
    void aNodeThatStopsAndStartsTakesPartAgain() {
        ShardGroup group = started(builder("a").build());
        assertThat(group.owned()).hasSize(COUNT);
        cell.node("a").stop();
        assertThat(group.owned()).isEmpty();
        cell.restart("a");
        until(() -> group.owned().size() == COUNT);
    }

    /** A call that begins while the node looks for work is work: its lease is not released under it. */
    @Test
    void workThatBeginsWhileItsNodeStopsKeepsItsLease() throws Exception {
        GroupSupport groups = LocalNode.of(cell.node("a")).groups();
        Map<String, Boolean> begun = new ConcurrentHashMap<>();
        Map<String, HeldLease> leases = new ConcurrentHashMap<>();
        for (String resource : List.of("shard:x/0", "shard:x/1")) {
            PendingLease asked = groups.ask(resource, AcquireOptions.renewing(), null, () -> {});
            cell.advance(SOON);
            leases.put(resource, Objects.requireNonNull(asked).granted());
        }
        leases.forEach((resource, lease) -> lease.keepFor(() -> {
            boolean isInWork = begun.containsKey(resource);
            leases.forEach((other, otherLease) -> {
                if (otherLease.isHeld()) {
                    begun.put(other, true); // as a call does that another thread makes
                }
            });
            return isInWork;
        }));
        cell.node("a").stop();
        cell.advance(SOON);
        for (String resource : begun.keySet()) {
            assertThat(cell.node("b").tryAcquire(resource, AcquireOptions.fixed(SOON)))
                    .as("'%s' is free while work under it runs", resource)
                    .isEmpty();
        }
    }

    /** More than the node's thread looks at in one batch. */
    @Test
    void workUnderManyLeasesKeepsThemAllWhenItsNodeStops() {
        List<PendingLease> asked = IntStream.range(0, 1_100)
                .mapToObj(i -> Objects.requireNonNull(LocalNode.of(cell.node("a"))
                        .groups()
                        .ask("shard:x/" + i, AcquireOptions.renewing(), null, () -> {})))
                .toList();
        cell.advance(SOON);
        asked.forEach(each -> Objects.requireNonNull(each.granted()).keepFor(() -> true));
        List<CompletableFuture<Lease>> others = IntStream.range(0, asked.size())
                .mapToObj(i -> cell.node("b").acquire("shard:x/" + i, AcquireOptions.renewing()))
                .toList();
        cell.node("a").stop();
        cell.advance(SOON);
        assertThat(others).noneMatch(CompletableFuture::isDone);
    }

    /** A node that does not run has no timer, by which the turn after a rest comes. */
    @Test
    void aWakeInARestIsNotLostWhenTheNodeHasStopped() {
        LocalNode node = LocalNode.of(cell.node("a"));
        NodeClock clock = node.groups().clock();
        AtomicInteger count = new AtomicInteger();
        Turns turns = new Turns(node, Runnable::run, () -> {
            if (count.incrementAndGet() == 1) {
                cell.advance(Duration.ofMillis(10)); // a long turn
            }
            return null;
        });
        cell.node("a").stop();
        assertThat(clock).isSameAs(node.groups().clock());
        turns.wake();
        turns.wake();
        assertThat(count).hasValue(2);
    }

    private GroupSeat takenSeat(NodeClock clock) {
        Moment now = clock.read().moment();
        GroupSeat seat = new GroupSeat(LocalNode.of(cell.node("a")), "invoices", () -> {}, now);
        seat.write(new Participant(Participant.State.ACTIVE, 1, 0, 1, "r", COUNT, COUNT), now);
        seat.keep(true, now);
        cell.advance(SOON);
        return seat;
    }

    @Test
    void aSeatThatTheMembersDoNotTellOfIsReported() {
        NodeClock clock = LocalNode.of(cell.node("a")).groups().clock();
        GroupSeat seat = takenSeat(clock);
        try (LogCapture log = LogCapture.of(ShardGroup.class)) {
            for (int i = 0; i < 40; i++) {
                seat.keep(false, clock.read().moment());
                cell.advance(SOON);
            }
            assertThat(log.lines()).singleElement().asString().contains("no memory for more notes");
        }
    }

    /** Otherwise the group would look again at once, and again, as long as the node hangs. */
    @Test
    void aConfirmationThatIsOverdueIsLookedAtLater() {
        NodeClock clock = LocalNode.of(cell.node("a")).groups().clock();
        GroupSeat seat = takenSeat(clock);
        assertThat(cell.node("a").monitor().heldLeases()).isEqualTo(1);
        cell.suspend("a");
        for (int i = 0; i < 4; i++) {
            Moment now = clock.read().moment();
            assertThat(now.isBefore(Objects.requireNonNull(seat.keep(true, now))))
                    .isTrue();
            cell.advance(SOON);
        }
        cell.resume("a");
    }

    /** Its watches may be current before it can be asked for anything. */
    @Test
    void aGroupIsWokenWhenItsNodeCanBeAsked() {
        GroupSupport groups = LocalNode.of(cell.node("a")).groups();
        List<Boolean> canBeAsked = new ArrayList<>();
        groups.join(this, "invoices", resource -> false, () -> canBeAsked.add(groups.life() != null));
        cell.node("a").stop();
        cell.restart("a");
        assertThat(canBeAsked).containsExactly(true);
        groups.leave(this, "invoices");
    }

    @Test
    void aGroupThatIsStoppedAndStartedAgainTakesPartAgain() {
        ShardGroup group = started(builder("a").build());
        assertThat(group.stop(Duration.ofSeconds(5))).isTrue();
        assertThat(group.status().state()).isEqualTo(ShardGroupStatus.State.STOPPED);
        started(group);
        cell.advance(STARTED);
        assertThat(group.owned()).hasSize(COUNT);
    }

    @Test
    void workMayStopItsGroup() throws InterruptedException {
        ShardGroup[] group = new ShardGroup[1];
        group[0] = builder("a")
                .worker(shard -> {
                    if (shard.index() == 0) {
                        events.add("stopped " + group[0].stop(Duration.ofMinutes(1)));
                    }
                })
                .build();
        started(group[0]);
        assertThat(take(1)).containsExactly("stopped false");
        until(() -> cell.node("a").monitor().heldLeases() == 0);
    }

    @Test
    void aStopInARevocationDoesNotWaitForIt() throws InterruptedException {
        ShardGroup[] group = new ShardGroup[1];
        group[0] = builder("a")
                .worker(new ShardWorker() {
                    @Override
                    public void work(Shard shard) {}

                    @Override
                    public void onRevoked(Shard shard) {
                        events.add("stopped " + group[0].stop(Duration.ofMinutes(1)));
                    }
                })
                .build();
        started(group[0]);
        Future<?> stop = threads.submit(() -> group[0].stop(Duration.ofMinutes(1)));
        assertThat(take(COUNT)).containsOnly("stopped false");
        until(stop::isDone);
        until(() -> cell.node("a").monitor().heldLeases() == 0);
    }

    @Test
    void aStopInTheCallOfAnotherGroupThatIsNestedDoesNotWait() throws Exception {
        ShardGroup outer = started(builder("a").build());
        ShardGroup inner =
                started(ShardGroup.builder(cell.node("a"), "orders", 1).build());
        Optional<Boolean> stopped =
                outer.callIfOwned(0, () -> inner.callIfOwned(0, () -> outer.stop(Duration.ofMinutes(1)))
                        .orElseThrow());
        assertThat(stopped).contains(false);
    }

    /** Its thread runs the work although it could not be started: the shard is not released under it. */
    @Test
    void aThreadThatTheFactoryHasStartedKeepsItsShard() throws InterruptedException {
        ShardGroup group = started(builder("a")
                .options(ShardOptions.builder()
                        .threads(task -> {
                            int before = events.size();
                            Thread made = new Thread(task);
                            made.start();
                            while (events.size() == before) {
                                Thread.onSpinWait(); // until the worker is called
                            }
                            return made;
                        })
                        .build())
                .worker(blocking())
                .build());
        until(() -> events.size() == COUNT);
        cell.advance(STARTED);
        assertThat(take(COUNT)).allMatch(event -> event.startsWith("granted"));
        assertThat(group.ownedIndexes()).hasSize(COUNT);
        assertThat(events).isEmpty();
        assertThat(group.counts().failed()).isZero();
    }

    /** The group's own thread must not do the work: nothing would tell that to end. */
    @Test
    void aFactoryThatRunsTheWorkItselfGetsItRefusedAndTriedAgain() throws InterruptedException {
        AtomicInteger made = new AtomicInteger();
        ShardGroup group = started(builder("a")
                .options(ShardOptions.builder()
                        .threads(task -> {
                            if (made.incrementAndGet() <= COUNT) {
                                task.run();
                            }
                            return new Thread(task);
                        })
                        .build())
                .worker(blocking())
                .build());
        until(() -> events.size() == COUNT);
        assertThat(take(COUNT)).allMatch(event -> event.startsWith("granted"));
        assertThat(group.counts().failed()).isEqualTo(COUNT);
    }

    @Test
    void aSecondGroupOfTheNameIsRefusedOnOneNode() {
        started(builder("a").build());
        ShardGroup second = builder("a").build();
        assertThatThrownBy(second::start)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("participates in group 'invoices' already");
    }

    @Test
    void anUnhealthyInstanceGivesItsShardsUp() {
        ShardGroup group = started(builder("a").build());
        ShardGroup other = builder("b").build();
        other.start();
        cell.advance(STARTED);
        group.health(false);
        cell.advance(Duration.ofSeconds(12));
        assertThat(group.owned()).isEmpty();
        assertThat(group.status().state()).isEqualTo(ShardGroupStatus.State.STANDBY);
        assertThat(other.owned()).hasSize(COUNT);
    }

    @Test
    void withoutAThreadTheWorkIsTriedAgain() {
        AtomicInteger asked = new AtomicInteger();
        ShardGroup group = started(builder("a")
                .options(ShardOptions.builder()
                        .threads(task -> {
                            if (asked.incrementAndGet() <= COUNT) {
                                throw new IllegalStateException("no thread, on purpose");
                            }
                            return new Thread(task);
                        })
                        .build())
                .worker(blocking())
                .build());
        until(() -> events.size() == COUNT);
        assertThat(group.counts().failed()).isEqualTo(COUNT);
    }

    @Test
    void badNamesAndNumbersAreRefused() {
        assertThatThrownBy(() -> ShardGroup.builder(cell.node("a"), "a/b", 4).build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'a/b' is none");
        assertThatThrownBy(
                        () -> ShardGroup.builder(cell.node("a"), "invoices", 0).build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("count must be 1 to 4096, not 0");
        ShardGroup group = builder("a").build();
        assertThatThrownBy(() -> group.owns(COUNT))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("shards 0 to 3");
    }

    @Test
    void anOperatorMayGiveUpAShardWhoseWorkEndsFirst() throws InterruptedException {
        ShardGroup group = started(builder("a").worker(blocking()).build());
        take(COUNT);
        NodeAdmin admin = cell.node("a").admin();
        long token = group.shard(2).orElseThrow().fencingToken();
        assertThatThrownBy(() -> admin.giveUp("shard:invoices/2", "b"))
                .isInstanceOf(HandOverException.class)
                .hasMessageContaining("the plan of its group says which instance owns it next");
        assertThat(admin.giveUp("shard:invoices/2")).isEqualTo(NodeAdmin.GivenUp.YIELDED);
        assertThat(take(1)).containsExactly("revoked 2");
        until(() -> group.owns(2));
        assertThat(take(1)).containsExactly("granted 2");
        assertThat(group.shard(2).orElseThrow().fencingToken()).isGreaterThan(token);
        assertThat(group.counts().lost()).isZero();
        assertThat(group.counts().released()).isEqualTo(1);
        assertThat(admin.giveUp("shard:invoices/4")).isEqualTo(NodeAdmin.GivenUp.NOT_HELD);
        assertThat(admin.giveUp("shard:invoices/02")).isEqualTo(NodeAdmin.GivenUp.NOT_HELD);
        assertThat(admin.giveUp("shard:invoices/")).isEqualTo(NodeAdmin.GivenUp.NOT_HELD);
        assertThat(cell.node("b").admin().giveUp("shard:invoices/2")).isEqualTo(NodeAdmin.GivenUp.NOT_HELD);
        group.stop(Duration.ofSeconds(10));
        assertThat(admin.giveUp("shard:invoices/2")).isEqualTo(NodeAdmin.GivenUp.NOT_HELD);
    }
}
