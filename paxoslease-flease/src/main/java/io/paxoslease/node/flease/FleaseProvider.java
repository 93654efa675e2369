package io.paxoslease.node.flease;

import io.paxoslease.AlgorithmOptions;
import io.paxoslease.flease.FleaseOptions;
import io.paxoslease.node.AlgorithmProvider;
import io.paxoslease.node.NodeAlgorithm;
import org.jspecify.annotations.Nullable;

/** Finds {@link FleaseAlgorithm}. */
public final class FleaseProvider implements AlgorithmProvider {

    @Override
    public @Nullable NodeAlgorithm of(AlgorithmOptions options) {
        return options instanceof FleaseOptions flease ? new FleaseAlgorithm(flease) : null;
    }
}
