package io.paxoslease.samples.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.NodeMode;
import io.paxoslease.PaxosLease;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import tools.jackson.databind.JsonNode;

/** A pod beyond those that vote, with the configuration of the manifests. */
@SpringBootTest(webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT, properties = "paxoslease.node-id=app-3")
class FurtherPodTest {

    @DynamicPropertySource
    static void configMap(DynamicPropertyRegistry registry) throws IOException {
        JsonNode configuration = Manifests.document("application.yml", 0).path("paxoslease");
        registry.add("paxoslease.mode", () -> configuration.path("mode").asString());
        registry.add(
                "paxoslease.bind-host", () -> configuration.path("bind-host").asString());
        configuration
                .path("peers")
                .properties()
                .forEach(peer -> registry.add(
                        "paxoslease.peers." + peer.getKey(),
                        () -> peer.getValue().asString().replace(".local", ".invalid")));
    }

    @Autowired
    private PaxosLease node;

    @Test
    void itIsAClient() {
        assertThat(node.monitor().options().mode()).isEqualTo(NodeMode.CLIENT);
        assertThat(node.monitor().options().nodeId()).isEqualTo("app-3");
        assertThat(node.monitor().status().peers()).hasSize(3);
    }
}
