package io.paxoslease.spring.autoconfigure;

import io.paxoslease.AlgorithmOptions;
import io.paxoslease.NodeStartException;
import io.paxoslease.flease.FleaseOptions;
import io.paxoslease.spring.autoconfigure.PaxosLeaseProperties.Storage;
import io.paxoslease.storage.StorageOptions;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.util.ClassUtils;

/** The algorithm that {@code paxoslease.algorithm} names. Two of the three are in jars of their own, which may not be there. */
final class ConfiguredAlgorithm {

    private ConfiguredAlgorithm() {}

    static AlgorithmOptions of(PaxosLeaseProperties properties, ListableBeanFactory beans) {
        if (properties.algorithm() == PaxosLeaseProperties.Algorithm.FLEASE) {
            require(beans, "io.paxoslease.flease.FleaseOptions", "flease");
            return Flease.options(properties);
        }
        if (properties.usesStore()) {
            require(beans, "io.paxoslease.storage.StorageOptions", "storage");
            return Stored.options(properties, beans);
        }
        return AlgorithmOptions.PAXOSLEASE;
    }

    private static void require(ListableBeanFactory beans, String type, String algorithm) {
        ClassLoader loader = beans instanceof ConfigurableBeanFactory factory ? factory.getBeanClassLoader() : null;
        if (!ClassUtils.isPresent(type, loader)) {
            throw new NodeStartException(
                    "The algorithm '%s' (paxoslease.algorithm) is in the artifact io.paxoslease:paxoslease-%s, which is not on the class path."
                            .formatted(algorithm, algorithm),
                    "Add the dependency io.paxoslease:paxoslease-%s in the version of the starter, or remove paxoslease.algorithm: by default the instances agree by PaxosLease."
                            .formatted(algorithm),
                    null);
        }
    }

    /** Loaded only if its jar is there. */
    private static final class Flease {

        static AlgorithmOptions options(PaxosLeaseProperties properties) {
            return FleaseOptions.builder()
                    .clockBound(properties.flease().clockBound())
                    .build();
        }
    }

    /** Loaded only if its jar is there. */
    private static final class Stored {

        static AlgorithmOptions options(PaxosLeaseProperties properties, ListableBeanFactory beans) {
            Storage storage = properties.storage();
            StorageOptions.Builder options = StorageOptions.builder(new ConfiguredStore(properties, beans).register())
                    .accessBound(storage.accessBound())
                    .renewal(StorageOptions.Renewal.valueOf(storage.renewal().name()))
                    .tokensAbove(storage.tokensAbove());
            if (storage.writeMode() != null) {
                options.writeMode(
                        StorageOptions.WriteMode.valueOf(storage.writeMode().name()));
            }
            return options.build();
        }
    }
}
