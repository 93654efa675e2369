package io.paxoslease.spring.leader;

import io.paxoslease.election.GuardedCall;
import java.lang.reflect.Method;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.MethodClassKey;

/**
 * Runs and guards the calls of {@link OnLeader} methods while this node leads, and skips them otherwise. Thread-safe.
 */
final class OnLeaderInterceptor implements MethodInterceptor {

    private static final Logger log = LoggerFactory.getLogger(OnLeader.class);

    private final Map<MethodClassKey, LeaderGuard> guards = new ConcurrentHashMap<>();
    private final LeaderGate gate;
    private final UnaryOperator<String> placeholders;

    /**
     * @param gate lets calls in, by this node's own clock
     * @param placeholders resolves the placeholders in the name of a role
     */
    OnLeaderInterceptor(LeaderGate gate, UnaryOperator<String> placeholders) {
        this.gate = gate;
        this.placeholders = placeholders;
    }

    @Override
    public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
        LeaderGuard guard = guardOf(invocation);
        GuardedCall call = gate.enter(guard.role(), guard.interrupt()).orElse(null);
        if (call == null) {
            gate.skipped(guard.role());
            log.debug("{} was skipped: this node does not lead '{}'", guard.method(), guard.role());
            return guard.refuse();
        }
        return run(invocation, guard, call);
    }

    private @Nullable Object run(MethodInvocation invocation, LeaderGuard guard, GuardedCall call) throws Throwable {
        boolean finished = false;
        try (call) {
            Object result = invocation.proceed();
            finished = true;
            return result;
        } finally {
            boolean overrun = finished && call.hasOutlivedItsLease();
            gate.left(guard.role(), call.wasInterrupted(), overrun);
            if (overrun) {
                log.warn(
                        "{} finished after its leadership of '{}' (fencing token {}) had ended: its work may have overlapped the"
                                + " next leader's. Call Leadership.current().check() during the work, and compare fencing tokens"
                                + " where it writes",
                        guard.method(),
                        guard.role(),
                        call.leadership().fencingToken());
            }
        }
    }

    private LeaderGuard guardOf(MethodInvocation invocation) {
        Method method = invocation.getMethod();
        Object target = invocation.getThis();
        Class<?> targetClass = target == null ? method.getDeclaringClass() : AopUtils.getTargetClass(target);
        LeaderGuard known = guards.get(new MethodClassKey(method, targetClass));
        return known != null ? known : guardOf(method, targetClass);
    }

    private LeaderGuard guardOf(Method method, Class<?> targetClass) {
        OnLeader annotation = OnLeaderMethods.find(method, targetClass);
        if (annotation == null) {
            // The pointcut makes the same check, so it should not have matched this method.
            throw new IllegalStateException("No @OnLeader on " + method);
        }
        LeaderGuard guard = LeaderGuard.of(
                AopUtils.getMostSpecificMethod(method, targetClass), targetClass, annotation, placeholders);
        guards.put(new MethodClassKey(method, targetClass), guard);
        return guard;
    }
}
