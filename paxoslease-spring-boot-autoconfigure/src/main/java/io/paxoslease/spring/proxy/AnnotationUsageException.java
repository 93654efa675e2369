package io.paxoslease.spring.proxy;

import io.paxoslease.PaxosLeaseException;
import java.lang.reflect.Method;

/**
 * An annotation of this library that cannot be applied where it is, such as {@code @OnLeader} or {@code @Locked} on a private
 * method. Thrown while the application starts.
 */
public final class AnnotationUsageException extends PaxosLeaseException {

    private static final long serialVersionUID = 1L;

    private final String description;
    private final String action;

    /**
     * @param description which method or bean, and why the annotation cannot be applied to it
     * @param action what to change
     */
    public AnnotationUsageException(String description, String action) {
        super(description + " " + action);
        this.description = description;
        this.action = action;
    }

    /**
     * The exception for an annotation of a method.
     *
     * @param annotation its name, with the at sign
     * @param problem what is said of the method
     */
    public static AnnotationUsageException of(String annotation, Method method, String problem, String action) {
        return new AnnotationUsageException(
                "The %s method %s.%s() %s"
                        .formatted(annotation, method.getDeclaringClass().getName(), method.getName(), problem),
                action);
    }

    /** Which method or bean, and why the annotation cannot be applied to it. */
    public String description() {
        return description;
    }

    /** What to change. */
    public String action() {
        return action;
    }
}
