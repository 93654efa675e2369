package io.paxoslease.spring.leader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.paxoslease.AcquireOptions;
import io.paxoslease.Lease;
import io.paxoslease.PaxosLease;
import io.paxoslease.spring.autoconfigure.PaxosLeaseTestSupport;
import io.paxoslease.testing.InMemoryCell;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.event.EventListener;
import org.springframework.context.support.GenericApplicationContext;

/** An instance that does not contest the role, and hears who leads it. */
@Timeout(60)
class LeaderChangedEventTest {

    private final InMemoryCell cell = InMemoryCell.of("a", "b", "c");
    private final ApplicationContextRunner runner = PaxosLeaseTestSupport.runner()
            .withBean("node", PaxosLease.class, () -> cell.node("a"), bean -> bean.setDestroyMethodName(""))
            .withPropertyValues("paxoslease.roles.billing.eligible=false", "paxoslease.roles.other.eligible=false")
            .withUserConfiguration(Listener.class);

    @AfterEach
    void close() {
        cell.close();
    }

    static class Listener {
        final List<String> heard = new CopyOnWriteArrayList<>();
        volatile boolean fails;

        @EventListener
        void changed(LeaderChangedEvent event) {
            heard.add("%s %s %s"
                    .formatted(
                            event.role(),
                            event.leaderId().orElse("-"),
                            event.previousLeaderId().orElse("-")));
            if (fails) {
                throw new IllegalStateException("planted");
            }
        }
    }

    private Lease lead(String node, String role) throws InterruptedException {
        return cell.node(node)
                .tryAcquire("role:" + role, AcquireOptions.renewing())
                .orElseThrow();
    }

    @Test
    void everyInstanceHearsOfEachLeaderOfItsRoles() throws InterruptedException {
        Lease first = lead("b", "billing");
        runner.run(context -> {
            Listener listener = context.getBean(Listener.class);
            await().until(() -> listener.heard.contains("billing b -"));
            lead("b", "of-others");
            listener.fails = true;
            first.release();
            await().until(() -> listener.heard.contains("billing - b"));
            lead("c", "billing");
            await().until(() -> listener.heard.contains("billing c -"));

            assertThat(listener.heard).containsExactly("billing b -", "billing - b", "billing c -");
        });
    }

    /** A bean that is registered late names a role that has a leader. */
    @Test
    void aRoleThatIsNamedLateHasTheLeaderThatItHas() throws InterruptedException {
        lead("b", "late");
        runner.run(context -> {
            Listener listener = context.getBean(Listener.class);
            lead("b", "billing");
            await().until(() -> listener.heard.contains("billing b -"));
            GenericApplicationContext source = (GenericApplicationContext) context.getSourceApplicationContext();
            source.registerBean(LateJob.class);
            source.getBean(LateJob.class).work();
            await().until(() -> listener.heard.contains("late b -"));
        });
    }

    static class LateJob {
        @OnLeader(role = "late")
        void work() {}
    }

    @Test
    void afterAStopNothingIsHeard() {
        heardOverAStop(() -> lead("c", "billing"), "billing c b");
    }

    @Test
    void aLeadershipThatEndsWhileTheContextIsStoppedIsHeardOfAfterwards() {
        heardOverAStop(() -> {}, "billing - b");
    }

    private interface Step {
        void run() throws InterruptedException;
    }

    /** The leadership of b ends while the watches are stopped. */
    private void heardOverAStop(Step meanwhile, String afterwards) {
        runner.run(context -> {
            Listener listener = context.getBean(Listener.class);
            Lease first = lead("b", "billing");
            await().until(() -> listener.heard.contains("billing b -"));
            context.getBean(LeaderWatches.class).stop();
            first.release();
            meanwhile.run();
            context.getBean(LeaderWatches.class).start();
            await().until(() -> listener.heard.contains(afterwards));

            assertThat(listener.heard).containsExactly("billing b -", afterwards);
        });
    }

    /** The members answer before the thread that opens the watch has it. */
    @Test
    void aWatchThatIsCurrentAtOnceTellsOfLeadershipsThatHaveEnded() {
        runner.run(context -> {
            Listener listener = context.getBean(Listener.class);
            LeaderWatches watches = context.getBean(LeaderWatches.class);
            Lease first = lead("b", "billing");
            await().until(() -> listener.heard.contains("billing b -"));
            watches.stop();
            first.release();
            Thread starter = new Thread(watches::start);
            synchronized (watches) {
                starter.start();
                Lease other = lead("b", "other");
                await().until(() -> listener.heard.contains("other b -"));
                other.release();
                await().until(() -> listener.heard.contains("other - b"));
            }
            starter.join();
            await().until(() -> listener.heard.contains("billing - b"));
        });
    }

    @Test
    void theEventSaysWhatHasHappenedAlsoInALog() {
        assertThat(new LeaderChangedEvent(this, "bill\ning", "b", null))
                .hasToString("LeaderChangedEvent[role=bill\\u000aing, leaderId=b, previousLeaderId=null]");
    }
}
