package io.paxoslease.spring.leader;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.Set;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.context.Lifecycle;
import org.springframework.context.Phased;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.util.ClassUtils;

/** Refuses {@link OnLeader} where a call would reach the method unchecked, or would break the bean. */
final class OnLeaderRules {

    private static final Set<Class<?>> CALLBACK_INTERFACES = Set.of(
            InitializingBean.class,
            DisposableBean.class,
            SmartInitializingSingleton.class,
            Lifecycle.class,
            SmartLifecycle.class,
            Phased.class);

    private OnLeaderRules() {}

    /** @throws OnLeaderUsageException when calls of the method cannot be guarded */
    static void check(Method method, Class<?> targetClass) {
        checkModifiers(method, targetClass);
        checkClass(method, targetClass);
        checkCaller(method, targetClass);
    }

    private static void checkModifiers(Method method, Class<?> targetClass) {
        int modifiers = method.getModifiers();
        if (Modifier.isStatic(modifiers)) {
            throw misuse(
                    method,
                    "is static, and calls of static methods cannot be intercepted.",
                    "Make it an instance method.");
        }
        if (Modifier.isPrivate(modifiers)) {
            throw misuse(
                    method,
                    "is private, and calls of private methods cannot be intercepted.",
                    "Make it public, protected or package-private, and call it from another bean.");
        }
        if (Modifier.isFinal(modifiers)) {
            throw misuse(
                    method,
                    "is final, so the proxy that makes the check cannot override it.",
                    "Remove 'final' (in Kotlin: add 'open').");
        }
        boolean packagePrivate = !Modifier.isPublic(modifiers) && !Modifier.isProtected(modifiers);
        if (packagePrivate && !method.getDeclaringClass().getPackageName().equals(targetClass.getPackageName())) {
            throw misuse(
                    method,
                    "is package-private in another package than %s, so the proxy cannot override it."
                            .formatted(targetClass.getName()),
                    "Make it public or protected.");
        }
    }

    private static void checkClass(Method method, Class<?> targetClass) {
        // JDK proxies and lambdas are final too, but are proxied through their interfaces.
        boolean proxiedByInterface = Proxy.isProxyClass(targetClass) || ClassUtils.isLambdaClass(targetClass);
        if (Modifier.isFinal(targetClass.getModifiers()) && !proxiedByInterface) {
            throw misuse(
                    method,
                    "belongs to a final class, which cannot be proxied.",
                    "Remove 'final' from %s (a record: make it a class; in Kotlin: add 'open')."
                            .formatted(targetClass.getName()));
        }
    }

    private static void checkCaller(Method method, Class<?> targetClass) {
        if (AnnotatedElementUtils.hasAnnotation(method, Bean.class)) {
            throw misuse(
                    method,
                    "is a @Bean method, and a follower would get no bean from it.",
                    "Put @OnLeader on those methods of the bean that do the leader's work.");
        }
        if (isLifecycleCallback(method, targetClass)) {
            throw misuse(
                    method,
                    "is a lifecycle callback, which the container calls on every node and outside of any leadership.",
                    "Move the leader's work to a method of its own, and put @OnLeader there.");
        }
    }

    private static boolean isLifecycleCallback(Method method, Class<?> targetClass) {
        // By name: the annotations' library is not on every class path.
        MergedAnnotations annotations = MergedAnnotations.from(method);
        Class<?> declaredBy =
                ClassUtils.getInterfaceMethodIfPossible(method, targetClass).getDeclaringClass();
        return annotations.isPresent("jakarta.annotation.PostConstruct")
                || annotations.isPresent("jakarta.annotation.PreDestroy")
                || CALLBACK_INTERFACES.contains(declaredBy);
    }

    static OnLeaderUsageException noSkippedValue(Method method) {
        Class<?> type = method.getReturnType();
        String wrapper = ClassUtils.resolvePrimitiveIfNecessary(type).getSimpleName();
        return misuse(
                method,
                "returns %s, and no value of that type says that the call was skipped.".formatted(type.getTypeName()),
                type.isPrimitive()
                        ? "Return void, or %s, which is null on a follower.".formatted(wrapper)
                        : "Return CompletableFuture, or a reactive type that can be empty, such as Mono or Flux.");
    }

    static OnLeaderUsageException misuse(Method method, String problem, String action) {
        String name = "%s.%s".formatted(method.getDeclaringClass().getName(), method.getName());
        return new OnLeaderUsageException("The @OnLeader method %s() %s".formatted(name, problem), action);
    }
}
