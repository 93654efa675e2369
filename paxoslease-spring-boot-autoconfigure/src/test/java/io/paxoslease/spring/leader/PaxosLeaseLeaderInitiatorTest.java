package io.paxoslease.spring.leader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.paxoslease.PaxosLease;
import io.paxoslease.PaxosLeaseOptions;
import io.paxoslease.spring.leader.RecordingCandidate.Entry;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.integration.leader.Context;
import org.springframework.integration.leader.event.LeaderEventPublisher;

/** Over a cell of one; the contract, point by point, is in {@link LeaderInitiatorContractTest}. */
class PaxosLeaseLeaderInitiatorTest {

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

    /** As Spring Integration's initiators, except that it stops after the web server. */
    @Test
    void theLifecycleHasDefaultsThatCanBeChanged() {
        PaxosLeaseLeaderInitiator initiator = new PaxosLeaseLeaderInitiator(node, new RecordingCandidate("billing"));
        assertThat(initiator.getPhase()).isEqualTo(ElectionSettings.DEFAULT_PHASE);
        assertThat(initiator.isAutoStartup()).isTrue();
        assertThat(initiator.isRunning()).isFalse();
        initiator.setPhase(7);
        initiator.setAutoStartup(false);
        assertThat(initiator.getPhase()).isEqualTo(7);
        assertThat(initiator.isAutoStartup()).isFalse();
        initiator.stop();
    }

    /** As with an exception: the candidate was granted leadership, and is notified of its end. */
    @Test
    void anErrorOfAPublisherChangesNothing() throws InterruptedException {
        RecordingCandidate candidate = new RecordingCandidate("billing");
        PaxosLeaseLeaderInitiator initiator = new PaxosLeaseLeaderInitiator(node, candidate);
        CountDownLatch grantPublished = new CountDownLatch(1);
        CountDownLatch revocationPublished = new CountDownLatch(1);
        initiator.setLeaderEventPublisher(new LeaderEventPublisher() {
            @Override
            public void publishOnGranted(Object source, Context context, String role) {
                grantPublished.countDown();
                throw new NoClassDefFoundError("of the publisher");
            }

            @Override
            public void publishOnRevoked(Object source, Context context, String role) {
                revocationPublished.countDown();
                throw new NoClassDefFoundError("of the publisher");
            }

            @Override
            public void publishOnFailedToAcquire(Object source, Context context, String role) {}
        });
        initiator.start();
        Context context = candidate.next("granted").context();
        assertThat(grantPublished.await(10, TimeUnit.SECONDS))
                .isTrue(); // the event of a leadership that has ended is left out
        context.yield();

        assertThat(candidate.next("revoked").context()).isSameAs(context);
        assertThat(revocationPublished.await(10, TimeUnit.SECONDS)).isTrue();
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
}
