package io.paxoslease.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.PaxosLease;
import io.paxoslease.flease.FleaseOptions;
import io.paxoslease.storage.StorageOptions;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** An application that has the starter alone, and configures an algorithm of another artifact. */
class MissingAlgorithmTest {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(PaxosLeaseAutoConfiguration.class))
            .withClassLoader(new FilteredClassLoader(FleaseOptions.class, StorageOptions.class));

    @ParameterizedTest
    @ValueSource(strings = {"flease", "storage"})
    void theArtifactIsNamed(String algorithm) {
        String peers = algorithm.equals("flease") ? "paxoslease.peers=a=127.0.0.1:1" : "";
        runner.withPropertyValues("paxoslease.algorithm=" + algorithm, "paxoslease.node-id=a", peers)
                .run(context -> {
                    FailureAnalysis analysis = FailureAnalyses.of(context.getStartupFailure());
                    assertThat(analysis.getDescription())
                            .startsWith("The algorithm '%s' (paxoslease.algorithm)".formatted(algorithm))
                            .contains("io.paxoslease:paxoslease-" + algorithm);
                    assertThat(analysis.getAction())
                            .startsWith("Add the dependency io.paxoslease:paxoslease-" + algorithm);
                });
    }

    @ParameterizedTest
    @ValueSource(strings = {"paxoslease.algorithm=paxoslease", "paxoslease.algorithm=storage"})
    void aStandaloneNodeNeedsNeither(String algorithm) {
        runner.withPropertyValues(algorithm, "paxoslease.standalone=true")
                .run(context -> assertThat(context).hasSingleBean(PaxosLease.class));
    }
}
