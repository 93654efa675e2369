package io.paxoslease.spring.leader;

import static io.paxoslease.spring.leader.InitiatorCell.LEASE_TIME;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.integration.support.leader.LockRegistryLeaderInitiator;

/**
 * Spring Integration's initiator over a store of locks that expire, in real time, next to ours over a cell whose clock is
 * moved by hand, in the situations of docs/leader-initiator.md, whose table is what this prints. An assertion on Spring
 * Integration's that fails is good news: it has got better, and the page is to be changed.
 */
@Timeout(60)
class InitiatorComparisonTests {

    private static final Duration TTL = Duration.ofMillis(300);
    private static final Duration STEP = Duration.ofMillis(10);
    /** How long a fault is kept up once it shows. */
    private static final Duration LOOK = Duration.ofMillis(500);

    private static final String BETTER =
            "Spring Integration's initiator has got better here: change the table in docs/leader-initiator.md";
    private static final List<String> table = new ArrayList<>();

    private final List<LockRegistryLeaderInitiator> theirs = new ArrayList<>();
    private final CountDownLatch end = new CountDownLatch(1);
    private final ComparedCandidate a = new ComparedCandidate("a");
    private final ComparedCandidate b = new ComparedCandidate("b");
    private @Nullable TtlStore store;
    private @Nullable InitiatorCell cell;

    @AfterEach
    void stop() {
        end.countDown();
        if (store != null) {
            store.letGo();
        }
        theirs.forEach(LockRegistryLeaderInitiator::stop);
        if (cell != null) {
            cell.close();
        }
    }

    @AfterAll
    static void print() {
        table.stream().sorted().forEach(System.out::println);
    }

    // (a) the store hangs, or the node is cut off

    @Test
    void whileTheStoreHangsForTheLeaderTheirsHasTwoLeaders() {
        TtlStore locks = store(TTL);
        LockRegistryLeaderInitiator first = theirs(locks, a);
        await().until(() -> first.getContext().isLeader());
        locks.hang("a");
        LockRegistryLeaderInitiator second = theirs(locks, b);
        Duration overlap = overlap(first, second);

        assertThat(overlap).as(BETTER).isPositive();
        locks.letGo();
        await().until(() -> !first.getContext().isLeader());
        row(
                "a",
                "theirs",
                "two leaders from %s ms on until the store answers: measured %s".formatted(TTL.toMillis(), overlap));
    }

    @Test
    void whileTheLeaderIsCutOffOursNeverHasTwo() {
        InitiatorCell ours = cell();
        PaxosLeaseLeaderInitiator first = startLeader(ours);
        PaxosLeaseLeaderInitiator second = startFollower(ours);
        ours.cell.disconnect("a");
        Duration led = Duration.ZERO;
        Duration nobody = Duration.ZERO;
        while (!ours.isHeldBy("b")) {
            assertThat(first.isLeader() && second.isLeader()).isFalse();
            ours.advance(STEP);
            if (first.isLeader()) {
                led = led.plus(STEP);
            } else {
                nobody = nobody.plus(STEP);
            }
        }
        assertThat(first.isLeader()).isFalse();
        await().until(second::isLeader);
        assertNeverTwo(ours, first, second, LEASE_TIME.multipliedBy(3));
        assertThat(second.isLeader()).isTrue();
        row("a", "ours", "no overlap; nobody leads for %s (lease time %s)".formatted(nobody, LEASE_TIME));
        assertThat(led).isLessThan(LEASE_TIME);
    }

    // (b) onGranted takes longer than the lease

    @Test
    void whileOnGrantedWorksTheirsHasTwoLeaders() {
        a.onGranted = () -> InitiatorCell.hang(end);
        TtlStore locks = store(TTL);
        LockRegistryLeaderInitiator first = theirs(locks, a);
        await().until(() -> a.grants.get() == 1);
        LockRegistryLeaderInitiator second = theirs(locks, b);
        Duration overlap = overlap(first, second);

        assertThat(overlap).as(BETTER).isPositive();
        row(
                "b",
                "theirs",
                "two leaders from %s ms on until it returns: measured %s".formatted(TTL.toMillis(), overlap));
    }

    @Test
    void whileOnGrantedWorksOursLeadsAlone() {
        a.onGranted = () -> InitiatorCell.hang(end);
        InitiatorCell ours = cell();
        PaxosLeaseLeaderInitiator first = startLeader(ours);
        PaxosLeaseLeaderInitiator second = startFollower(ours);
        assertNeverTwo(ours, first, second, LEASE_TIME.multipliedBy(10));
        assertThat(first.isLeader()).isTrue();
        assertThat(b.grants).hasValue(0);
        row("b", "ours", "no overlap; it leads on, here for %s".formatted(LEASE_TIME.multipliedBy(10)));
    }

