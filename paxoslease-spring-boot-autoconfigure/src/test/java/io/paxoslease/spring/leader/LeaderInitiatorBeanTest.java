package io.paxoslease.spring.leader;

import static io.paxoslease.spring.leader.InitiatorCell.LEASE_TIME;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.paxoslease.election.LeaderElection;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.context.SmartLifecycle;

/** Lifecycle beans, the candidate and the events of one role; points as in {@link LeaderInitiatorContractTest}. */
@Timeout(60) // if no thread moves the clock, the test hangs
class LeaderInitiatorBeanTest {

    private final InitiatorCell cell = new InitiatorCell();
    private final ScriptedCandidate a = new ScriptedCandidate();
    private final List<String> events = new CopyOnWriteArrayList<>();
    private final CountDownLatch end = new CountDownLatch(1);

    @AfterEach
    void stop() {
        end.countDown();
        cell.close();
    }

    /** 2: the bean has taken the interrupt for itself, so that the candidate would wait for it for ever. */
    @Test
    void aGrantThatIsLostWhileABeanStartsIsNotToldToTheCandidate() throws InterruptedException {
        CountDownLatch starting = new CountDownLatch(1);
        a.onGranted(ScriptedCandidate::work);
        PaxosLeaseLeaderInitiator initiator = cell.make("a", a);
        initiator.setRole(roleWith(new HangingBean(starting, end)));
        initiator.start();
        starting.await();
        cell.cell.disconnect("a");
        cell.advance(LEASE_TIME);
        end.countDown();
        cell.awaitAsking(1);
        assertThat(a.isEmpty()).isTrue();
    }

    /** 2: without Spring Integration, the library's own events alternate as well. */
    @Test
    void aGrantThatIsLostWhileABeanStartsIsNotAnnouncedWithoutSpringIntegrationEither() throws InterruptedException {
        CountDownLatch starting = new CountDownLatch(1);
        LeaderRole role = roleWith(new HangingBean(starting, end));
        LeaderElection election = LeaderElection.builder(cell.cell.node("a"), InitiatorCell.ROLE)
                .resource("role:billing")
                .build(new HookedCandidate(role));
        election.start();
        starting.await();
        cell.cell.disconnect("a");
        cell.advance(LEASE_TIME);
        end.countDown();
        cell.awaitAsking(1);
        assertThat(events).isEmpty();
        election.stop(Duration.ofSeconds(5));
    }

    /** 2 and 6: a bean that does not start ends leadership before it is announced. */
    @Test
    void aLeadershipThatABeanEndsByNotStartingIsNotAnnounced() throws InterruptedException {
        PaxosLeaseLeaderInitiator initiator = cell.make("a", a);
        initiator.setRole(roleWith(new FailingBean()));
        initiator.start();
        cell.awaitPausing();
        assertThat(a.isEmpty()).isTrue();
        initiator.stop();
        LeaderElection election = LeaderElection.builder(cell.cell.node("a"), InitiatorCell.ROLE)
                .resource("role:billing")
                .build(new HookedCandidate(roleWith(new FailingBean())));
        election.start();
        cell.awaitPausing();
        election.stop(Duration.ofSeconds(5));
        assertThat(events).isEmpty();
    }

    private LeaderRole roleWith(SmartLifecycle bean) {
        LeaderRole role = new LeaderRole(
                InitiatorCell.ROLE,
                TestElections.settings(Duration.ofSeconds(20)),
                event -> events.add(event.getClass().getSimpleName()),
                this);
        role.beans().add(new ManagedBean("bean", bean));
        return role;
    }

    /** 10 */
    @Test
    void beansAreStartedBeforeEventsAndStoppedBeforeThemAlsoWhenAListenerThrows() throws InterruptedException {
        List<String> order = new CopyOnWriteArrayList<>();
        a.onGranted(context -> order.add("onGranted"));
        a.onRevoked(context -> order.add("onRevoked"));
        a.onGrantedEvent(context -> fail(order, "granted event"));
        a.onRevokedEvent(context -> fail(order, "revoked event"));
        LeaderRole role = new LeaderRole(
                InitiatorCell.ROLE,
                TestElections.settings(Duration.ofSeconds(20)),
                event -> fail(order, event.getClass().getSimpleName()),
                this);
        role.beans().add(new ManagedBean("consumer", new Consumer(order)));
        PaxosLeaseLeaderInitiator initiator = cell.make("a", a);
        initiator.setRole(role);
        initiator.start();
        a.nextGrant();
        await().until(() -> order.size() == 4);
        assertThat(initiator.isLeader()).isTrue();
        initiator.stop();

        assertThat(order)
                .containsExactly(
                        "bean started",
                        "onGranted",
                        "granted event",
                        "LeadershipGrantedEvent",
                        "bean stopped",
                        "onRevoked",
                        "revoked event",
                        "LeadershipRevokedEvent");
    }

    private static void fail(List<String> order, String what) {
        order.add(what);
        throw new IllegalStateException("a listener failed");
    }

    private record Consumer(List<String> order) implements SmartLifecycle {

        @Override
        public void start() {
            order.add("bean started");
        }

        @Override
        public void stop() {
            order.add("bean stopped");
        }

        @Override
        public boolean isRunning() {
            return order.contains("bean started") && !order.contains("bean stopped");
        }
    }

    /** Starts for as long as it likes, and takes interrupts for its own. */
    private record HangingBean(CountDownLatch starting, CountDownLatch end) implements SmartLifecycle {

        @Override
        public void start() {
            starting.countDown();
            InitiatorCell.hang(end);
            Thread.interrupted();
        }

        @Override
        public void stop() {}

        @Override
        public boolean isRunning() {
            return false;
        }
    }

    private record FailingBean() implements SmartLifecycle {

        @Override
        public void start() {
            throw new IllegalStateException("cannot start");
        }

        @Override
        public void stop() {}

        @Override
        public boolean isRunning() {
            return false;
        }
    }
}
