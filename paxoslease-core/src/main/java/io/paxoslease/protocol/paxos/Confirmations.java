package io.paxoslease.protocol.paxos;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The resources whose tenures are being confirmed, by attempt: the answers name no resource. An entry outlives its attempt until it is looked up. */
final class Confirmations {

    private static final int MANY = 1_024;

    private final Map<Long, Claim> claims = new LinkedHashMap<>();
    /** Above so many it is looked for what is over: seldom enough when all of them are not. */
    private int many = MANY;

    void add(long attempt, Claim claim) {
        if (claims.size() > many) {
            claims.entrySet().removeIf(entry -> isOver(entry.getKey(), entry.getValue()));
            many = Math.max(MANY, 2 * claims.size());
        }
        claims.put(attempt, claim);
    }

    /** The resource whose attempt that is; null when it is over. */
    @Nullable
    Claim of(long attempt) {
        Claim claim = claims.get(attempt);
        if (claim != null && isOver(attempt, claim)) {
            claims.remove(attempt);
            return null;
        }
        return claim;
    }

    private static boolean isOver(long attempt, Claim claim) {
        return claim.attempt() == null || claim.attempt().id != attempt;
    }
}