    // (c) leadership is given up while onRevoked takes its time

    @Test
    void theNextLeaderOfTheirsStartsBeforeTheLastHasFinished() {
        CountDownLatch revoking = new CountDownLatch(1);
        a.onRevoked = () -> {
            revoking.countDown();
            InitiatorCell.hang(end);
        };
        TtlStore locks = store(TTL);
        theirs(locks, a);
        await().until(() -> a.grants.get() == 1);
        a.yieldLeadership();
        await().until(() -> revoking.getCount() == 0);
        long start = System.nanoTime();
        theirs(locks, b);
        await(BETTER).until(() -> b.grants.get() == 1);
        long took = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);

        assertThat(a.revocations).as(BETTER).hasValue(0);
        row(
                "c",
                "theirs",
                "the next one is granted while onRevoked runs: measured %s ms after it asked".formatted(took));
    }

    @Test
    void theNextLeaderOfOursWaitsUntilTheLastHasFinished() {
        a.onRevoked = () -> InitiatorCell.hang(end);
        b.onGranted = () -> assertThat(a.revocations).hasValue(1);
        InitiatorCell ours = cell();
        startLeader(ours);
        PaxosLeaseLeaderInitiator second = startFollower(ours);
        a.yieldLeadership();
        for (Duration past = Duration.ZERO; past.compareTo(LEASE_TIME.multipliedBy(10)) < 0; past = past.plus(STEP)) {
            ours.advance(STEP);
            assertThat(ours.isHeldBy("b")).isFalse();
        }
        assertThat(b.grants).hasValue(0);
        end.countDown();
        await().until(second::isLeader);
        row(
                "c",
                "ours",
                "the next one is granted after onRevoked, here %s later".formatted(LEASE_TIME.multipliedBy(10)));
    }

    // (d) lost, regained, yielded

    @Test
    void theRowOfTheirsStaysHeldAfterAYieldWhenItHadBeenLostBefore() {
        AtomicLong heldAtRevocation = new AtomicLong();
        TtlStore locks = store(TTL);
        theirs(locks, a);
        await().until(() -> a.grants.get() == 1);
        locks.steal("other");
        await().until(() -> a.revocations.get() == 1);
        locks.drop("other");
        await().until(() -> a.grants.get() == 2);
        // Revoked after the release, so that nothing of it may be left.
        a.onRevoked = () -> heldAtRevocation.set("a".equals(locks.owner()) ? 1 : -1);
        a.yieldLeadership();
        await().until(() -> heldAtRevocation.get() != 0);

        assertThat(heldAtRevocation).as(BETTER).hasValue(1);
        row("d", "theirs", "the row stays held");
    }

    @Test
    void theLeaseOfOursIsFreeAfterAYieldAlsoWhenItHadBeenLostBefore() {
        InitiatorCell ours = cell();
        PaxosLeaseLeaderInitiator first = startLeader(ours);
        ours.cell.disconnect("a");
        ours.advance(LEASE_TIME.multipliedBy(2));
        await().until(() -> a.revocations.get() == 1);
        ours.cell.reconnect("a");
        ours.awaitAsking(1);
        ours.advance(LEASE_TIME);
        await().until(first::isLeader);
        PaxosLeaseLeaderInitiator second = startFollower(ours);
        a.yieldLeadership();
        await().until(second::isLeader); // no time passes
        assertThat(ours.isHeldBy("a")).isFalse();
        assertThat(a.revocations).hasValue(2);
        row("d", "ours", "free at once");
    }

    // (e) onGranted throws

    @Test
    void whenOnGrantedThrowsTheirsTriesAgainAtOnce() {
        a.onGranted = () -> {
            throw new IllegalStateException("cannot lead");
        };
        LockRegistryLeaderInitiator initiator =
                new LockRegistryLeaderInitiator(new TtlLockRegistry(store(TTL), "a"), a);
        initiator.setLeaderEventPublisher(a);
        theirs.add(initiator);
        long start = System.nanoTime();
        initiator.start();
        await(BETTER).until(() -> a.revocations.get() >= 20);
        double seconds = (System.nanoTime() - start) / 1e9;

        row("e", "theirs", "%.0f grants and revocations a second".formatted(a.grants.get() / seconds));
    }

    @Test
    void whenOnGrantedThrowsOursBacksOff() {
        a.onGranted = () -> {
            throw new IllegalStateException("cannot lead");
        };
        InitiatorCell ours = cell();
        ours.start("a", a);
        List<Integer> pauses = List.of(2, 4, 8, 16, 30);
        for (int seconds : pauses) {
            ours.awaitPausing();
            int before = a.grants.get();
            ours.advance(Duration.ofSeconds(seconds).minusMillis(1));
            assertThat(ours.isPausing()).isTrue();
            assertThat(a.grants).hasValue(before);
            ours.advance(Duration.ofMillis(1));
            await().until(() -> a.revocations.get() == before + 1);
        }
        assertThat(a.grants).hasValue(6);
        row("e", "ours", "%s in the first minute, then 2 a minute".formatted(a.grants));
    }

    // (f) an idle follower

    @Test
    void anIdleFollowerOfTheirsAsksTheStoreAllTheTime() {
        TtlStore locks = store(Duration.ofMinutes(1));
        theirs(locks, a);
        await().until(() -> a.grants.get() == 1);
        LockRegistryLeaderInitiator follower = new LockRegistryLeaderInitiator(new TtlLockRegistry(locks, "b"), b);
        follower.setLeaderEventPublisher(b);
        theirs.add(follower);
        long start = System.nanoTime();
        follower.start();
        await(BETTER).until(() -> locks.callsOf("b") >= 12);
        double seconds = (System.nanoTime() - start) / 1e9;

        row("f", "theirs", "%.0f store calls a second".formatted(locks.callsOf("b") / seconds));
    }

    @Test
    void anIdleFollowerOfOursSendsLessThanOneMessageASecond() {
        InitiatorCell ours = cell();
        startLeader(ours);
        startFollower(ours);
        ours.advance(LEASE_TIME);
        AtomicLong ofLeader = new AtomicLong();
        AtomicLong ofFollower = new AtomicLong();
        ours.cell.denyRequests("a", resource -> ofLeader.incrementAndGet() < 0);
        ours.cell.denyRequests("b", resource -> ofFollower.incrementAndGet() < 0);
        ours.advance(LEASE_TIME.multipliedBy(20));
        double seconds = LEASE_TIME.toSeconds() * 20.0;
        assertThat(ofFollower.get() / seconds).isLessThan(1);
        assertThat(ofLeader.get() / seconds).isBetween(1.0, 4.0);
        row(
                "f",
                "ours",
                "%.1f messages a second (the leader: %.1f)"
                        .formatted(ofFollower.get() / seconds, ofLeader.get() / seconds));
    }

    private TtlStore store(Duration ttl) {
        TtlStore made = new TtlStore(ttl);
        store = made;
        return made;
    }

    /** Beats often, so that what shows is not for want of beats. */
    private LockRegistryLeaderInitiator theirs(TtlStore locks, ComparedCandidate candidate) {
        LockRegistryLeaderInitiator initiator =
                new LockRegistryLeaderInitiator(new TtlLockRegistry(locks, candidate.getId()), candidate);
        initiator.setHeartBeatMillis(TTL.toMillis() / 4);
        initiator.setLeaderEventPublisher(candidate);
        theirs.add(initiator);
        initiator.start();
        return initiator;
    }

    private static Duration overlap(LockRegistryLeaderInitiator first, LockRegistryLeaderInitiator second) {
        BooleanSupplier both =
                () -> first.getContext().isLeader() && second.getContext().isLeader();
        await(BETTER).until(both::getAsBoolean);
        long start = System.nanoTime();
        long last = start;
        while (last - start < LOOK.toNanos() && both.getAsBoolean()) {
            LockSupport.parkNanos(STEP.toNanos());
            last = System.nanoTime();
        }
        return Duration.ofMillis(TimeUnit.NANOSECONDS.toMillis(last - start));
    }

    private InitiatorCell cell() {
        InitiatorCell made = new InitiatorCell();
        cell = made;
        return made;
    }

    private PaxosLeaseLeaderInitiator startLeader(InitiatorCell ours) {
        PaxosLeaseLeaderInitiator leader = ours.start("a", a);
        await().until(() -> a.grants.get() == 1 && leader.isLeader());
        return leader;
    }

    private PaxosLeaseLeaderInitiator startFollower(InitiatorCell ours) {
        PaxosLeaseLeaderInitiator follower = ours.start("b", b);
        ours.awaitAsking(1);
        return follower;
    }

    private static void assertNeverTwo(
            InitiatorCell ours, PaxosLeaseLeaderInitiator first, PaxosLeaseLeaderInitiator second, Duration time) {
        for (Duration past = Duration.ZERO; past.compareTo(time) < 0; past = past.plus(STEP)) {
            ours.advance(STEP);
            assertThat(first.isLeader() && second.isLeader()).isFalse();
        }
    }

    private static void row(String situation, String whose, String what) {
        table.add("COMPARED (%s) %s: %s".formatted(situation, whose, what));
    }
}
