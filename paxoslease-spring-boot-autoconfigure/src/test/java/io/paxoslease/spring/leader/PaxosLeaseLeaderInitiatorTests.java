package io.paxoslease.spring.leader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.paxoslease.LeaseStatus;
import io.paxoslease.PaxosLease;
import io.paxoslease.PaxosLeaseOptions;
import io.paxoslease.spring.leader.RecordingCandidate.Entry;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.integration.leader.Context;

/** Over a cell of one. */
class PaxosLeaseLeaderInitiatorTests {

    private final PaxosLease node =
            PaxosLease.create(PaxosLeaseOptions.builder("n1").build());

    @BeforeEach
    void start() {
        node.start();
    }

    @AfterEach
    void stop() {
        node.stop();
    }

    @Test
    void theCandidateIsCalledBeforeTheEventIsPublishedAndBothGetOneContext() throws InterruptedException {
        RecordingCandidate candidate = new RecordingCandidate("billing");
        PaxosLeaseLeaderInitiator initiator = started(candidate);

        Context context = candidate.next("granted").context();
        assertThat(candidate.next("granted event"))
                .isEqualTo(new Entry("granted event", context, "billing", initiator));
        assertThat(initiator.isLeader()).isTrue();
        assertThat(context.isLeader()).isTrue();
        assertThat(context.getRole()).isEqualTo("billing");

        initiator.stop();
        assertThat(candidate.next("revoked").context()).isSameAs(context);
        Entry revoked = candidate.next("revoked event");
        assertThat(revoked.context()).isSameAs(context);
        assertThat(revoked.source()).isSameAs(initiator);
        assertThat(revoked.role()).isEqualTo("billing");
        assertThat(candidate.isEmpty()).isTrue();
    }

    @Test
    void theContextTellsWhoLeadsWithWhichTokenAndForHowLong() throws InterruptedException {
        RecordingCandidate candidate = new RecordingCandidate("billing");
        PaxosLeaseLeaderInitiator initiator = started(candidate);
        candidate.next("granted");
        LeaderContext context = (LeaderContext) candidate.next("granted event").context();

        assertThat(context.leaderId()).contains("n1");
        assertThat(context.fencingToken()).isPositive();
        assertThat(context.remaining()).isPositive();
        assertThat(initiator.getContext()).isEqualTo(context);

        initiator.stop();
        assertThat(context.isLeader()).isFalse();
        assertThat(context.remaining()).isZero();
        assertThat(context.fencingToken()).isPositive();
        LeaderContext none = initiator.getContext();
        assertThat(none.isLeader()).isFalse();
        assertThat(none.getRole()).isEqualTo("billing");
        assertThat(none.remaining()).isZero();
        assertThatIllegalStateException()
                .isThrownBy(none::fencingToken)
                .withMessageContaining("did not lead 'billing'");
        none.yield();
    }

    @Test
    void leadershipHasEndedBeforeTheCandidateIsRevokedAndIsReleasedAfterwards() throws InterruptedException {
        CountDownLatch revoking = new CountDownLatch(1);
        CountDownLatch revoke = new CountDownLatch(1);
        AtomicBoolean stillLeader = new AtomicBoolean(true);
        RecordingCandidate candidate = new RecordingCandidate("billing") {
            @Override
            public void onRevoked(Context context) {
                stillLeader.set(context.isLeader());
                revoking.countDown();
                awaitUninterruptibly(revoke);
                super.onRevoked(context);
            }
        };
        PaxosLeaseLeaderInitiator initiator = started(candidate);
        candidate.next("granted");
        candidate.next("granted event");

        CountDownLatch answered = new CountDownLatch(1);
        initiator.stop(answered::countDown);
        assertThat(revoking.await(20, TimeUnit.SECONDS)).isTrue();
        assertThat(stillLeader).isFalse();
        assertThat(initiator.isLeader()).isFalse();
        assertThat(isHeld("role:billing")).isTrue();
        assertThat(answered.await(100, TimeUnit.MILLISECONDS)).isFalse();

        revoke.countDown();
        assertThat(answered.await(20, TimeUnit.SECONDS)).isTrue();
        candidate.next("revoked");
        candidate.next("revoked event");
        assertThat(isHeld("role:billing")).isFalse();
    }

    @Test
    void aCandidateThatWorksInOnGrantedIsInterruptedAndNothingIsPublished() throws InterruptedException {
        CountDownLatch working = new CountDownLatch(1);
        AtomicBoolean interrupted = new AtomicBoolean();
        RecordingCandidate candidate = new RecordingCandidate("billing") {
            @Override
            public void onGranted(Context context) throws InterruptedException {
                super.onGranted(context);
                working.countDown();
                try {
                    new CountDownLatch(1).await();
                } catch (InterruptedException e) {
                    interrupted.set(true);
                    throw e;
                }
            }
        };
        PaxosLeaseLeaderInitiator initiator = started(candidate);
        assertThat(working.await(20, TimeUnit.SECONDS)).isTrue();
        assertThat(initiator.isLeader()).isTrue();

        initiator.stop();
        assertThat(interrupted).isTrue();
        candidate.next("granted");
        candidate.next("revoked");
        assertThat(candidate.isEmpty()).isTrue();
    }

