package io.paxoslease.spring.leader;

import io.paxoslease.election.GuardedCall;
import io.paxoslease.spring.proxy.ProxiedMethods;
import java.lang.reflect.Method;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.MethodClassKey;

/**
 * Runs and guards the calls of {@link OnLeader} methods while this node leads, and skips them otherwise. Thread-safe.
 */
final class OnLeaderInterceptor implements MethodInterceptor {

    private final Map<MethodClassKey, LeaderGuard> guards = new ConcurrentHashMap<>();
    private final LeaderCheck gate;
    private final Supplier<@Nullable MissedRuns> missed;
    private final UnaryOperator<String> values;

    OnLeaderInterceptor(LeaderCheck gate, Supplier<@Nullable MissedRuns> missed, UnaryOperator<String> values) {
        this.gate = gate;
        this.missed = missed;
        this.values = values;
    }

    @Override
    public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
        LeaderGuard guard = guardOf(invocation);
        if (guard.reactive() != null) {
            return GuardedSubscription.publish(gate, guard, invocation, guard.reactive());
        }
        GuardedCall call = gate.enter(guard.role(), guard.interrupt()).orElse(null);
        if (call == null) {
            guard.skipped(gate);
            return guard.refuse();
        }
        return run(invocation, guard, call);
    }

    private @Nullable Object run(MethodInvocation invocation, LeaderGuard guard, GuardedCall call) throws Throwable {
        boolean finished = false;
        try (call) {
            Object result = proceed(invocation, guard, call);
            if (result == MissedRuns.NOT_RUN) {
                guard.skipped(gate);
                return guard.refuse();
            }
            finished = true;
            return result instanceof CompletableFuture<?> future
                    ? GuardedFuture.guard(
                            gate,
                            guard,
                            call.leadership(),
                            future,
                            invocation.getMethod().getReturnType())
                    : result;
        } finally {
            guard.left(gate, call, finished);
        }
    }

    private @Nullable Object proceed(MethodInvocation invocation, LeaderGuard guard, GuardedCall call)
            throws Throwable {
        RecordedTask task = guard.recorded();
        MissedRuns runs = task == null ? null : missed.get();
        return task == null || runs == null ? invocation.proceed() : runs.run(task, call.leadership(), invocation);
    }

    private LeaderGuard guardOf(MethodInvocation invocation) {
        Method method = invocation.getMethod();
        Class<?> targetClass = ProxiedMethods.typeOf(invocation);
        LeaderGuard known = guards.get(new MethodClassKey(method, targetClass));
        return known != null ? known : guardOf(method, targetClass);
    }

    private LeaderGuard guardOf(Method method, Class<?> targetClass) {
        OnLeader annotation = OnLeaderMethods.find(method, targetClass);
        if (annotation == null) {
            // The pointcut makes the same check, so it should not have matched this method.
            throw new IllegalStateException("No @OnLeader on " + method);
        }
        Method specific = AopUtils.getMostSpecificMethod(method, targetClass);
        LeaderGuard guard = LeaderGuard.of(specific, targetClass, annotation, values)
                .recorded(RecordedTask.of(specific, targetClass, annotation, values));
        guards.put(new MethodClassKey(method, targetClass), guard);
        return guard;
    }
}
