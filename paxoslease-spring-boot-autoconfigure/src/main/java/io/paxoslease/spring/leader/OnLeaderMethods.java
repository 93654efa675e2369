package io.paxoslease.spring.leader;

import io.paxoslease.spring.proxy.ProxiedMethods;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.context.Lifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.util.ReflectionUtils;

/** Finds {@link OnLeader}, also through composed annotations, superclasses and interfaces. */
final class OnLeaderMethods {

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

    static @Nullable OnLeader ofClass(Class<?> targetClass) {
        return AnnotatedElementUtils.findMergedAnnotation(targetClass, OnLeader.class);
    }

    private static boolean isCovered(Method method, Class<?> targetClass) {
        int modifiers = method.getModifiers();
        return !Lifecycle.class.isAssignableFrom(targetClass)
                && !Modifier.isStatic(modifiers)
                && !Modifier.isPrivate(modifiers)
                && !method.isSynthetic()
                && method.getDeclaringClass() != Object.class
                && !ReflectionUtils.isObjectMethod(method)
                && !ProxiedMethods.isContainerCallback(method, targetClass)
                && !LeaderEvents.isListener(method, targetClass);
    }

    /** Whether the method creates a lifecycle bean, so that its annotation applies to the bean. */
    private static boolean isLifecycleFactory(Method method) {
        return AnnotatedElementUtils.hasAnnotation(method, Bean.class)
                && Lifecycle.class.isAssignableFrom(method.getReturnType());
    }
}
