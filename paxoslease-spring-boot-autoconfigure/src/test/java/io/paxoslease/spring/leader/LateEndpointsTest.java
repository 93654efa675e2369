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
    void aLeadershipThatBeginsDuringTheStopOfOneThatWasLateHasAllItsEndpoints() throws Exception {
        stopOneThatWasLate();
        grant("billing");
        assertThat(plain.running).isTrue();
        slow.stopMayEnd.countDown();
        // its first start, that of the controller during the stop, and the one after it
        await().until(() -> slow.starts.get() == 3 && slow.running);
        assertThat(plain.running).isTrue();
        assertThat(plain.stops).hasValue(1);
    }

    /** It was started again when the stop had ended, as the grant had waited for that. */
    @Test
    void aLeadershipThatIsOverBeforeThatStopHasEndedStartsNothingMore() throws Exception {
        stopOneThatWasLate();
        grant("billing");
        Thread end = new Thread(() -> revoke("billing"));
        end.start();
        await().until(() -> end.getState() == Thread.State.WAITING); // its stop takes as long
        slow.stopMayEnd.countDown();
        end.join();
        await().until(() -> slow.stops.get() == 3);
        int looks = slow.looks.get();
        await().until(() -> slow.looks.get() > looks + 2); // the watch goes on when it has made its stop
        assertThat(List.of(slow.running, plain.running)).containsOnly(false);
        assertThat(slow.starts).hasValue(2);
    }

    private void stopOneThatWasLate() throws InterruptedException {
        leadAndLoseWithoutAStart();
        slow.stopMayEnd = new CountDownLatch(1);
        slow.running = true;
        slow.stopBegan.await();
    }

    /** Its ordinary stop was taken for that of a late one, and made twice at the same time. */
    @Test
    void oneThatRanAtTheEndIsStoppedOnce() throws Exception {
        leadAndLoseWithoutAStart();
        grant("billing");
        slow.stopMayEnd = new CountDownLatch(1);
        int looks = slow.looks.get();
        Thread end = new Thread(() -> revoke("billing"));
        end.start();
        slow.stopBegan.await();
        await().until(() -> slow.looks.get() > looks + 4);
        assertThat(slow.stopsBegun).hasValue(2);
        slow.stopMayEnd.countDown();
        end.join();
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
        int looks = slow.looks.get();
        await().until(() -> slow.looks.get() > looks + 2); // it has been seen to have stopped
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
        final AtomicInteger stopsBegun = new AtomicInteger();
        final AtomicInteger looks = new AtomicInteger();
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
            stopsBegun.incrementAndGet();
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
            looks.incrementAndGet();
            if (failure != null) {
                throw failure;
            }
            return running;
        }
    }
}
