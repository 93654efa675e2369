package io.paxoslease.spring.leader;

import java.lang.reflect.Method;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;

/** Finds {@link OnLeader}, also through composed annotations, superclasses and interfaces. */
final class OnLeaderMethods {

    private OnLeaderMethods() {}

    /** Every annotated method of the class, whatever its visibility, with its annotation. */
    static Map<Method, OnLeader> of(Class<?> targetClass) {
        if (!AnnotationUtils.isCandidateClass(targetClass, OnLeader.class)) {
            return Map.of();
        }
        return MethodIntrospector.selectMethods(
                targetClass, (Method method) -> AnnotatedElementUtils.findMergedAnnotation(method, OnLeader.class));
    }

    /** The annotation that holds for a call of the method on an object of the class. */
    static @Nullable OnLeader find(Method method, Class<?> targetClass) {
        return AnnotatedElementUtils.findMergedAnnotation(
                AopUtils.getMostSpecificMethod(method, targetClass), OnLeader.class);
    }
}
