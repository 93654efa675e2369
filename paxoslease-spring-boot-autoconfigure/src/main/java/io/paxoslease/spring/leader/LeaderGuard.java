package io.paxoslease.spring.leader;

import io.paxoslease.election.NotLeaderException;
import io.paxoslease.protocol.Printable;
import java.lang.reflect.Method;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The parameters of the check at the entry of one {@link OnLeader} method.
 *
 * @param method the method's name in messages
 * @param role the role whose leader may run the method
 * @param interrupt whether the end of leadership interrupts a call
 * @param skipped creates the value that a skipped call returns; null if calls fail instead
 */
record LeaderGuard(
        String method,
        String role,
        boolean interrupt,
        @Nullable Supplier<@Nullable Object> skipped) {

    /**
     * @param targetClass the class of the bean, below any proxy
     * @param resolver resolves placeholders in the role
     * @throws OnLeaderUsageException if the role has no name, or no value of the method's return type can mean that a
     *     call was skipped
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

    /** The result of a call on a node that does not lead. */
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