    @Test
    void aPublisherThatThrowsDoesNotEndLeadership() throws InterruptedException {
        RecordingCandidate candidate = new RecordingCandidate("billing") {
            @Override
            public void publishOnGranted(Object source, Context context, String role) {
                super.publishOnGranted(source, context, role);
                throw new IllegalStateException("a listener failed");
            }

            @Override
            public void onRevoked(Context context) {
                super.onRevoked(context);
                throw new IllegalStateException("the candidate failed");
            }
        };
        PaxosLeaseLeaderInitiator initiator = started(candidate);
        candidate.next("granted");
        candidate.next("granted event");
        assertThat(initiator.isLeader()).isTrue();

        initiator.stop();
        candidate.next("revoked");
        candidate.next("revoked event");
    }

    @Test
    void aCandidateThatFailsLosesItsLeadershipAndIsRevoked() throws InterruptedException {
        RecordingCandidate candidate = new RecordingCandidate("billing") {
            @Override
            public void onGranted(Context context) throws InterruptedException {
                super.onGranted(context);
                throw new IllegalStateException("cannot lead");
            }
        };
        PaxosLeaseLeaderInitiator initiator = started(candidate);
        Context context = candidate.next("granted").context();
        assertThat(candidate.next("revoked").context()).isSameAs(context);
        assertThat(context.isLeader()).isFalse();
        initiator.stop();
    }

    @Test
    void aYieldingLeaderIsRevokedAndMayLeadAgainInAnotherContext() throws InterruptedException {
        RecordingCandidate candidate = new RecordingCandidate("billing");
        PaxosLeaseLeaderInitiator initiator = started(candidate);
        LeaderContext first = (LeaderContext) candidate.next("granted").context();
        candidate.next("granted event");

        first.yield();
        assertThat(first.isLeader()).isFalse();
        candidate.next("revoked");
        candidate.next("revoked event");
        LeaderContext second = (LeaderContext) candidate.next("granted").context();
        assertThat(second).isNotEqualTo(first);
        assertThat(second.fencingToken()).isGreaterThan(first.fencingToken());
        initiator.stop();
    }

    @Test
    void itMayStopAndStartAgain() throws InterruptedException {
        RecordingCandidate candidate = new RecordingCandidate("billing");
        PaxosLeaseLeaderInitiator initiator = started(candidate);
        for (int round = 0; round < 3; round++) {
            candidate.next("granted");
            candidate.next("granted event");
            initiator.stop();
            assertThat(initiator.isRunning()).isFalse();
            candidate.next("revoked");
            candidate.next("revoked event");
            initiator.start();
            assertThat(initiator.isRunning()).isTrue();
        }
        initiator.destroy();
        assertThat(initiator.isRunning()).isFalse();
    }

    @Test
    void theLifecycleIsThatOfSpringIntegrationsInitiators() {
        PaxosLeaseLeaderInitiator initiator = new PaxosLeaseLeaderInitiator(node, new RecordingCandidate("billing"));
        assertThat(initiator.getPhase()).isEqualTo(Integer.MAX_VALUE - 1000);
        assertThat(initiator.isAutoStartup()).isTrue();
        assertThat(initiator.isRunning()).isFalse();
        initiator.setPhase(7);
        initiator.setAutoStartup(false);
        assertThat(initiator.getPhase()).isEqualTo(7);
        assertThat(initiator.isAutoStartup()).isFalse();
        initiator.stop();
    }

    @Test
    void aRoleThatIsTooLongIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new PaxosLeaseLeaderInitiator(node, new RecordingCandidate("r".repeat(300))))
                .withMessageContaining("255");
    }

    private PaxosLeaseLeaderInitiator started(RecordingCandidate candidate) {
        PaxosLeaseLeaderInitiator initiator = new PaxosLeaseLeaderInitiator(node, candidate);
        initiator.setLeaderEventPublisher(candidate);
        initiator.setStopTimeout(Duration.ofSeconds(20));
        initiator.start();
        return initiator;
    }

    private boolean isHeld(String resource) {
        return node.status(resource)
                .map(LeaseStatus::state)
                .filter(LeaseStatus.State.HELD::equals)
                .isPresent();
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        boolean interrupted = false;
        while (latch.getCount() > 0) {
            try {
                latch.await();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
