package io.paxoslease.spring.leader;

import java.lang.reflect.Method;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * What the check at the entry of one {@link OnLeader} method needs.
 *
 * @param role the role whose leader may run the method
 * @param skipped makes the value that a skipped call returns
 */
record LeaderGuard(String role, Supplier<@Nullable Object> skipped) {

    /**
     * @param targetClass the class of the bean, below any proxy
     * @param resolver resolves placeholders in the role
     * @throws OnLeaderUsageException when calls of the method cannot be guarded
     */
    static LeaderGuard of(Method method, Class<?> targetClass, OnLeader annotation, UnaryOperator<String> resolver) {
        OnLeaderRules.check(method, targetClass);
        String role = resolver.apply(annotation.role());
        if (role.isBlank()) {
            throw OnLeaderRules.misuse(
                    method,
                    "names an empty role.",
                    "Name a role, or leave it out for the role '%s'.".formatted(OnLeader.DEFAULT_ROLE));
        }
        Supplier<@Nullable Object> skipped = SkippedCalls.valueFor(method.getReturnType());
        if (skipped == null) {
            throw OnLeaderRules.noSkippedValue(method);
        }
        return new LeaderGuard(role, skipped);
    }
}
