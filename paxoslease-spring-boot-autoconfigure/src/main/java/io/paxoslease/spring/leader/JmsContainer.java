package io.paxoslease.spring.leader;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.springframework.context.Lifecycle;
import org.springframework.util.ReflectionUtils;

/**
 * Tells when a {@code DefaultMessageListenerContainer} has stopped. The container itself does not call back when it is stopped before its
 * consumers have noticed the start. By names, because Spring JMS need not be on the class path.
 */
final class JmsContainer {

    private static final String TYPE = "org.springframework.jms.listener.DefaultMessageListenerContainer";
    private static final Duration PAUSE = Duration.ofMillis(20);

    private JmsContainer() {}

    static boolean is(Lifecycle bean) {
        for (Class<?> type = bean.getClass(); type != null; type = type.getSuperclass()) {
            if (type.getName().equals(TYPE)) {
                return true;
            }
        }
        return false;
    }

    /** Calls back when no consumer of a container that has been told to stop is active. */
    static void whenIdle(Lifecycle container, ScheduledExecutorService scheduler, Runnable callback) {
        if (container.isRunning() || activeConsumers(container) == 0) {
            callback.run();
        } else {
            scheduler.schedule(() -> whenIdle(container, scheduler, callback), PAUSE.toNanos(), TimeUnit.NANOSECONDS);
        }
    }

    private static int activeConsumers(Lifecycle container) {
        Method count = Objects.requireNonNull(
                ReflectionUtils.findMethod(container.getClass(), "getActiveConsumerCount"), "of " + TYPE);
        return (Integer) Objects.requireNonNull(ReflectionUtils.invokeMethod(count, container));
    }
}
