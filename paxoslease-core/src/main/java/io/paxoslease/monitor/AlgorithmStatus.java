package io.paxoslease.monitor;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What an algorithm has to say of itself in {@link NodeStatus#algorithm()}: the module of the algorithm has the type with the details.
 * Immutable.
 */
public interface AlgorithmStatus {

    /** Why this node contends for no lease at present; null when it does. */
    @Nullable
    String problem();

    /** What is wrong at present, though this node contends; null: nothing. */
    default @Nullable String trouble() {
        return null;
    }

    /** The parts that it does without at present, and what is wrong with each. */
    default Map<String, String> missing() {
        return Map.of();
    }
}
