package io.paxoslease.spring.leader;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Set;
import java.util.stream.Stream;
import org.springframework.context.ApplicationListener;
import org.springframework.context.event.EventListener;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.util.ClassUtils;

/** Recognises listeners of leader events, ours and Spring Integration's. */
final class LeaderEvents {

    /** By name, because Spring Integration is not on every class path. */
    private static final String INTEGRATION_EVENT = "org.springframework.integration.leader.event.AbstractLeaderEvent";

    private static final Set<String> CANDIDATES =
            Set.of("org.springframework.integration.leader.Candidate", "io.paxoslease.election.LeaderCandidate");

    /** Published once at the start: a node that becomes the leader later does not receive them again. */
    private static final Set<String> ONCE = Set.of(
            "org.springframework.boot.context.event.ApplicationReadyEvent",
            "org.springframework.boot.context.event.ApplicationStartedEvent",
            "org.springframework.context.event.ContextRefreshedEvent",
            "org.springframework.context.event.ContextStartedEvent");

    private static final Set<String> RUNNERS =
            Set.of("org.springframework.boot.ApplicationRunner", "org.springframework.boot.CommandLineRunner");

    private LeaderEvents() {}

    /** Whether the method is notified of leadership, and so must be notified of its end too. */
    static boolean isListener(Method method, Class<?> targetClass) {
        return heardBy(method, targetClass).anyMatch(LeaderEvents::isLeaderEvent)
                || CANDIDATES.contains(interfaceOf(method, targetClass).getName());
    }

    static boolean isCalledOnce(Method method, Class<?> targetClass) {
        return heardBy(method, targetClass).anyMatch(type -> ONCE.contains(type.getName()))
                || RUNNERS.contains(interfaceOf(method, targetClass).getName());
    }

    private static Class<?> interfaceOf(Method method, Class<?> targetClass) {
        return ClassUtils.getInterfaceMethodIfPossible(method, targetClass).getDeclaringClass();
    }

    private static Stream<Class<?>> heardBy(Method method, Class<?> targetClass) {
        EventListener listener = AnnotatedElementUtils.findMergedAnnotation(method, EventListener.class);
        Stream<Class<?>> parameters = Arrays.stream(method.getParameterTypes());
        if (listener != null) {
            return Stream.concat(Arrays.stream(listener.classes()), parameters);
        }
        boolean isInterfaceListener = method.getName().equals("onApplicationEvent")
                && ApplicationListener.class.isAssignableFrom(targetClass);
        return isInterfaceListener ? parameters : Stream.empty();
    }

    private static boolean isLeaderEvent(Class<?> type) {
        for (Class<?> each = type; each != null; each = each.getSuperclass()) {
            if (each == LeadershipEvent.class || each.getName().equals(INTEGRATION_EVENT)) {
                return true;
            }
        }
        return false;
    }
}
