package io.paxoslease.spring.leader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyLong;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.SmartLifecycle;

/**
 * Beans whose start continues after it has returned, or fails after it has opened something. Reported of Camel's clustered routes (pull
 * request 26028): a consumer that was still starting when its node lost leadership ran on next to the consumer of the next leader.
 */
@ExtendWith(OutputCaptureExtension.class)
class LateStartTest {

    private final Queue<Runnable> looks = new ArrayDeque<>();
    private Duration time = Duration.ZERO;
    private final Connecting bean = new Connecting();
    private final ManagedBean managed = new ManagedBean("payments", bean, scheduler());

    /** Runs a task when the test asks for it. */
    private ScheduledExecutorService scheduler() {
        ScheduledExecutorService scheduler = mock();
        when(scheduler.schedule(any(Runnable.class), anyLong(), any())).thenAnswer(call -> {
            TimeUnit unit = call.getArgument(2);
            time = time.plusNanos(unit.toNanos(call.getArgument(1)));
            looks.add(call.getArgument(0));
            return mock(ScheduledFuture.class);
        });
        return scheduler;
    }

    private void look() {
        looks.remove().run();
    }

    private void lead() {
        managed.start(new OnLeaderLifecycleTest.Leading());
    }

    @Test
    void whatWasStartedIsStoppedThoughItDoesNotRunYet() {
        lead();
        assertThat(managed.stop()).isDone();
        assertThat(bean.stops).isEqualTo(1);
    }

    @Test
    void whatFailedToStartIsStopped() {
        bean.failure = new IllegalStateException("no broker");
        assertThatThrownBy(this::lead).isSameAs(bean.failure);
        assertThat(managed.stop()).isDone();
        assertThat(bean.stops).isEqualTo(1);
    }

    @Test
    void whatWasNotStartedIsNotStopped() {
        assertThat(managed.stop()).isDone();
        assertThat(bean.stops).isZero();
    }

    @Test
    void aStartThatShowsAfterTheLeadershipIsStopped(CapturedOutput output) {
        lead();
        managed.stop();
        look();
        assertThat(bean.stops).isEqualTo(1);
        bean.running = true;
        look();
        assertThat(bean.running).isFalse();
        assertThat(bean.stops).isEqualTo(2);
        assertThat(output.getOut())
                .containsOnlyOnce("Bean 'payments' was started although this node does not lead its role: stopping it");
    }

    @Test
    void theSecondOfTwoLateStartsIsStoppedToo() {
        lead();
        managed.stop();
        lead();
        managed.stop();
        assertThat(looks).hasSize(2);
        look(); // of the first leadership: it ends
        assertThat(looks).hasSize(1);
        for (int late = 1; late <= 2; late++) {
            bean.running = true;
            look();
            assertThat(bean.running).isFalse();
            look();
        }
        assertThat(looks).hasSize(1);
    }

    /** The first start shows while this node leads, and the second one after that. */
    @Test
    void aLateStartIsExpectedAlsoOfABeanThatRanAtTheEndOfItsLeadership() {
        lead();
        managed.stop();
        lead();
        bean.running = true;
        managed.stop();
        bean.running = true;
        look();
        look();
        assertThat(bean.running).isFalse();
    }

    @Test
    void aStartThatShowsDuringTheNextLeadershipGoesOn() {
        lead();
        managed.stop();
        lead();
        bean.running = true;
        look();
        assertThat(bean.running).isTrue();
        assertThat(looks).isEmpty();
    }

    @Test
    void aBeanThatRunsOnceItsStartHasReturnedIsNotLookedAt() {
        bean.startsAtOnce = true;
        lead();
        managed.stop();
        assertThat(bean.running).isFalse();
        assertThat(looks).isEmpty();
    }

    @Test
    void itIsLookedAtForTenMinutesAfterTheLastLateStart() {
        lead();
        managed.stop();
        look();
        bean.running = true;
        look();
        time = Duration.ZERO;
        int count = 0;
        while (!looks.isEmpty()) {
            look();
            count++;
        }
        assertThat(time).isBetween(LateStart.QUIET.minusSeconds(1), LateStart.QUIET.plusSeconds(1));
        assertThat(count).isLessThan(700);
        bean.startsAtOnce = true;
        lead();
        managed.stop();
        assertThat(looks).isEmpty();
    }

    @Test
    void itIsLookedAtForSomeSecondsAfterTheContextHasClosed() {
        lead();
        managed.stop();
        look();
        time = Duration.ZERO;
        managed.contextClosed();
        bean.running = true;
        look();
        assertThat(bean.running).isFalse();
        while (!looks.isEmpty()) {
            look();
        }
        assertThat(time).isLessThan(LateStart.QUIET_WHEN_CLOSED.plusSeconds(1));
    }

    @Test
    void aLookThatFailsIsNotTheLast() {
        lead();
        managed.stop();
        bean.failure = new IllegalStateException("planned");
        look();
        bean.failure = null;
        bean.running = true;
        look();
        assertThat(bean.running).isFalse();
    }

    /** Its start returns while it is still connecting. */
    private static final class Connecting implements SmartLifecycle {

        private boolean running;
        private boolean startsAtOnce;
        private @Nullable IllegalStateException failure;
        private int stops;

        @Override
        public void start() {
            running = startsAtOnce;
            if (failure != null) {
                IllegalStateException thrown = failure;
                throw thrown;
            }
        }

        @Override
        public void stop() {
            running = false;
            stops++;
        }

        @Override
        public boolean isRunning() {
            if (failure != null && stops > 0) {
                throw failure;
            }
            return running;
        }
    }
}
