package io.paxoslease.spring.leader;

import io.paxoslease.election.NotLeaderException;
import io.paxoslease.protocol.Printable;
import java.lang.reflect.Method;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * What the check at the entry of one {@link OnLeader} method needs.
 *
 * @param method as messages call it
 * @param role the role whose leader may run the method
 * @param interrupt whether the end of leadership interrupts a call
 * @param skipped makes the value that a skipped call returns; null when calls are to fail instead
 */
record LeaderGuard(
        String method,
        String role,
        boolean interrupt,
        @Nullable Supplier<@Nullable Object> skipped) {

    /**
     * @param targetClass the class of the bean, below any proxy
     * @param resolver resolves placeholders in the role
     * @throws OnLeaderUsageException when the role has no name, or no value of the method's return type says that a call was skipped
     */
    static LeaderGuard of(Method method, Class<?> targetClass, OnLeader annotation, UnaryOperator<String> resolver) {
        String role = resolver.apply(annotation.role());
        if (role.isBlank()) {
            throw OnLeaderRules.emptyRole(OnLeaderRules.ON_LEADER, method);
        }
        String name = "%s.%s()".formatted(targetClass.getSimpleName(), method.getName());
        if (annotation.otherwise() == OnLeader.Otherwise.FAIL) {
            return new LeaderGuard(name, role, annotation.interrupt(), null);
        }
        Supplier<@Nullable Object> skipped = SkippedCalls.valueFor(method.getReturnType());
        if (skipped == null) {
            throw OnLeaderRules.noSkippedValue(method);
        }
        return new LeaderGuard(name, role, annotation.interrupt(), skipped);
    }

    /** What a call returns that is not let in. */
    @Nullable
    Object refuse() {
        if (skipped == null) {
            throw new NotLeaderException(
                    role,
                    "%s is for the leader of '%s' only, and this node does not lead it"
                            .formatted(method, Printable.name(role)));
        }
        return skipped.get();
    }
}
