package io.paxoslease.node.storage;

import io.paxoslease.AlgorithmOptions;
import io.paxoslease.node.AlgorithmProvider;
import io.paxoslease.node.NodeAlgorithm;
import io.paxoslease.storage.StorageOptions;
import org.jspecify.annotations.Nullable;

/** Finds {@link StorageAlgorithm}. */
public final class StorageProvider implements AlgorithmProvider {

    @Override
    public @Nullable NodeAlgorithm of(AlgorithmOptions options) {
        return options instanceof StorageOptions storage ? new StorageAlgorithm(storage) : null;
    }
}
