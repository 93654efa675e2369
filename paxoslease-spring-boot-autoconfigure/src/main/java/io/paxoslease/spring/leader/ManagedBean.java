package io.paxoslease.spring.leader;

import io.paxoslease.election.Leadership;
import io.paxoslease.protocol.Printable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicInteger;
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
    private final ScheduledExecutorService scheduler;
    private final LateStart lateStart;
    private final ThreadLocal<Boolean> permitted = ThreadLocal.withInitial(() -> false);
    /** How often its start was called, and how many of these starts a stop has followed: after another one it may have opened something, whatever {@code isRunning} says. */
    private final AtomicInteger starts = new AtomicInteger();

    private volatile int stoppedStarts;

    private @Nullable Leadership leadership;
    private CompletableFuture<Void> stopped = CompletableFuture.completedFuture(null);

    ManagedBean(String name, Lifecycle bean) {
        this(name, bean, LateStart.scheduler(name));
    }

    ManagedBean(String name, Lifecycle bean, ScheduledExecutorService scheduler) {
        this.name = name;
        this.bean = bean;
        this.scheduler = scheduler;
        this.lateStart = new LateStart(this::stopUnlessLeading, scheduler);
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
        lateStart.leadershipBegins();
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
            starts.incrementAndGet();
            permitted.set(true);
            try {
                bean.start();
            } finally {
                permitted.remove();
                if (!bean.isRunning()) {
                    lateStart.expect();
                }
            }
        }
    }

    /** Completes when it has stopped, at once if it was not started and does not run. Never throws. */
    CompletableFuture<Void> stop() {
        CompletableFuture<Void> done = new CompletableFuture<>();
        boolean mayRun;
        synchronized (this) {
            leadership = null;
            lateStart.leadershipEnded();
            if (!stopped.isDone()) {
                return stopped;
            }
            stopped = done;
            mayRun = stoppedStarts != starts.get();
            stoppedStarts = starts.get();
        }
        stop(mayRun, done);
        return done;
    }

    /** Stops a bean whose start comes late, or one without a proxy that a caller other than its role has started; whether it ran. */
    boolean stopUnlessLeading() {
        CompletableFuture<Void> done = new CompletableFuture<>();
        synchronized (this) {
            Leadership current = leadership;
            if ((current != null && current.isLeader()) || !stopped.isDone() || !bean.isRunning()) {
                return false;
            }
            stopped = done;
        }
        log.warn("{} was started although this node does not lead its role: stopping it", this);
        stop(true, done);
        return true;
    }

    void contextClosed() {
        lateStart.contextClosed();
    }

    /** Without the monitor: the bean may wait for a thread that calls its start. */
    private void stop(boolean mayRun, CompletableFuture<Void> done) {
        try {
            stop(mayRun, () -> done.complete(null));
        } catch (Exception | Error failure) { // user code may throw undeclared exceptions; the other beans have to stop
            log.error("{} failed to stop", this, failure);
            done.complete(null);
        }
    }

    private void stop(boolean mayRun, Runnable callback) {
        boolean running = bean.isRunning();
        if (running && JmsContainer.is(bean)) {
            bean.stop();
            JmsContainer.whenIdle(bean, scheduler, callback);
        } else if (running && bean instanceof SmartLifecycle smart) {
            smart.stop(callback);
        } else {
            if (running || mayRun) {
                bean.stop();
            }
            callback.run();
        }
    }

    /** Intercepts the methods by which the container starts the bean, and notices when it stops a bean that runs. */
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
        return method.equals("stop") ? proceedWithStop(call) : call.proceed();
    }

    /** Without the monitor, as every stop. */
    private @Nullable Object proceedWithStop(MethodInvocation call) throws Throwable {
        int before = starts.get();
        boolean running = bean.isRunning();
        Object result = call.proceed();
        if (running) {
            stoppedStarts = before;
        }
        return result;
    }

    @Override
    public String toString() {
        return "Bean '" + Printable.name(name) + "'";
    }
}
