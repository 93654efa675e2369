package io.paxoslease.spring.leader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.paxoslease.election.LeaderElection;
import io.paxoslease.election.Leadership;
import io.paxoslease.election.NotLeaderException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;

/** The interrupt of a call when leadership ends, and the leadership that a call sees. */
@ExtendWith(OutputCaptureExtension.class)
class OnLeaderCallTest {

    private final StubbedElections elections = new StubbedElections();
    private final AnnotationConfigApplicationContext context = elections.context(Jobs.class);
    private final ExecutorService threads = Executors.newSingleThreadExecutor();
    private Jobs jobs = new Jobs();

    @BeforeEach
    void start() {
        context.refresh();
        jobs = context.getBean(Jobs.class);
    }

    @AfterEach
    void stop() {
        threads.shutdownNow();
        context.close();
        elections.stop();
    }

    @Test
    void insideOfACallTheLeadershipIsAtHand() {
        LeaderElection election = elections.lead("leader");
        Leadership inside = jobs.leadership();
        assertThat(inside).isSameAs(election.leadership().orElseThrow());
        assertThat(inside.role()).isEqualTo("leader");
        assertThat(inside.fencingToken()).isPositive();
    }

    @Test
    void aCallMayFailInsteadOfBeingSkipped() {
        assertThatExceptionOfType(NotLeaderException.class)
                .isThrownBy(jobs::count)
                .withMessage("Jobs.count() is for the leader of 'leader' only, and this node does not lead it")
                .satisfies(refusal -> assertThat(refusal.role()).isEqualTo("leader"));
        assertThat(elections.calls).containsExactly("refused");
        elections.lead("leader");
        assertThat(jobs.count()).isEqualTo(42);
        assertThat(elections.calls).containsExactly("refused", "undisturbed");
    }

    @Test
    void theEndOfLeadershipInterruptsACallAndItsThreadIsCleanAfterwards() throws Exception {
        LeaderElection election = elections.lead("leader");
        Future<Boolean> flag = threads.submit(() -> {
            jobs.workUntilInterrupted();
            return Thread.currentThread().isInterrupted();
        });
        jobs.inside().await(10, TimeUnit.SECONDS);
        election.resign();
        assertThat(flag.get(10, TimeUnit.SECONDS)).isFalse();
        assertThat(elections.calls).containsExactly("interrupted");
    }

    /** Checked within the same task: a pool clears the flag between tasks. */
    @Test
    void aCallThatDoesNotListenLeavesNoInterruptBehind() throws Exception {
        LeaderElection election = elections.lead("leader");
        Future<Boolean> flag = threads.submit(() -> {
            assertThat(jobs.workRegardless(election::resign)).isTrue();
            return Thread.currentThread().isInterrupted();
        });
        assertThat(flag.get(10, TimeUnit.SECONDS)).isFalse();
    }

    @Test
    void aCallMayAskNotToBeInterrupted() {
        LeaderElection election = elections.lead("leader");
        assertThat(jobs.workUndisturbed(election::resign)).isFalse();
        assertThat(elections.calls).containsExactly("undisturbed");
    }

    @Test
    void aCallThatGivesUpLeadershipAndFinishesInTimeHasNotOverrun(CapturedOutput output) {
        LeaderElection election = elections.lead("leader");
        jobs.workUndisturbed(election::resign);
        assertThat(output).doesNotContain("finished after its leadership");
    }

    @Test
    void aCallThatFinishesAfterTheLeaseHasEndedIsCountedAndLogged(CapturedOutput output) {
        elections.lead("leader");
        jobs.workUndisturbed(elections::loseEverything);
        assertThat(elections.calls).containsExactly("undisturbed, overrun");
        assertThat(output)
                .containsOnlyOnce("Jobs.workUndisturbed() finished after its leadership of 'leader' (fencing token ")
                .contains("had ended: its work may have overlapped the next leader's");
    }

    @Test
    void aCallThatFailsHasNotFinished(CapturedOutput output) {
        elections.lead("leader");
        assertThatExceptionOfType(NotLeaderException.class)
                .isThrownBy(() -> jobs.workWhileLeading(elections::loseEverything))
                .withMessageContaining("has ended: LOST: STOPPED");
        assertThat(elections.calls).hasSize(1).noneMatch(call -> call.contains("overrun"));
        assertThat(output).doesNotContain("finished after its leadership");
    }

    @Test
    void callsOfTwoRolesAreGuardedEachByItsOwn() {
        elections.lead("leader");
        LeaderElection billing = elections.lead("billing");
        assertThat(jobs.billing(billing::resign)).isEqualTo("leader leads, billing does not");
        assertThat(elections.calls).containsExactly("interrupted");
    }

    static class Jobs {

        private final CountDownLatch inside = new CountDownLatch(1);

        CountDownLatch inside() {
            return inside;
        }

        @OnLeader
        public Leadership leadership() {
            return Leadership.current();
        }

        @OnLeader(otherwise = OnLeader.Otherwise.FAIL)
        public int count() {
            return 42;
        }

        @OnLeader
        public void workUntilInterrupted() {
            inside.countDown();
            try {
                new CompletableFuture<>().get();
            } catch (InterruptedException expected) {
                assertThat(Leadership.current().isLeader()).isFalse();
            } catch (java.util.concurrent.ExecutionException e) {
                throw new AssertionError(e);
            }
        }

        /** Whether the flag was up at the end. */
        @OnLeader
        public Boolean workRegardless(Runnable meanwhile) {
            meanwhile.run();
            return Thread.currentThread().isInterrupted();
        }

        @OnLeader(interrupt = false)
        public Boolean workUndisturbed(Runnable meanwhile) {
            meanwhile.run();
            return Thread.currentThread().isInterrupted();
        }

        @OnLeader
        public void workWhileLeading(Runnable meanwhile) {
            meanwhile.run();
            Leadership.current().check();
        }

        @OnLeader("billing")
        public String billing(Runnable meanwhile) {
            Leadership mine = Leadership.current();
            assertThat(mine.role()).isEqualTo("billing");
            meanwhile.run();
            Thread.interrupted();
            return "leader leads, billing " + (mine.isLeader() ? "too" : "does not");
        }
    }
}
