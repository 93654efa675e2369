package io.paxoslease.spring.leader;

import io.paxoslease.election.Leadership;
import io.paxoslease.protocol.Printable;
import java.util.concurrent.CompletableFuture;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.Lifecycle;
import org.springframework.context.Phased;
import org.springframework.context.SmartLifecycle;

/**
 * One lifecycle bean that runs while this node leads. As the bean's outermost advice it blocks the container's start:
 * only its role starts the bean. Thread-safe; starts and stops of one bean exclude each other, and while it stops, a start does not wait for that.
 */
final class ManagedBean implements MethodInterceptor {

    private static final Logger log = LoggerFactory.getLogger(ManagedBean.class);

    private final String name;
    private final Lifecycle bean;
    private final ThreadLocal<Boolean> permitted = ThreadLocal.withInitial(() -> false);
    private @Nullable Leadership leadership;
    private CompletableFuture<Void> stopped = CompletableFuture.completedFuture(null);

    ManagedBean(String name, Lifecycle bean) {
        this.name = name;
        this.bean = bean;
    }

    int phase() {
        return bean instanceof Phased phased ? phased.getPhase() : 0;
    }

    /**
     * Does nothing if leadership has ended meanwhile, or the bean runs.
     *
     * @throws IllegalStateException if it is still stopping after an earlier leadership
     */
    synchronized void start(Leadership granted) {
        leadership = granted;
        startWhileLeading();
    }

    private void startWhileLeading() {
        Leadership current = leadership;
        if (current == null || !current.isLeader()) {
            log.debug("{} is not started: this node does not lead", this);
            return;
        }
        if (!stopped.isDone()) {
            throw new IllegalStateException("%s is still stopping since the last leadership ended".formatted(this));
        }
        if (!bean.isRunning()) {
            permitted.set(true);
            try {
                bean.start();
            } finally {
                permitted.remove();
            }
        }
    }

    /** Completes when it has stopped, at once if it does not run. Never throws. */
    CompletableFuture<Void> stop() {
        CompletableFuture<Void> done = new CompletableFuture<>();
        synchronized (this) {
            leadership = null;
            if (!stopped.isDone()) {
                return stopped;
            }
            stopped = done;
        }
        try { // without the monitor: the bean may wait for a thread that calls its start
            stop(() -> done.complete(null));
        } catch (Exception | Error failure) { // user code may throw undeclared exceptions; the other beans have to stop
            log.error("{} failed to stop", this, failure);
            done.complete(null);
        }
        return done;
    }

    /** Stops a bean without a proxy that a caller other than its role has started. */
    synchronized void stopUnlessLeading() {
        Leadership current = leadership;
        if ((current == null || !current.isLeader()) && bean.isRunning()) {
            log.warn("{} was started although this node does not lead its role: stopping it", this);
            stop();
        }
    }

    private void stop(Runnable callback) {
        if (bean.isRunning() && bean instanceof SmartLifecycle smart) {
            smart.stop(callback);
            return;
        }
        if (bean.isRunning()) {
            bean.stop();
        }
        callback.run();
    }

    /** Intercepts only the methods by which the container starts the bean. */
    @Override
    public @Nullable Object invoke(MethodInvocation call) throws Throwable {
        String method = call.getMethod().getName();
        boolean plain = call.getMethod().getParameterCount() == 0;
        if (plain && method.equals("isAutoStartup")) {
            return false;
        }
        if (plain && method.equals("start") && !permitted.get()) {
            synchronized (this) {
                startWhileLeading();
            }
            return null;
        }
        return call.proceed();
    }

    @Override
    public String toString() {
        return "Bean '" + Printable.name(name) + "'";
    }
}
