package io.paxoslease.spring.lock;

import io.paxoslease.PaxosLeaseException;
import java.lang.reflect.Method;

/** A {@link Locked} method that cannot be locked. Thrown while the application starts. */
public final class LockedUsageException extends PaxosLeaseException {

    private static final long serialVersionUID = 1L;

    private final String description;
    private final String action;

    LockedUsageException(String description, String action) {
        super(description + " " + action);
        this.description = description;
        this.action = action;
    }

    static LockedUsageException of(Method method, String problem, String action) {
        return new LockedUsageException(
                "The @Locked method %s.%s() %s"
                        .formatted(method.getDeclaringClass().getName(), method.getName(), problem),
                action);
    }

    /** Which method, and why it cannot be locked. */
    public String description() {
        return description;
    }

    /** What to change. */
    public String action() {
        return action;
    }
}
