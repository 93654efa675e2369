package io.paxoslease.spring.leader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.integration.leader.Context;
import org.springframework.integration.leader.event.OnGrantedEvent;
import org.springframework.integration.leader.event.OnRevokedEvent;
import org.springframework.integration.support.SmartLifecycleRoleController;

/** Endpoints that start after their leadership, told of grants and revocations by the events that an initiator publishes. */
@Timeout(60)
class LateEndpointsTest {

    private final PaxosLeaseLeaderInitiator initiator = mock();
    private final LeaderElections elections = mock();
    private final AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
    private final Endpoint slow = new Endpoint();
    private final Endpoint plain = new Endpoint();
    private SmartLifecycleRoleController controller = new SmartLifecycleRoleController();

    @BeforeEach
    void start() {
        when(elections.roles()).thenReturn(Set.of("billing"));
        context.registerBean(LeaderElections.class, () -> elections);
        context.registerBean(SmartLifecycleRoleController.class);
        context.registerBean(
                RoleEndpoints.class,
                () -> new RoleEndpoints(context.getBeanProvider(SmartLifecycleRoleController.class)));
        context.registerBean(
                RolePollers.class,
                () -> new RolePollers(
                        context.getBeanProvider(LeaderElections.class),
                        context.getBeanProvider(SmartLifecycleRoleController.class)));
        context.refresh();
        controller = context.getBean(SmartLifecycleRoleController.class);
        controller.addLifecycleToRole("billing", slow);
        controller.addLifecycleToRole("billing", plain);
    }

    @AfterEach
    void close() {
        slow.stopMayEnd.countDown();
        context.close();
    }

    private void grant(String role) {
        context.publishEvent(new OnGrantedEvent(initiator, mock(Context.class), role));
    }

    private void revoke(String role) {
        context.publishEvent(new OnRevokedEvent(initiator, mock(Context.class), role));
    }

    private void leadAndLoseWithoutAStart() {
        slow.startsLate = true;
        grant("billing");
        revoke("billing");
        slow.startsLate = false;
    }

    /** The stop of the one that was late went on to all endpoints of the role, which had been started by then. */
    @Test
    void theNextLeadershipStartsItsEndpointsAfterTheStopOfOneThatWasLate() throws Exception {
        leadAndLoseWithoutAStart();
        slow.stopMayEnd = new CountDownLatch(1);
        slow.running = true;
        slow.stopBegan.await();
        Thread next = new Thread(() -> grant("billing"));
        next.start();
        await().until(() -> next.getState() == Thread.State.WAITING || !next.isAlive());
        assertThat(slow.starts).as("starts while it stops").hasValue(1);
        slow.stopMayEnd.countDown();
        next.join();
        assertThat(List.of(slow.running, plain.running)).containsOnly(true);
        assertThat(plain.stops).hasValue(1);
    }

    /** The failure of a listener keeps the controller, which comes after it, from starting or stopping anything. */
    @Test
    void anEndpointThatDoesNotSayWhetherItRunsKeepsNoOtherFromStartingAndStopping() {
        slow.failure = new IllegalStateException("not connected");
        grant("billing");
        assertThat(plain.running).isTrue();
        revoke("billing");
        assertThat(plain.running).isFalse();
    }

    /** It does not run when the second of its roles ends. */
    @Test
    void anEndpointOfTwoRolesRunsOnForTheOneThatIsLed() {
        controller.addLifecycleToRole("mailing", plain);
        slow.startsLate = true;
        grant("billing");
        grant("mailing");
        revoke("mailing");
        revoke("billing");
        grant("mailing");
        for (int i = 0; i < 2; i++) { // the second time all have been looked at
            int stops = slow.stops.get();
            slow.running = true;
            await().until(() -> slow.stops.get() > stops);
        }
        assertThat(plain.running).isTrue();
    }

    /** A second start may be on its way when the first has come. */
    @Test
    void aStartOfAnEarlierLeadershipIsStoppedToo() {
        leadAndLoseWithoutAStart();
        grant("billing"); // this start is fast, the first still to come
        assertThat(slow.running).isTrue();
        revoke("billing");
        int stops = slow.stops.get();
        slow.running = true;
        await().until(() -> slow.stops.get() > stops && !slow.running);
    }

    /** Those without a name are counted through by Spring Integration. */
    @Test
    void anEndpointIsFoundAgainAfterAnotherHasLeftTheRole() {
        Endpoint late = new Endpoint();
        controller.addLifecycleToRole("billing", late);
        late.startsLate = true;
        grant("billing");
        revoke("billing");
        controller.removeLifecycle(slow);
        int stops = late.stops.get();
        late.running = true;
        await().until(() -> late.stops.get() > stops && !late.running);
    }

    private static class Endpoint implements SmartLifecycle {

        final AtomicInteger starts = new AtomicInteger();
        final AtomicInteger stops = new AtomicInteger();
        final CountDownLatch stopBegan = new CountDownLatch(1);
        volatile CountDownLatch stopMayEnd = new CountDownLatch(0);
        volatile boolean startsLate;
        volatile boolean running;
        volatile @Nullable RuntimeException failure;

        @Override
        public void start() {
            starts.incrementAndGet();
            running = !startsLate;
        }

        @Override
        public void stop() {
            if (running) {
                stopBegan.countDown();
            }
            try {
                stopMayEnd.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            running = false;
            stops.incrementAndGet();
        }

        @Override
        public boolean isRunning() {
            if (failure != null) {
                throw failure;
            }
            return running;
        }
    }
}
