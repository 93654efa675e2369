package io.paxoslease.node;

import io.paxoslease.AlgorithmOptions;
import java.util.ServiceLoader;
import org.jspecify.annotations.Nullable;

/**
 * How the module of an algorithm is found: a service of its jar that knows the options which the module has. Internal: only modules of
 * this library provide one.
 */
public interface AlgorithmProvider {

    /** What runs with these options; null when they are another module's. */
    @Nullable
    NodeAlgorithm of(AlgorithmOptions options);

    /**
     * Looks for the provider beside the options.
     *
     * @throws IllegalArgumentException when there is none: the options are not this library's, or their jar is incomplete
     */
    static NodeAlgorithm find(AlgorithmOptions options) {
        ClassLoader loader = options.getClass().getClassLoader();
        for (AlgorithmProvider provider : ServiceLoader.load(AlgorithmProvider.class, loader)) {
            NodeAlgorithm found = provider.of(options);
            if (found != null) {
                return found;
            }
        }
        throw new IllegalArgumentException(
                "No algorithm runs with %s: use options that a module of this library has, and keep META-INF/services when jars are merged"
                        .formatted(options));
    }
}
