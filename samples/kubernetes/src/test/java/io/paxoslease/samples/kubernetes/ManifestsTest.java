package io.paxoslease.samples.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

class ManifestsTest {

    private static final int SHUTDOWN_PHASE_SECONDS = 20;

    private final JsonNode set = Manifests.document("statefulset.yaml", 0);
    private final JsonNode spec = set.path("spec");
    private final JsonNode pod = spec.at("/template/spec");
    private final JsonNode container = pod.at("/containers/0");
    private final JsonNode headless = Manifests.document("services.yaml", 0);

    ManifestsTest() throws IOException {}

    @Test
    void everyFileOfTheKustomizationIsWhatTheApiTakes() throws IOException {
        JsonNode files = Manifests.document("kustomization.yaml", 0).path("resources");

        assertThat(files).hasSize(3);
        for (JsonNode file : files) {
            assertThat(Manifests.parse(Manifests.read(file.asString()))).isNotEmpty();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "statefulset.yaml, podManagementPolicy:, podManagementPolice:",
        "statefulset.yaml, fieldRef:, fieldReference:",
        "statefulset.yaml, terminationGracePeriodSeconds:, terminationGraceSeconds:",
        "services.yaml, publishNotReadyAddresses:, publishNotReadyAdresses:",
        "disruption.yaml, maxUnavailable:, maxUnavailible:",
    })
    void aMisspeltFieldIsRefused(String file, String right, String wrong) throws IOException {
        String text = Manifests.read(file);
        assertThat(text).contains(right);

        assertThatIllegalArgumentException()
                .isThrownBy(() -> Manifests.parse(text.replace(right, wrong)))
                .withMessageContaining(wrong.replace(":", ""));
    }

    @Test
    void peersAreTheStableNamesOfThePods() throws IOException {
        String name = set.at("/metadata/name").asString();
        String namespace = set.at("/metadata/namespace").asString();
        Map<String, String> expected = new LinkedHashMap<>();
        for (int i = 0; i < spec.path("replicas").asInt(); i++) {
            String pod = name + "-" + i;
            expected.put(
                    pod,
                    "%s.%s.%s.svc.cluster.local:7400"
                            .formatted(pod, spec.path("serviceName").asString(), namespace));
        }

        JsonNode peers = Manifests.document("application.yml", 0).at("/paxoslease/peers");
        Map<String, String> actual = new LinkedHashMap<>();
        peers.properties()
                .forEach(each -> actual.put(each.getKey(), each.getValue().asString()));
        assertThat(actual).isEqualTo(expected).hasSize(3);
        assertThat(Manifests.document("kustomization.yaml", 0).path("namespace").asString())
                .isEqualTo(namespace);
    }

    @Test
    void eachPodIsTheNodeOfItsOwnName() {
        assertThat(container.at("/env/0/name").asString()).isEqualTo("PAXOSLEASE_NODE_ID");
        assertThat(container.at("/env/0/valueFrom/fieldRef/fieldPath").asString())
                .isEqualTo("metadata.name");
    }

    @Test
    void podsHaveNamesBeforeTheyAreReady() {
        assertThat(headless.at("/metadata/name")).isEqualTo(spec.path("serviceName"));
        assertThat(headless.at("/spec/clusterIP").asString()).isEqualTo("None");
        assertThat(headless.at("/spec/publishNotReadyAddresses").asBoolean()).isTrue();
        assertThat(headless.at("/spec/selector")).isEqualTo(spec.at("/selector/matchLabels"));
        assertThat(spec.at("/template/metadata/labels")).isEqualTo(spec.at("/selector/matchLabels"));
    }

    @Test
    void podsStartTogetherAndAreReplacedOneAtATime() throws IOException {
        assertThat(spec.path("podManagementPolicy").asString()).isEqualTo("Parallel");
        assertThat(spec.at("/updateStrategy/type").asString()).isEqualTo("RollingUpdate");
        assertThat(Manifests.document("disruption.yaml", 0)
                        .at("/spec/maxUnavailable")
                        .asInt())
                .isEqualTo(1);
    }

    @Test
    void thereIsTimeToHandOver() {
        int preStop = container.at("/lifecycle/preStop/exec/command/1").asInt();

        assertThat(preStop).isPositive();
        assertThat(pod.path("terminationGracePeriodSeconds").asInt())
                .isGreaterThan(preStop + 2 * SHUTDOWN_PHASE_SECONDS);
    }

    @Test
    void probesAskForTheProcessAndNotForTheCell() {
        assertThat(container.at("/startupProbe/httpGet/path").asString()).isEqualTo("/livez");
        assertThat(container.at("/livenessProbe/httpGet/path").asString()).isEqualTo("/livez");
        assertThat(container.at("/readinessProbe/httpGet/path").asString()).isEqualTo("/readyz");
    }
}
