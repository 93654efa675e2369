package io.paxoslease.spring.leader;

import java.lang.reflect.Method;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.MethodClassKey;

/** Lets the calls of {@link OnLeader} methods through while this node leads. Thread-safe. */
final class OnLeaderInterceptor implements MethodInterceptor {

    private static final Logger log = LoggerFactory.getLogger(OnLeaderInterceptor.class);

    private final Map<MethodClassKey, LeaderGuard> guards = new ConcurrentHashMap<>();
    private final Predicate<String> isLeader;
    private final UnaryOperator<String> placeholders;

    /**
     * @param isLeader whether this node leads the role of that name, by its own clock
     * @param placeholders resolves the placeholders in the name of a role
     */
    OnLeaderInterceptor(Predicate<String> isLeader, UnaryOperator<String> placeholders) {
        this.isLeader = isLeader;
        this.placeholders = placeholders;
    }

    @Override
    public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
        LeaderGuard guard = guardOf(invocation);
        if (isLeader.test(guard.role())) {
            return invocation.proceed();
        }
        log.debug("Skipped {}: this node does not lead '{}'", invocation.getMethod(), guard.role());
        return guard.skipped().get();
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
            // The pointcut asks the same question, so it let a method through that it should not have.
            throw new IllegalStateException("No @OnLeader on " + method);
        }
        LeaderGuard guard = LeaderGuard.of(
                AopUtils.getMostSpecificMethod(method, targetClass), targetClass, annotation, placeholders);
        guards.put(new MethodClassKey(method, targetClass), guard);
        return guard;
    }
}
