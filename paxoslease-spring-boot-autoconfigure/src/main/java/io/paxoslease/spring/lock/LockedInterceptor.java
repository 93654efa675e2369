package io.paxoslease.spring.lock;

import io.paxoslease.locks.LeaseLocks;
import io.paxoslease.spring.proxy.ProxiedMethods;
import java.lang.reflect.Method;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.core.MethodClassKey;
import org.springframework.util.ClassUtils;

/** Runs each call of a {@link Locked} method under its lock, which a transaction that is active at the call keeps. Thread-safe. */
final class LockedInterceptor implements MethodInterceptor {

    private static final boolean TRANSACTIONS = ClassUtils.isPresent(
            "org.springframework.transaction.support.TransactionSynchronizationManager",
            LockedInterceptor.class.getClassLoader());

    private final Map<MethodClassKey, LockedMethod> methods = new ConcurrentHashMap<>();
    private final Supplier<LeaseLocks> locks;
    private final Supplier<@Nullable BeanFactory> beans;
    private final BiFunction<Method, Class<?>, LockedMethod> reader;

    LockedInterceptor(
            Supplier<LeaseLocks> locks,
            Supplier<@Nullable BeanFactory> beans,
            BiFunction<Method, Class<?>, LockedMethod> reader) {
        this.locks = locks;
        this.beans = beans;
        this.reader = reader;
    }

    @Override
    public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
        LockedMethod locked = methodOf(invocation);
        String key = locked.key().of(invocation.getThis(), invocation.getArguments(), beans.get());
        LockedScope hold = TRANSACTIONS && LockedTransaction.isActive()
                ? LockedTransaction.current().take(locked, locks.get(), key)
                : locked.take(locks.get(), key);
        if (hold == null) {
            return locked.refuse(key);
        }
        try (hold) {
            return hold.proceed(invocation);
        }
    }

    private LockedMethod methodOf(MethodInvocation invocation) {
        Method method = invocation.getMethod();
        Class<?> targetClass = ProxiedMethods.typeOf(invocation);
        return methods.computeIfAbsent(
                new MethodClassKey(method, targetClass), absent -> reader.apply(method, targetClass));
    }
}
