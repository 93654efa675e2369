package io.paxoslease.samples.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Three pods that only vote, and an application that scales. */
class ClientsVariantTest {

    private static final String DIRECTORY = "../k8s-clients/";

    private final JsonNode members = Manifests.document(DIRECTORY + "statefulset.yaml", 0);
    private final JsonNode application = Manifests.document(DIRECTORY + "application.yaml", 0);
    private final JsonNode scaler = Manifests.document(DIRECTORY + "application.yaml", 1);
    private final JsonNode properties = Manifests.document(DIRECTORY + "application.yml", 0);

    ClientsVariantTest() throws IOException {}

    @Test
    void everyFileOfTheKustomizationIsWhatTheApiTakes() throws IOException {
        JsonNode files = Manifests.document(DIRECTORY + "kustomization.yaml", 0).path("resources");

        assertThat(files).hasSize(4);
        for (JsonNode file : files) {
            assertThat(Manifests.parse(Manifests.read(DIRECTORY + file.asString())))
                    .isNotEmpty();
        }
    }

    @Test
    void peersAreTheStableNamesOfThePodsThatVote() {
        String name = members.at("/metadata/name").asString();
        Map<String, String> expected = new LinkedHashMap<>();
        for (int i = 0; i < members.at("/spec/replicas").asInt(); i++) {
            expected.put(
                    name + "-" + i,
                    "%s-%d.%s.default.svc.cluster.local:7400"
                            .formatted(name, i, members.at("/spec/serviceName").asString()));
        }
        Map<String, String> actual = new LinkedHashMap<>();
        properties
                .at("/paxoslease/peers")
                .properties()
                .forEach(each -> actual.put(each.getKey(), each.getValue().asString()));
        assertThat(actual).isEqualTo(expected).hasSize(3);
    }

    @Test
    void theApplicationIsAClientOfTheSameCellAndScales() throws IOException {
        JsonNode service = Manifests.document(DIRECTORY + "service.yaml", 0);
        Map<String, String> environment = new LinkedHashMap<>();
        application
                .at("/spec/template/spec/containers/0/env")
                .forEach(each -> environment.put(
                        each.path("name").asString(), each.path("value").asString()));
        assertThat(environment)
                .containsEntry("PAXOSLEASE_MODE", "client")
                .containsEntry(
                        "PAXOSLEASE_CELL", properties.at("/paxoslease/cell").asString())
                .containsEntry(
                        "PAXOSLEASE_CONTACT_POINTS",
                        "%s.default.svc.cluster.local:%d"
                                .formatted(
                                        service.at("/metadata/name").asString(),
                                        service.at("/spec/ports/0/port").asInt()));
        assertThat(service.at("/spec/clusterIP").asString())
                .as("its name leads to the pods themselves")
                .isEqualTo("None");
        assertThat(application.at("/spec/replicas").isMissingNode())
                .as("the scaler decides")
                .isTrue();
        assertThat(scaler.at("/spec/scaleTargetRef/name")).isEqualTo(application.at("/metadata/name"));
        assertThat(scaler.at("/spec/scaleTargetRef/kind")).isEqualTo(application.at("/kind"));
    }

    /** A client that is told where to listen does not start. */
    @Test
    void onlyTheMembersAreToldWhereToListen() {
        assertThat(properties.at("/paxoslease/bind-host").isMissingNode()).isTrue();
        assertThat(members.at("/spec/template/spec/containers/0/env/1/name").asString())
                .isEqualTo("PAXOSLEASE_BIND_HOST");
        assertThat(application.at("/spec/template/spec/containers/0/env").toString())
                .doesNotContain("BIND_HOST");
    }

    @Test
    void membersAreReplacedOneAtATime() throws IOException {
        assertThat(members.at("/spec/podManagementPolicy").asString()).isEqualTo("Parallel");
        assertThat(Manifests.document(DIRECTORY + "disruption.yaml", 0)
                        .at("/spec/maxUnavailable")
                        .asInt())
                .isEqualTo(1);
    }
}
