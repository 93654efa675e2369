package io.paxoslease.spring.leader;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
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
import org.springframework.context.annotation.Bean;
import org.springframework.context.event.GenericApplicationListener;
import org.springframework.context.event.SmartApplicationListener;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.scheduling.annotation.AsyncConfigurer;
import org.springframework.scheduling.annotation.SchedulingConfigurer;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/** Finds {@link OnLeader}, also through composed annotations, superclasses and interfaces. */
final class OnLeaderMethods {

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

    private OnLeaderMethods() {}

    /** Every method of the class whose calls are guarded, of any visibility, with its annotation. */
    static Map<Method, OnLeader> of(Class<?> targetClass) {
        if (!AnnotationUtils.isCandidateClass(targetClass, OnLeader.class)) {
            return Map.of();
        }
        return MethodIntrospector.selectMethods(targetClass, (Method method) -> find(method, targetClass));
    }

    /** The annotation that applies to a call of the method on an object of the class. */
    static @Nullable OnLeader find(Method method, Class<?> targetClass) {
        Method specific = AopUtils.getMostSpecificMethod(method, targetClass);
        OnLeader own = AnnotatedElementUtils.findMergedAnnotation(specific, OnLeader.class);
        if (own != null) {
            return isLifecycleFactory(specific) ? null : own;
        }
        OnLeader ofClass = ofClass(targetClass);
        return ofClass != null && isCovered(specific, targetClass) ? ofClass : null;
    }

    /** The annotation on the class, its superclasses or interfaces. */
    static @Nullable OnLeader ofClass(Class<?> targetClass) {
        return AnnotatedElementUtils.findMergedAnnotation(targetClass, OnLeader.class);
    }

    /** Whether an annotation on the class applies to the method. */
    private static boolean isCovered(Method method, Class<?> targetClass) {
        int modifiers = method.getModifiers();
        return !Lifecycle.class.isAssignableFrom(targetClass)
                && !Modifier.isStatic(modifiers)
                && !Modifier.isPrivate(modifiers)
                && !method.isSynthetic()
                && method.getDeclaringClass() != Object.class
                && !ReflectionUtils.isObjectMethod(method)
                && !isContainerCallback(method, targetClass)
                && !LeaderEvents.isListener(method, targetClass);
    }

    /** Whether the method creates a lifecycle bean, so that its annotation applies to the bean. */
    private static boolean isLifecycleFactory(Method method) {
        return AnnotatedElementUtils.hasAnnotation(method, Bean.class)
                && Lifecycle.class.isAssignableFrom(method.getReturnType());
    }

    /** Whether the container itself calls the method, on every node. */
    static boolean isContainerCallback(Method method, Class<?> targetClass) {
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
