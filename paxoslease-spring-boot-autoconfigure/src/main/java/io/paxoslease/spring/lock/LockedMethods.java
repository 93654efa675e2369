package io.paxoslease.spring.lock;

import io.paxoslease.locks.LeaseSemaphore;
import io.paxoslease.spring.proxy.AnnotationUsageException;
import io.paxoslease.spring.proxy.ProxiedMethods;
import io.paxoslease.spring.proxy.SkippedCalls;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.context.annotation.Bean;
import org.springframework.core.KotlinDetector;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;

/** Finds {@link Locked}, also through composed annotations, superclasses and interfaces, and refuses it where it would not lock. */
final class LockedMethods {

    static final String LOCKED = "@Locked";

    private LockedMethods() {}

    /** Every annotated method of the class, of any visibility. */
    static Map<Method, Locked> of(Class<?> targetClass) {
        if (!AnnotationUtils.isCandidateClass(targetClass, Locked.class)) {
            return Map.of();
        }
        return MethodIntrospector.selectMethods(targetClass, (Method method) -> find(method, targetClass));
    }

    static @Nullable Locked find(Method method, Class<?> targetClass) {
        return AnnotatedElementUtils.findMergedAnnotation(
                AopUtils.getMostSpecificMethod(method, targetClass), Locked.class);
    }

    static LockedMethod read(Method method, Class<?> targetClass, Locked annotation, UnaryOperator<String> values) {
        UnaryOperator<String> resolver = named(method, values);
        LockKey key = new LockKey(method, annotation.name(), annotation.key(), resolver);
        boolean skips = annotation.otherwise() == Locked.Otherwise.SKIP;
        String wait = resolver.apply(annotation.waitFor());
        Duration longest = wait.isBlank() ? (skips ? Duration.ZERO : null) : duration(method, wait);
        int permits = annotation.permits();
        if (permits < 1 || permits > LeaseSemaphore.MOST_PERMITS) {
            throw misuse(
                    method,
                    "has %d permits.".formatted(permits),
                    "Use 1 to %d; 1 is a lock.".formatted(LeaseSemaphore.MOST_PERMITS));
        }
        Supplier<@Nullable Object> skipped = skips ? SkippedCalls.valueFor(method.getReturnType()) : null;
        if (skips && skipped == null) {
            throw misuse(
                    method,
                    "returns %s, and no value of that type can mean that the call was skipped."
                            .formatted(method.getReturnType().getTypeName()),
                    "Return void or an object type, or let such calls throw, with otherwise = THROW.");
        }
        String name = "%s.%s()".formatted(targetClass.getSimpleName(), method.getName());
        return new LockedMethod(name, key, longest, permits, skipped);
    }

    /** Names the method if a text cannot be resolved. */
    private static UnaryOperator<String> named(Method method, UnaryOperator<String> values) {
        return text -> {
            try {
                return values.apply(text);
            } catch (IllegalArgumentException unknown) {
                AnnotationUsageException misuse = misuse(
                        method,
                        "has '%s', which cannot be resolved: %s.".formatted(text, unknown.getMessage()),
                        "Set the property, or give it a default value, as ${app.name:orders}. Write a parameter in a name as #{#name}.");
                misuse.initCause(unknown);
                throw misuse;
            }
        };
    }

    private static Duration duration(Method method, String text) {
        try {
            Duration read = DurationStyle.detectAndParse(text);
            if (!read.isNegative()) {
                return read;
            }
        } catch (IllegalArgumentException unreadable) {
            throw misuse(
                    method,
                    "has waitFor = '%s', which is no duration.".formatted(text),
                    "Write it as 500ms, 2s or PT2S.");
        }
        throw misuse(method, "has waitFor = '%s', which is negative.".formatted(text), "Use 0s to try once.");
    }

    /** Throws {@link AnnotationUsageException} if calls of the method would run without the lock, or after it. */
    static void check(Method method, Class<?> targetClass) {
        ProxiedMethods.Problem problem = ProxiedMethods.problemOf(method, targetClass);
        if (problem != null) {
            throw misuse(method, problem.problem(), problem.action());
        }
        if (AnnotatedElementUtils.hasAnnotation(method, Bean.class)) {
            throw misuse(
                    method,
                    "is a @Bean method, which the container calls once.",
                    "Put @Locked on the methods of the bean that do the work.");
        }
        if (ProxiedMethods.isContainerCallback(method, targetClass)) {
            throw misuse(
                    method,
                    "is a lifecycle callback, which the container calls around the proxy.",
                    "Move the work to a method of another bean, and put @Locked there.");
        }
        Class<?> type = method.getReturnType();
        if (goesOn(type) || KotlinDetector.isSuspendingFunction(method)) {
            throw misuse(
                    method,
                    "returns %s, and its work would go on after the lock has been released."
                            .formatted(type.getTypeName()),
                    "Put @Locked on a method that returns when the work is done. Or take a lease for the work: PaxosLease.acquire,"
                            + " and release it when the future or the publisher has ended.");
        }
    }

    private static boolean goesOn(Class<?> type) {
        return Future.class.isAssignableFrom(type)
                || CompletionStage.class.isAssignableFrom(type)
                || (type != void.class
                        && ReactiveAdapterRegistry.getSharedInstance().getAdapter(type) != null);
    }

    static AnnotationUsageException misuse(Method method, String problem, String action) {
        return AnnotationUsageException.of(LOCKED, method, problem, action);
    }
}
