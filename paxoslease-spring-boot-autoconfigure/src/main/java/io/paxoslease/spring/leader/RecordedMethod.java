package io.paxoslease.spring.leader;

import io.paxoslease.spring.runs.ScheduledRun;
import java.lang.reflect.Method;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.util.ReflectionUtils;

/** A scheduled method of a bean whose runs are recorded. */
final class RecordedMethod {

    final RecordedTask task;
    final LeaderRole role;
    final Method method;

    /** Held by the run that is made. */
    final ReentrantLock lock = new ReentrantLock(true);
    /** Whether a look for a missed run is scheduled. */
    final AtomicBoolean looks = new AtomicBoolean();
    /** Whether one after the next slot is scheduled. */
    final AtomicBoolean looksLater = new AtomicBoolean();
    /** Whether another try to record an end is scheduled: of the run that is {@link #unrecorded} then. */
    final AtomicBoolean finishes = new AtomicBoolean();
    /** The latest run that has finished without a record of it; null: none. */
    final AtomicReference<@Nullable ScheduledRun> unrecorded = new AtomicReference<>();
    /** When this node has become the leader last. */
    volatile Instant grantedAt;

    private final Supplier<Object> bean;

    /**
     * @param bean the bean with all its proxies
     * @param now until this node becomes the leader
     */
    RecordedMethod(RecordedTask task, LeaderRole role, Method method, Supplier<Object> bean, Instant now) {
        this.task = task;
        this.role = role;
        this.method = method;
        this.bean = bean;
        this.grantedAt = now;
    }

    /** Calls the method, as its trigger does. */
    void call() {
        Object target = bean.get();
        Method invocable = AopUtils.selectInvocableMethod(method, target.getClass());
        ReflectionUtils.makeAccessible(invocable);
        ReflectionUtils.invokeMethod(invocable, target);
    }
}
