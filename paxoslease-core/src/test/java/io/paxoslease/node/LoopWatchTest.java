package io.paxoslease.node;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What is taken for the end of a node's thread, and what is not. */
class LoopWatchTest {

    private final ScheduledThreadPoolExecutor loop = Threads.loop("a");
    private final AtomicInteger ended = new AtomicInteger();
    private final LoopWatch watch = new LoopWatch(loop, ended::incrementAndGet);
    private final CountDownLatch goesOn = new CountDownLatch(1);

    @AfterEach
    void stop() {
        loop.shutdownNow();
    }

    private void holdUp() {
        loop.execute(() -> {
            try {
                goesOn.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
    }

    private void allHasRun() {
        assertThat(loop.submit(() -> true)).succeedsWithin(Duration.ofSeconds(10));
    }

    @Test
    void aLoopThatBeatsIsLeftAlone() {
        for (int i = 0; i < 3; i++) {
            watch.beat();
            watch.look();
        }
        assertThat(loop.getTaskCount()).isZero();
        assertThat(ended).hasValue(0);
    }

    @Test
    void aLoopThatRunsTasksAndBeatsNoMoreHasEnded() {
        watch.beat();
        watch.look();
        for (int i = 0; i < 4; i++) {
            assertThat(ended).hasValue(0);
            watch.look();
            allHasRun();
        }
        watch.look();
        assertThat(ended).hasValue(1);
    }

    /** Netty's loop runs what was handed over before a timer that is due, and a node is looked at before its first beat. */
    @Test
    void aBeatThatComesAfterATaskIsOnlyLate() {
        for (int i = 0; i < 20; i++) {
            watch.look();
            watch.look();
            allHasRun();
            watch.look();
            allHasRun();
            watch.beat();
        }
        assertThat(ended).hasValue(0);
    }

    @Test
    void aLoopThatTakesNoTaskHasEnded() {
        loop.shutdown();
        watch.look();
        assertThat(ended).hasValue(1);
    }

    /** Its beat is due first when it goes on. */
    @Test
    void aLoopThatIsHeldUpIsOnlyLateAndFewTasksWaitThere() {
        holdUp();
        ScheduledFuture<?> beats =
                loop.scheduleWithFixedDelay(watch::beat, 0, ClockGuard.BEAT_NANOS, TimeUnit.NANOSECONDS);
        for (int i = 0; i < 100; i++) {
            watch.look();
        }
        assertThat(loop.getQueue()).hasSizeBetween(2, 7);
        goesOn.countDown();
        allHasRun();
        assertThat(beats.isDone()).isFalse();
        assertThat(ended).hasValue(0);
    }
}
