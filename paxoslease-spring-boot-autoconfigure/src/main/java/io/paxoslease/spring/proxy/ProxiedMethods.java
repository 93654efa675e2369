package io.paxoslease.spring.proxy;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.Set;
import java.util.function.Predicate;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.TargetClassAware;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.support.AopUtils;
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
import org.springframework.core.DecoratingProxy;
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
            Advised.class,
            TargetClassAware.class,
            DecoratingProxy.class,
            SchedulingConfigurer.class,
            AsyncConfigurer.class,
            SmartApplicationListener.class,
            GenericApplicationListener.class);

    private static final Problem OF_OWN_TASK = new Problem(
            "is called by a task that its own class schedules in configureTasks(), on the object itself and around the proxy.",
            "Put @Scheduled on the method; or move it to another bean, and let the task call that bean.");

    private ProxiedMethods() {}

    /**
     * The class whose annotations apply to the bean: the class below any proxy; or that of a JDK proxy itself, which stands for its interfaces,
     * if only these may be annotated, as those of a repository are.
     */
    public static Class<?> typeOf(Object bean, Predicate<Class<?>> isAnnotated) {
        Class<?> target = AopUtils.getTargetClass(bean);
        return Proxy.isProxyClass(bean.getClass()) && !isAnnotated.test(target) ? bean.getClass() : target;
    }

    /** The class whose annotations apply to a call that an interceptor sees. */
    public static Class<?> typeOf(MethodInvocation invocation) {
        Object target = invocation.getThis();
        if (target == null) {
            return invocation.getMethod().getDeclaringClass();
        }
        return Proxy.isProxyClass(target.getClass()) ? target.getClass() : AopUtils.getTargetClass(target);
    }

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
        Problem found = ofModifiers == null ? ofClass(targetClass) : ofModifiers;
        return found == null && OwnTasks.call(method, targetClass) ? OF_OWN_TASK : found;
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
