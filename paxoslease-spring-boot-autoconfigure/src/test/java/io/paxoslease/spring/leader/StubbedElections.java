package io.paxoslease.spring.leader;

import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;

/** Stands in for the elections: who leads is decided by the test, and nothing is elected. */
final class StubbedElections {

    /** The roles that this node leads. */
    final Set<String> led = ConcurrentHashMap.newKeySet();

    /** The roles that were found on beans. */
    final Set<String> found = ConcurrentHashMap.newKeySet();

    /** The threads that asked. */
    final Queue<String> askedBy = new ConcurrentLinkedQueue<>();

    OnLeaderPostProcessor postProcessor() {
        return new OnLeaderPostProcessor(this::isLeader, found::add);
    }

    private boolean isLeader(String role) {
        askedBy.add(Thread.currentThread().getName());
        return led.contains(role);
    }

    /** A context of those classes whose {@link OnLeader} methods are guarded by this; not refreshed. */
    AnnotationConfigApplicationContext context(Class<?>... beans) {
        AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
        context.registerBean(OnLeaderPostProcessor.class, this::postProcessor);
        for (Class<?> bean : beans) {
            context.register(bean);
        }
        return context;
    }
}
