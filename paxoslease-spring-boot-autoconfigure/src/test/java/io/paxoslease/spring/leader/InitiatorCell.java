package io.paxoslease.spring.leader;

import static org.awaitility.Awaitility.await;

import io.paxoslease.PaxosLeaseOptions;
import io.paxoslease.election.ElectionOptions;
import io.paxoslease.election.LeaderElection;
import io.paxoslease.monitor.LeaseStatus;
import io.paxoslease.testing.InMemoryCell;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.springframework.integration.leader.Candidate;
import org.springframework.integration.leader.event.LeaderEventPublisher;

/** Initiators of one role on nodes a, b and c, whose clock is moved by hand. */
final class InitiatorCell implements AutoCloseable {

    static final String ROLE = "billing";
    static final Duration LEASE_TIME = PaxosLeaseOptions.DEFAULT_LEASE_TIME;

    final InMemoryCell cell = InMemoryCell.of("a", "b", "c");
    private final List<PaxosLeaseLeaderInitiator> initiators = new ArrayList<>();

    /** Not started. */
    <T extends Candidate & LeaderEventPublisher> PaxosLeaseLeaderInitiator make(String node, T candidate) {
        return make(node, candidate, ElectionOptions.defaults());
    }

    <T extends Candidate & LeaderEventPublisher> PaxosLeaseLeaderInitiator make(
            String node, T candidate, ElectionOptions options) {
        PaxosLeaseLeaderInitiator initiator = new PaxosLeaseLeaderInitiator(cell.node(node), candidate, options);
        initiator.setLeaderEventPublisher(candidate);
        initiators.add(initiator);
        return initiator;
    }

    <T extends Candidate & LeaderEventPublisher> PaxosLeaseLeaderInitiator start(String node, T candidate) {
        PaxosLeaseLeaderInitiator initiator = make(node, candidate);
        initiator.start();
        return initiator;
    }

    void advance(Duration time) {
        cell.advance(time);
    }

    /**
     * Waits until every started initiator that does not lead has requested the lease: then only time can change that.
     */
    void awaitAsking(int followers) {
        await().until(() -> waitingIn("await") >= followers);
    }

    /** Waits until an initiator is in its cool-down: then nothing happens before the clock is moved. */
    void awaitPausing() {
        await().until(() -> waitingIn("pause") > 0);
    }

    boolean isPausing() {
        return waitingIn("pause") > 0;
    }

    /**
     * How many threads wait in a method of that name, and not in one that it calls: they have registered what they wait
     * for.
     */
    private static long waitingIn(String method) {
        return Thread.getAllStackTraces().entrySet().stream()
                .filter(each -> each.getKey().getName().equals("paxoslease-leader-" + ROLE))
                .filter(each -> each.getKey().getState() == Thread.State.WAITING)
                .flatMap(each -> Arrays.stream(each.getValue())
                        .filter(frame -> frame.getClassName().startsWith("io.paxoslease."))
                        .limit(1))
                .filter(frame -> frame.getMethodName().equals(method))
                .count();
    }

    /** Whether the node holds the role's lease, as it does longer than it leads. */
    boolean isHeldBy(String node) {
        return cell.node(node)
                .monitor()
                .status(LeaderElection.DEFAULT_PREFIX + ROLE)
                .map(LeaseStatus::state)
                .filter(LeaseStatus.State.HELD::equals)
                .isPresent();
    }

    /** Blocks as code does that ignores interrupts; the flag is kept. */
    static void hang(CountDownLatch until) {
        boolean interrupted = false;
        while (until.getCount() > 0) {
            try {
                until.await();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        initiators.forEach(each -> {
            each.setStopTimeout(Duration.ofSeconds(5));
            each.stop();
        });
        cell.close();
    }
}
