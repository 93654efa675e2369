package io.paxoslease.samples.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A change of the members in one step: the files after it fit those before it. */
class ChangeVariantTest {

    private static final String BEFORE = "../k8s-clients/";
    private static final String AFTER = "../k8s-change/";

    private final JsonNode before =
            Manifests.document(BEFORE + "application.yml", 0).path("paxoslease");
    private final JsonNode after =
            Manifests.document(AFTER + "application.yml", 0).path("paxoslease");
    private final JsonNode overlay = Manifests.document(AFTER + "kustomization.yaml", 0);

    ChangeVariantTest() throws IOException {}

    @Test
    void thePeersOfBeforeAreThePreviousOnesAndTheGenerationIsTheNext() {
        assertThat(after.path("previous-peers")).isEqualTo(before.path("peers"));
        assertThat(after.path("generation").asInt())
                .isEqualTo(before.path("generation").asInt(1) + 1);
        assertThat(after.path("cell")).isEqualTo(before.path("cell"));
    }

    @Test
    void templateAndReplicasChangeTogether() throws IOException {
        JsonNode set = Manifests.document(BEFORE + "statefulset.yaml", 0);
        assertThat(overlay.at("/resources/0").asString()).isEqualTo("../k8s-clients");
        assertThat(overlay.at("/replicas/0/name")).isEqualTo(set.at("/metadata/name"));
        Map<String, String> pods = new LinkedHashMap<>();
        for (int i = 0; i < overlay.at("/replicas/0/count").asInt(); i++) {
            String pod = set.at("/metadata/name").asString() + "-" + i;
            pods.put(
                    pod,
                    "%s.%s.default.svc.cluster.local:7400"
                            .formatted(pod, set.at("/spec/serviceName").asString()));
        }
        Map<String, String> peers = new LinkedHashMap<>();
        after.path("peers")
                .properties()
                .forEach(each -> peers.put(each.getKey(), each.getValue().asString()));
        assertThat(peers).isEqualTo(pods).hasSize(5);

        // A generated config map has another name when its text changes, and so the template changes: only without a
        // fixed name.
        JsonNode map = overlay.at("/configMapGenerator/0");
        assertThat(map.path("behavior").asString()).isEqualTo("replace");
        assertThat(map.path("name").asString())
                .isEqualTo(
                        set.at("/spec/template/spec/volumes/0/configMap/name").asString());
        assertThat(overlay.path("generatorOptions").isMissingNode()).isTrue();
    }

    @Test
    void everyPropertyExists() throws IOException {
        Set<String> names = new HashSet<>();
        var files = getClass().getClassLoader().getResources("META-INF/spring-configuration-metadata.json");
        while (files.hasMoreElements()) {
            try (InputStream in = files.nextElement().openStream()) {
                JsonMapper.shared()
                        .readTree(in)
                        .path("properties")
                        .forEach(each -> names.add(each.path("name").asString()));
            }
        }
        assertThat(names)
                .containsAll(after.propertyNames().stream()
                        .map(name -> "paxoslease." + name)
                        .toList());
    }

    /** An update goes on, and a drain may evict the next pod, when the one before is ready; a pod that does not vote yet is alive. */
    @ParameterizedTest
    @ValueSource(strings = {"statefulset.yaml", "../k8s-clients/statefulset.yaml"})
    void aPodIsReadyOnlyWhenItVotesAgainAndAliveBeforeThat(String file) throws IOException {
        JsonNode container = Manifests.document(file, 0).at("/spec/template/spec/containers/0");
        assertThat(container.at("/readinessProbe/httpGet/path").asString()).isEqualTo("/readyz");
        assertThat(container.at("/startupProbe/httpGet/path").asString()).isEqualTo("/livez");
        assertThat(container.at("/livenessProbe/httpGet/path").asString()).isEqualTo("/livez");
    }
}
