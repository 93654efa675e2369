package io.paxoslease.spring.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.paxoslease.locks.LockOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.integration.leader.Context;
import org.springframework.integration.leader.DefaultCandidate;
import org.springframework.integration.leader.event.LeaderEventPublisher;
import org.springframework.integration.support.leader.LockRegistryLeaderInitiator;

/** Spring Integration's own leader initiator, on two nodes of three. */
@Tag("slow")
@Tag("jdk")
class LeaderInitiatorOverLocksTest {

    private static LockCell cell;

    private final List<String> events = new CopyOnWriteArrayList<>();
    private final List<LockRegistryLeaderInitiator> initiators = new ArrayList<>();

    @BeforeAll
    static void startCell() {
        cell = new LockCell();
    }

    @AfterAll
    static void stopCell() {
        cell.close();
    }

    @AfterEach
    void stop() {
        initiators.forEach(LockRegistryLeaderInitiator::stop);
    }

    @Test
    void oneNodeLeadsAndTheOtherOneDoesWhenItStops() {
        startBoth(LockOptions.defaults());
        int first = leader();
        int second = 1 - first;
        initiators.get(first).stop();
        awaitHandOver(first, second);
        assertThat(isLeader(first)).isFalse();

        initiators.get(first).start();
        initiators.get(second).stop();
        await().until(() -> isLeader(first));
        assertThat(isLeader(second)).isFalse();
    }

    @Test
    void aLeaderThatYieldsLeavesTheLockToTheOther() {
        startBoth(LockOptions.defaults());
        int first = leader();
        initiators.get(first).getContext().yield();
        awaitHandOver(first, 1 - first);
    }

    /** The loss shows in a nested tryLock, which throws: the initiator unlocks, revokes and tries again. */
    @Test
    void aLeaderThatLosesItsLeaseIsRevokedAndMayLeadAgain() {
        assertThatALossIsMended(LockOptions.defaults());
    }

    /** Here the interrupt wakes the initiator, which treats it as an error: it unlocks, revokes and starts afresh. */
    @Test
    void aLeaderThatIsInterruptedByTheLossIsRevokedAndMayLeadAgain() {
        assertThatALossIsMended(LockOptions.builder().interruptOnLoss(true).build());
    }

    private void assertThatALossIsMended(LockOptions options) {
        startBoth(options);
        int first = leader();
        int second = 1 - first;
        cell.node(first).stop();
        awaitHandOver(first, second);
        assertThat(isLeader(first)).isFalse();

        cell.start();
        initiators.get(second).stop();
        await().untilAsserted(() -> {
            assertThat(eventsOf(first)).endsWith("granted " + first);
            assertThat(eventsOf(second)).endsWith("revoked " + second);
        });
    }

    /** This initiator unlocks before it revokes, so that the two nodes may be told in any order. */
    private void awaitHandOver(int from, int to) {
        await().untilAsserted(() -> {
            assertThat(eventsOf(from)).startsWith("granted " + from, "revoked " + from);
            assertThat(eventsOf(to)).startsWith("granted " + to);
        });
    }

    private List<String> eventsOf(int node) {
        return events.stream().filter(event -> event.endsWith(" " + node)).toList();
    }

    private void startBoth(LockOptions options) {
        for (int node = 0; node < 2; node++) {
            LockRegistryLeaderInitiator initiator = new LockRegistryLeaderInitiator(
                    cell.registry(node, options), new DefaultCandidate("candidate-" + node, "billing"));
            initiator.setHeartBeatMillis(100);
            // How long who has given up leaves it to the others.
            initiator.setBusyWaitMillis(500);
            initiator.setLeaderEventPublisher(new Recorder(node));
            initiators.add(initiator);
        }
        initiators.forEach(LockRegistryLeaderInitiator::start);
    }

    private boolean isLeader(int node) {
        return initiators.get(node).getContext().isLeader();
    }

    /** Awaits the one that leads. */
    private int leader() {
        await().until(() -> events.size() == 1);
        return Stream.of(0, 1).filter(this::isLeader).findFirst().orElseThrow();
    }

    private final class Recorder implements LeaderEventPublisher {

        private final int node;

        private Recorder(int node) {
            this.node = node;
        }

        @Override
        public void publishOnGranted(Object source, Context context, String role) {
            events.add("granted " + node);
        }

        @Override
        public void publishOnRevoked(Object source, Context context, String role) {
            events.add("revoked " + node);
        }

        @Override
        public void publishOnFailedToAcquire(Object source, Context context, String role) {
            events.add("failed " + node);
        }
    }
}
