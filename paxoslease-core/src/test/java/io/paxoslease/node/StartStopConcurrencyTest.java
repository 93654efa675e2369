package io.paxoslease.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.AcquireOptions;
import io.paxoslease.Lease;
import io.paxoslease.LossReason;
import io.paxoslease.PaxosLease;
import io.paxoslease.PaxosLeaseException;
import io.paxoslease.monitor.NodeStatus;
import io.paxoslease.protocol.Message;
import io.paxoslease.protocol.paxos.PaxosMessage;
import io.paxoslease.shell.Race;
import io.paxoslease.testing.Futures;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A node that is started and stopped while threads use it: whatever they asked is answered, and nothing is held after. */
@Tag("slow")
@Tag("jdk")
class StartStopConcurrencyTest {

    private static final int ROUNDS = Race.rounds(400);
    private static final int ASKED_AT_ONCE = 30;
    private static final AcquireOptions RENEWING = AcquireOptions.renewing();
    private static final Duration TIME = Duration.ofSeconds(1);

    private final Race race = new Race();
    private final Queue<HandEnvironment> environments = new ConcurrentLinkedQueue<>();
    private final PaxosLease node = LocalNode.create(HandEnvironment.OPTIONS, options -> newEnvironment())
            .handle();
    private final Queue<String> wrong = new ConcurrentLinkedQueue<>();
    private volatile @Nullable Lease current;

    @AfterEach
    void stop() {
        race.close();
        node.stop();
    }

    /** Asked of the very node that stops: callers that looked whether it runs go on after it has stopped. */
    @Test
    void everyRequestAndRenewalIsAnsweredWhenTheNodeStops() throws InterruptedException {
        for (int round = 0; round < ROUNDS; round++) {
            NodeRuntime stopping = StartedNodes.start(
                    HandEnvironment.OPTIONS, HandEnvironment.withThread(new HandClock(), this::onSent));
            HeldLease lease = Futures.get(StartedNodes.acquire(stopping, "r", RENEWING));
            Queue<CompletableFuture<?>> asked = new ConcurrentLinkedQueue<>();
            race.run(
                    () -> {
                        for (int i = 0; i < ASKED_AT_ONCE; i++) {
                            asked.add(StartedNodes.acquire(stopping, "r" + i % 3, RENEWING));
                        }
                    },
                    () -> {
                        for (int i = 0; i < ASKED_AT_ONCE; i++) {
                            asked.add(stopping.renew(lease, TIME));
                        }
                    },
                    stopping::stop);
            for (CompletableFuture<?> answer : asked) {
                Futures.get(answer.handle((value, failure) -> failure == null));
            }
            assertThat(lease.isHeld()).isFalse();
        }
    }

    @Test
    void everyRequestIsAnsweredWhenItsNodeIsStoppedAndStarted() throws InterruptedException {
        for (int round = 0; round < ROUNDS; round++) {
            Queue<CompletableFuture<Lease>> asked = new ConcurrentLinkedQueue<>();
            Race.Part ask = () -> {
                for (int i = 0; i < 3; i++) {
                    asked.add(node.acquire("r" + i, RENEWING));
                }
            };
            node.start();
            race.run(ask, ask, node::stop);
            for (CompletableFuture<Lease> answer : asked) {
                assertThat(heldAfterTheAnswer(answer)).isFalse();
            }
        }
    }

    @Test
    void noLeaseIsHeldOnceStopHasReturned() throws InterruptedException {
        for (int round = 0; round < ROUNDS; round++) {
            node.start();
            Lease lease = Futures.get(node.acquire("r", RENEWING));
            current = lease;
            List<LossReason> told = new ArrayList<>();
            lease.onLost((lost, reason) -> told.add(lost.isHeld() ? LossReason.FAILED : reason));
            AtomicBoolean stopped = new AtomicBoolean();
            race.run(
                    () -> {
                        node.stop();
                        stopped.set(true);
                    },
                    lease::release,
                    () -> {
                        boolean wasStopped = stopped.get();
                        assertThat(lease.isHeld() && wasStopped).isFalse();
                    });
            assertThat(lease.isHeld()).isFalse();
            assertThat(told).isIn(List.of(), List.of(LossReason.STOPPED));
            assertThat(wrong).isEmpty();
        }
    }

    /** Starts and stops at the same time leave the node started once or stopped, and it works either way. */
    @Test
    void startsAndStopsMeetEverything() throws InterruptedException {
        for (int round = 0; round < ROUNDS; round++) {
            Queue<CompletableFuture<Lease>> asked = new ConcurrentLinkedQueue<>();
            race.run(
                    node::start,
                    node::start,
                    node::stop,
                    () -> asked.add(node.acquire("r", RENEWING)),
                    () -> assertThat(stateOf(node)).isNotEqualTo(NodeStatus.State.FAILED));
            for (CompletableFuture<Lease> answer : asked) {
                heldAfterTheAnswer(answer);
            }
            node.start();
            Futures.get(node.acquire("r", RENEWING)).release();
            node.stop();
            assertThat(environments).allMatch(environment -> environment.loop.isShutdown());
            environments.clear();
        }
    }

    private HandEnvironment newEnvironment() {
        HandEnvironment environment = HandEnvironment.withThread(new HandClock(), this::onSent);
        environments.add(environment);
        return environment;
    }

    /** Row 21, when a node stops. */
    private void onSent(Message message) {
        Lease lease = current;
        if (message instanceof PaxosMessage.Release && lease != null && lease.isHeld()) {
            wrong.add(message + " left while " + lease + " was held");
        }
    }

    /** A node that stops just after it was asked does not answer. */
    private static NodeStatus.State stateOf(PaxosLease node) {
        try {
            return node.monitor().status().state();
        } catch (PaxosLeaseException stopped) {
            return NodeStatus.State.STOPPED;
        }
    }

    private static boolean heldAfterTheAnswer(CompletableFuture<Lease> answer) throws InterruptedException {
        Lease lease = Futures.get(answer.exceptionally(failure -> null));
        if (lease == null) {
            return false;
        }
        boolean held = lease.isHeld();
        lease.release();
        return held;
    }
}
