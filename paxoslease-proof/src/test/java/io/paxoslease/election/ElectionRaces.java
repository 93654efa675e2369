package io.paxoslease.election;

import static io.paxoslease.node.Meeting.check;

import io.paxoslease.AcquireOptions;
import io.paxoslease.Lease;
import io.paxoslease.LossReason;
import io.paxoslease.PaxosLease;
import io.paxoslease.interleaving.InterleavingScenario;
import io.paxoslease.interleaving.Interleavings;
import io.paxoslease.node.HeldLease;
import io.paxoslease.node.Meeting;
import io.paxoslease.node.TestLeases;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/** Threads that meet at an election, its leadership, or a call that this guards. */
public final class ElectionRaces {

    private static final String RESOURCE = "role:r";
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private ElectionRaces() {}

    /** Works until it is interrupted, and notes what is wrong. */
    private static final class Worker implements LeaderCandidate {

        private final boolean works;
        private final CountDownLatch never = new CountDownLatch(1);
        private int granted;
        private int revoked;
        private @Nullable String wrong;

        Worker(boolean works) {
            this.works = works;
        }

        @Override
        public void onGranted(Leadership leadership) throws InterruptedException {
            granted++;
            if (works) {
                never.await();
            }
        }

        @Override
        public void onRevoked(Leadership leadership) {
            revoked++;
            for (int i = 0; i < 3; i++) {
                if (Thread.currentThread().isInterrupted()) {
                    wrong = "interrupted while it is revoked";
                }
            }
            if (leadership.isLeader()) {
                wrong = "leads while it is revoked";
            }
        }

        void checkFinished() {
            check(granted == revoked, "granted " + granted + " times, revoked " + revoked);
            check(wrong == null, String.valueOf(wrong));
        }
    }

    /** One election of one node. */
    private abstract static class OfOneRole implements InterleavingScenario {

        final PaxosLease node = Meeting.startedNode();
        final Worker worker;
        final LeaderElection election;

        OfOneRole(boolean works) {
            worker = new Worker(works);
            election = LeaderElection.builder(node, "r").resource(RESOURCE).build(worker);
        }

        @Override
        public final void run() throws InterruptedException {
            meet();
            check(election.stop(PATIENCE), "not stopped in time");
            check(!election.isLeader(), "leads after the stop");
            worker.checkFinished();
            check(LeaderElection.on(node).isEmpty(), "stands for the role after the stop");
            Meeting.checkFree(node, RESOURCE);
            node.stop();
        }

        abstract void meet() throws InterruptedException;

        final void stop() {
            check(election.stop(PATIENCE), "not stopped in time");
        }

        final void lead() {
            election.start();
            Interleavings.settle();
            check(election.isLeader(), "does not lead");
        }
    }

    /** It is stopped while its lease comes. */
    public static final class GrantedAndStopped extends OfOneRole {

        public GrantedAndStopped() {
            super(true);
        }

        @Override
        void meet() throws InterruptedException {
            election.start();
            Meeting.of(this::stop, () -> {});
        }
    }

    /** It is stopped when it begins to wait for a lease that another has. */
    public static final class WaitingAndStopped extends OfOneRole {

        public WaitingAndStopped() {
            super(true);
        }

        @Override
        void meet() throws InterruptedException {
            Lease other = node.tryAcquire(RESOURCE, AcquireOptions.renewing()).orElseThrow();
            Meeting.of(() -> {
                election.start();
                stop();
            });
            other.release();
        }
    }

    /** It is stopped while it is revoked, since it resigned. */
    public static final class ResignedAndStopped extends OfOneRole {

        public ResignedAndStopped() {
            super(false);
        }

        @Override
        void meet() throws InterruptedException {
            lead();
            Meeting.of(election::resign, this::stop);
        }
    }

    /** It is started again while it stops. */
    public static final class StoppedAndStarted extends OfOneRole {

        public StoppedAndStarted() {
            super(false);
        }

        @Override
        void meet() throws InterruptedException {
            lead();
            Meeting.of(this::stop, election::start);
            check(election.isRunning() != LeaderElection.on(node).isEmpty(), "stands, and the node does not know");
        }
    }

    /** Why a leadership ends is said once. */
    public static final class ResignedAndLost extends OfOneRole {

        public ResignedAndLost() {
            super(false);
        }

        @Override
        void meet() throws InterruptedException {
            HeldLease lease = (HeldLease)
                    node.tryAcquire(RESOURCE, AcquireOptions.renewing()).orElseThrow();
            ElectedTerm term = new ElectedTerm("r", lease);
            List<ElectedTerm.@Nullable End> reasons = Collections.synchronizedList(new ArrayList<>());
            Meeting.of(
                    () -> {
                        term.resign();
                        reasons.add(term.reason());
                    },
                    () -> {
                        TestLeases.lose(lease, LossReason.EXPIRED);
                        reasons.add(term.reason());
                    });
            check(reasons.get(0) == reasons.get(1), "it ended for two reasons: " + reasons);
            TestLeases.giveUp(lease);
        }
    }

    /** A call that is let in while leadership ends is interrupted, and waited for. */
    public static final class EnteredAndResigned extends OfOneRole {

        public EnteredAndResigned() {
            super(false);
        }

        @Override
        void meet() throws InterruptedException {
            lead();
            Meeting.of(election::resign, () -> {
                try (GuardedCall call = election.enter(true).orElse(null)) {
                    if (call != null) {
                        new CountDownLatch(1).await();
                    }
                } catch (InterruptedException ended) {
                    return;
                }
            });
        }
    }

    /** A call that ends while leadership does is neither interrupted afterwards nor waited for. */
    public static final class LeftAndResigned extends OfOneRole {

        public LeftAndResigned() {
            super(false);
        }

        @Override
        void meet() throws InterruptedException {
            lead();
            GuardedCall call = election.enter(true).orElseThrow();
            Meeting.of(
                    () -> {
                        call.close();
                        check(!Thread.currentThread().isInterrupted(), "interrupted after the call");
                    },
                    election::resign);
            check(!Thread.currentThread().isInterrupted(), "interrupted after the call");
            Interleavings.settle();
            check(node.monitor().heldLeases() == 0, "the lease is not released when the call has ended");
        }
    }
}
