package io.paxoslease.spring.leader;

import io.paxoslease.spring.leader.MessageListeners.Listener;
import io.paxoslease.spring.proxy.AnnotationUsageException;
import java.lang.reflect.Method;
import java.util.Objects;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.context.Lifecycle;
import org.springframework.context.SmartLifecycle;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Hands the containers of message listeners with {@link OnLeader} over to their roles, after they have been registered and before any of them
 * is started. Registered by the auto-configuration.
 */
final class ListenerHandover implements SmartLifecycle {

    private record Found(Listener listener, String id, Method method, LeaderRole role) {}

    private final Queue<Found> found = new ConcurrentLinkedQueue<>();
    private final ListableBeanFactory beans;
    private volatile boolean running;

    ListenerHandover(ListableBeanFactory beans) {
        this.beans = beans;
    }

    /**
     * A listener of a bean that has been created.
     *
     * @param id without placeholders
     */
    void add(Listener listener, String id, Method method, LeaderRole role) {
        found.add(new Found(listener, id, method, role));
        if (running) { // a lazy bean
            handOver();
        }
    }

    /** @throws AnnotationUsageException if a container is not found, or cannot be kept from starting by itself */
    @Override
    public void start() {
        running = true;
        handOver();
    }

    private void handOver() {
        for (Found next = found.poll(); next != null; next = found.poll()) {
            Lifecycle container = containerOf(next);
            String name = "%s '%s'".formatted(next.listener().annotation(), next.id());
            LifecycleHandover.switchAutoStartupOff(container, name, container.getClass());
            next.role().beans().add(new ManagedBean(name, container));
        }
    }

    private Lifecycle containerOf(Found listener) {
        Class<?> type = ClassUtils.resolveClassName(
                listener.listener().registry(), beans.getClass().getClassLoader());
        return beans.getBeansOfType(type, true, false).values().stream()
                .map(registry -> containerIn(registry, listener.id()))
                .flatMap(Optional::stream)
                .findFirst()
                .orElseThrow(
                        () -> OnLeaderRules.misuse(
                                listener.method(),
                                "is a @%s, and there is no container with its id '%s' in a %s."
                                        .formatted(
                                                listener.listener().annotation(), listener.id(), type.getSimpleName()),
                                "Enable the listener's annotation in the same application context, and do not make the bean lazy."));
    }

    private static Optional<Lifecycle> containerIn(Object registry, String id) {
        Method getter = Objects.requireNonNull(
                ReflectionUtils.findMethod(registry.getClass(), "getListenerContainer", String.class),
                () -> "no getListenerContainer in " + registry.getClass());
        @Nullable Object container = ReflectionUtils.invokeMethod(getter, registry, id);
        return container instanceof Lifecycle lifecycle ? Optional.of(lifecycle) : Optional.empty();
    }

    @Override
    public void stop() {
        running = false;
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    /** Before the registries, which start their containers. */
    @Override
    public int getPhase() {
        return Integer.MIN_VALUE;
    }
}
