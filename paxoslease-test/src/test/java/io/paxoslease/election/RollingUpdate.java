package io.paxoslease.election;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.AcquireOptions;
import io.paxoslease.Lease;
import io.paxoslease.PaxosLease;
import io.paxoslease.monitor.LeaseStatus;
import io.paxoslease.testing.InMemoryCell;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** Ten instances that are clients of three members, and contest one role; they are replaced one after the other. On simulated time. */
final class RollingUpdate implements AutoCloseable {

    static final int INSTANCES = 10;
    private static final String ROLE = "billing";
    private static final Duration BETWEEN_OLD = Duration.ofSeconds(15);
    private static final Duration BOOT = Duration.ofSeconds(10);
    private static final Duration STOP_LIMIT = Duration.ofSeconds(30);

    /** Who leads after a leader that stops. */
    enum Policy {
        /** The candidate that has waited longest. */
        OLDEST,
        /** The youngest candidate that has waited for a minute; without one, the candidate that has waited longest. */
        YOUNGEST_OF_A_MINUTE,
        /** What {@link LeaderElection#stop} does. */
        PRODUCTION
    }

    /** Whether the new instance is started before the old one is stopped. */
    enum Strategy {
        SURGE,
        STOP_THEN_START
    }

    /** One running instance. */
    record Instance(String id, LeaderElection election, long sinceSeconds) {}

    private final InMemoryCell cell = InMemoryCell.of("m1", "m2", "m3");
    private final BlockingQueue<String> grants = new LinkedBlockingQueue<>();
    private final List<Instance> running = new ArrayList<>();
    private final Policy policy;
    private long nowSeconds;
    private int moves;
    private String latestLeader = "";

    RollingUpdate(Policy policy) {
        this.policy = policy;
    }

    /** The old instances, the oldest first; one of them leads. */
    List<Instance> begin(int leader) throws InterruptedException {
        Lease first = cell.node("m1")
                .acquire(LeaderElection.DEFAULT_PREFIX + ROLE, AcquireOptions.renewing())
                .join();
        for (int i = 0; i < INSTANCES; i++) {
            start("old-" + i);
            pass(BETWEEN_OLD);
        }
        List<Instance> old = List.copyOf(running);
        first.releaseTo(old.get(leader).id());
        assertThat(awaitLeader()).isEqualTo(old.get(leader).id());
        pass(Duration.ofSeconds(61));
        moves = 0;
        return old;
    }

    /** How often leadership moves while these are replaced, in this order. In short steps, instances boot faster. */
    int replace(List<Instance> old, Strategy strategy, Duration step) throws InterruptedException {
        Duration boot = step.compareTo(BOOT) < 0 ? step : BOOT;
        for (int i = 0; i < old.size(); i++) {
            if (strategy == Strategy.SURGE) {
                start("new-" + i);
                pass(boot.dividedBy(2)); // until it is ready
                stop(old.get(i));
                pass(step.minus(boot.dividedBy(2)));
            } else {
                stop(old.get(i));
                pass(boot);
                start("new-" + i);
                pass(step.minus(boot));
            }
        }
        return moves;
    }

    private void start(String id) {
        start(id, false);
    }

    /** @param bad whether its terms fail at once */
    void start(String id, boolean bad) {
        PaxosLease node = cell.addClient(id);
        LeaderElection election = LeaderElection.builder(node, ROLE).build(new LeaderCandidate() {
            @Override
            public void onGranted(Leadership leadership) {
                grants.add(id);
                if (bad) {
                    throw new IllegalStateException("a bad version");
                }
            }

            @Override
            public void onRevoked(Leadership leadership) {
                // Nothing has begun.
            }
        });
        running.add(new Instance(id, election, nowSeconds));
        election.start();
        while (!hasAsked(node)) {
            cell.advance(Duration.ofMillis(1));
        }
        pass(Duration.ofSeconds(1)); // the order of two that start is their age
    }

    /** The thread of its election asks a little later than it is started. */
    private static boolean hasAsked(PaxosLease node) {
        return node.monitor()
                .status(LeaderElection.DEFAULT_PREFIX + ROLE)
                .filter(lease -> lease.state() == LeaseStatus.State.WAITING)
                .isPresent();
    }

    /** If it leads, another one leads when this comes back. */
    void stop(Instance stopped) throws InterruptedException {
        boolean leads = stopped.election().isLeader();
        running.remove(stopped);
        Optional<Instance> youngest = running.stream()
                .filter(each -> nowSeconds - each.sinceSeconds() >= 60)
                .max(Comparator.comparingLong(Instance::sinceSeconds));
        if (leads && policy == Policy.YOUNGEST_OF_A_MINUTE && youngest.isPresent()) {
            stopped.election().handOver(youngest.get().id());
            awaitLeader();
            stopped.election().stop(STOP_LIMIT);
            return;
        } else if (policy == Policy.PRODUCTION) {
            stopped.election().stop(STOP_LIMIT);
        } else {
            stopped.election().stopUnhealthy(STOP_LIMIT);
        }
        if (leads) {
            awaitLeader();
        }
    }

    /** The next one that is granted the role. */
    String awaitLeader() throws InterruptedException {
        String next = grants.poll(20, TimeUnit.SECONDS);
        assertThat(next).as("a leader").isNotNull();
        moves++;
        latestLeader = next;
        return next;
    }

    /** What {@link #awaitLeader} answered last. */
    String latestLeader() {
        return latestLeader;
    }

    /** Who has been granted the role since this was asked last. */
    List<String> newLeaders() {
        List<String> all = new ArrayList<>();
        grants.drainTo(all);
        return all;
    }

    List<Instance> leading() {
        return running.stream().filter(each -> each.election().isLeader()).toList();
    }

    void pass(Duration time) {
        cell.advance(time);
        nowSeconds += time.toSeconds();
    }

    @Override
    public void close() {
        cell.close();
    }
}
