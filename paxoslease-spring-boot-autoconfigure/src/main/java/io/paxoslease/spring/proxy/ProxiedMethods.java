package io.paxoslease.spring.proxy;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.Aware;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.beans.factory.SmartFactoryBean;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.context.Lifecycle;
import org.springframework.context.Phased;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.event.GenericApplicationListener;
import org.springframework.context.event.SmartApplicationListener;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.scheduling.annotation.AsyncConfigurer;
import org.springframework.scheduling.annotation.SchedulingConfigurer;
import org.springframework.util.ClassUtils;

/** Which methods of a bean a proxy can intercept. */
public final class ProxiedMethods {

    private static final Set<Class<?>> CALLBACK_INTERFACES = Set.of(
            InitializingBean.class,
            DisposableBean.class,
            AutoCloseable.class,
            SmartInitializingSingleton.class,
            Lifecycle.class,
            SmartLifecycle.class,
            Phased.class,
            Ordered.class,
            FactoryBean.class,
            SmartFactoryBean.class,
            SchedulingConfigurer.class,
            AsyncConfigurer.class,
            SmartApplicationListener.class,
            GenericApplicationListener.class);

    private ProxiedMethods() {}

    /**
     * Why calls of a method do not pass the proxy.
     *
     * @param problem what is said of the method
     * @param action what to change
     */
    public record Problem(String problem, String action) {}

    /**
     * The reason why calls of the method on a bean of the class cannot be intercepted; null if they can.
     *
     * @param targetClass the class of the bean, below any proxy
     */
    public static @Nullable Problem problemOf(Method method, Class<?> targetClass) {
        Problem ofModifiers = ofModifiers(method, targetClass);
        return ofModifiers == null ? ofClass(targetClass) : ofModifiers;
    }

    private static @Nullable Problem ofModifiers(Method method, Class<?> targetClass) {
        int modifiers = method.getModifiers();
        if (Modifier.isStatic(modifiers)) {
            return new Problem(
                    "is static, and calls of static methods cannot be intercepted.", "Make it an instance method.");
        }
        if (Modifier.isPrivate(modifiers)) {
            return new Problem(
                    "is private, and calls of private methods cannot be intercepted.",
                    "Make it public, protected or package-private, and call it from another bean.");
        }
        if (Modifier.isFinal(modifiers)) {
            return new Problem(
                    "is final, so the proxy that makes the check cannot override it.",
                    "Remove 'final' (in Kotlin: add 'open').");
        }
        boolean packagePrivate = !Modifier.isPublic(modifiers) && !Modifier.isProtected(modifiers);
        if (packagePrivate && !method.getDeclaringClass().getPackageName().equals(targetClass.getPackageName())) {
            return new Problem(
                    "is package-private in another package than %s, so the proxy cannot override it."
                            .formatted(targetClass.getName()),
                    "Make it public or protected.");
        }
        return null;
    }

    private static @Nullable Problem ofClass(Class<?> targetClass) {
        // JDK proxies and lambdas are final too, but are proxied through their interfaces.
        boolean proxiedByInterface = Proxy.isProxyClass(targetClass) || ClassUtils.isLambdaClass(targetClass);
        return Modifier.isFinal(targetClass.getModifiers()) && !proxiedByInterface
                ? new Problem(
                        "belongs to a final class, which cannot be proxied.",
                        "Remove 'final' from %s (a record: make it a class; in Kotlin: add 'open')."
                                .formatted(targetClass.getName()))
                : null;
    }

    /** Whether the container itself calls the method, on every node, and on some occasions around the proxy. */
    public static boolean isContainerCallback(Method method, Class<?> targetClass) {
        // By name, because the annotations' library is not on every class path.
        MergedAnnotations annotations = MergedAnnotations.from(method);
        Class<?> declaredBy =
                ClassUtils.getInterfaceMethodIfPossible(method, targetClass).getDeclaringClass();
        return annotations.isPresent("jakarta.annotation.PostConstruct")
                || annotations.isPresent("jakarta.annotation.PreDestroy")
                || (Aware.class.isAssignableFrom(declaredBy) && declaredBy.isInterface())
                || (declaredBy.isInterface() && CALLBACK_INTERFACES.stream().anyMatch(declaredBy::equals));
    }
}
