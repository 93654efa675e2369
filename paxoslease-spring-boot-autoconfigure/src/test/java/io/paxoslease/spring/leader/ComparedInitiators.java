package io.paxoslease.spring.leader;

import static io.paxoslease.spring.leader.InitiatorCell.LEASE_TIME;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.springframework.integration.support.leader.LockRegistryLeaderInitiator;

/**
 * Spring Integration's initiator over a store of locks that expire, in real time, next to ours over a cell whose clock
 * is moved by hand, in the situations of docs/leader-initiator.md; this prints the values of its table. An assertion on
 * Spring Integration's that fails is good news: it has got better, and the page is to be changed.
 */
@Timeout(60)
abstract class ComparedInitiators {

    static final Duration TTL = Duration.ofMillis(300);
    static final Duration STEP = Duration.ofMillis(10);
    static final Duration LONG = LEASE_TIME.multipliedBy(10);

    static final String BETTER =
            "Spring Integration's initiator has improved here: change the table in docs/leader-initiator.md";

    private final List<LockRegistryLeaderInitiator> theirs = new ArrayList<>();
    /** Latches that hang until the test is over. */
    final CountDownLatch end = new CountDownLatch(1);

    final ComparedCandidate a = new ComparedCandidate("a");
    final ComparedCandidate b = new ComparedCandidate("b");
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

    TtlStore store(Duration ttl) {
        TtlStore made = new TtlStore(ttl);
        store = made;
        return made;
    }

    /** Beats often, so that the result does not depend on rare beats. */
    LockRegistryLeaderInitiator theirs(TtlStore locks, ComparedCandidate candidate) {
        LockRegistryLeaderInitiator initiator = theirsByDefault(locks, candidate);
        initiator.setHeartBeatMillis(TTL.toMillis() / 4);
        initiator.start();
        return initiator;
    }

    /** With its own settings; not started. */
    LockRegistryLeaderInitiator theirsByDefault(TtlStore locks, ComparedCandidate candidate) {
        LockRegistryLeaderInitiator initiator =
                new LockRegistryLeaderInitiator(new TtlLockRegistry(locks, candidate.getId()), candidate);
        initiator.setLeaderEventPublisher(candidate);
        theirs.add(initiator);
        return initiator;
    }

    InitiatorCell cell() {
        InitiatorCell made = new InitiatorCell();
        cell = made;
        return made;
    }

    PaxosLeaseLeaderInitiator startLeader(InitiatorCell ours) {
        PaxosLeaseLeaderInitiator leader = ours.start("a", a);
        await().until(() -> a.grants.get() == 1 && leader.isLeader());
        return leader;
    }

    PaxosLeaseLeaderInitiator startFollower(InitiatorCell ours) {
        PaxosLeaseLeaderInitiator follower = ours.start("b", b);
        ours.awaitAsking(1);
        return follower;
    }

    static void row(String situation, String whose, String what) {
        System.out.println("COMPARED (%s) %s: %s".formatted(situation, whose, what));
    }
}
