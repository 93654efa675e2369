package io.paxoslease.node;

import io.paxoslease.protocol.Moment;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Wakes a node when something is due. Of the node's thread. */
final class WakeTimer {

    private static final Logger log = LoggerFactory.getLogger(WakeTimer.class);

    private final ScheduledExecutorService loop;
    private final NodeClock clock;
    private final Runnable wake;
    private @Nullable ScheduledFuture<?> timer;
    private @Nullable Moment timerAt;

    WakeTimer(ScheduledExecutorService loop, NodeClock clock, Runnable wake) {
        this.loop = loop;
        this.clock = clock;
        this.wake = wake;
    }

    /** @param at null: there is nothing to be woken for. Waking early does no harm, so the timer is only ever moved forward */
    void wakeAt(@Nullable Moment at) {
        if (at == null || (timerAt != null && !at.isBefore(timerAt))) {
            return;
        }
        cancel();
        timerAt = null;
        long delay = Math.max(0, clock.read().moment().nanosUntil(at));
        try {
            timer = loop.schedule(this::fire, delay, TimeUnit.NANOSECONDS);
            timerAt = at;
        } catch (RejectedExecutionException stopped) {
            log.debug("The node has stopped", stopped);
        } catch (Error failure) {
            NodeRunner.warn("The loop of this node did not set a timer: it is tried again with the next beat", failure);
        }
    }

    private void fire() {
        timer = null;
        timerAt = null;
        wake.run();
    }

    void cancel() {
        if (timer != null) {
            timer.cancel(false);
        }
    }
}
