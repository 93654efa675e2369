package io.paxoslease.protocol.paxos;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The resources whose tenures are being confirmed, by attempt: the answers name no resource. An entry outlives its attempt until it is looked up. */
final class Confirmations {

    private static final int MANY = 1_024;

    private final Map<Long, ResourceState> claims = new LinkedHashMap<>();
    /** Above so many it is looked for what is over: seldom enough when all of them are not. */
    private int many = MANY;

    void add(long attempt, ResourceState state) {
        if (claims.size() > many) {
            claims.entrySet().removeIf(entry -> isOver(entry.getKey(), entry.getValue()));
            many = Math.max(MANY, 2 * claims.size());
        }
        claims.put(attempt, state);
    }

    /** The resource whose attempt that is; null when it is over. */
    @Nullable
    ResourceState of(long attempt) {
        ResourceState state = claims.get(attempt);
        if (state != null && isOver(attempt, state)) {
            claims.remove(attempt);
            return null;
        }
        return state;
    }

    private static boolean isOver(long attempt, ResourceState state) {
        return state.attempt == null || state.attempt.id != attempt;
    }
}
