package io.paxoslease.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.service.connection.ConnectionDetails;
import org.springframework.boot.autoconfigure.service.connection.ConnectionDetailsFactories;
import org.springframework.boot.docker.compose.core.ConnectionPorts;
import org.springframework.boot.docker.compose.core.DockerComposeFile;
import org.springframework.boot.docker.compose.core.ImageReference;
import org.springframework.boot.docker.compose.core.RunningService;
import org.springframework.boot.docker.compose.service.connection.DockerComposeConnectionSource;

/** Spring Boot finds the factory, and a service that runs a member becomes connection details. */
class DockerComposeConnectionDetailsTest {

    private static final String LABEL = "org.springframework.boot.service-connection";

    /** A service as {@code docker compose ps} would describe it. */
    private record Service(String name, ImageReference image, Map<String, String> env, Map<String, String> labels)
            implements RunningService {

        @Override
        public String host() {
            return "localhost";
        }

        @Override
        public ConnectionPorts ports() {
            return new Ports();
        }

        @Override
        public @Nullable DockerComposeFile composeFile() {
            return null;
        }
    }

    private record Ports() implements ConnectionPorts {

        @Override
        public int get(int containerPort) {
            if (containerPort != 7400) {
                throw new IllegalStateException("No host port mapping found for container port " + containerPort);
            }
            return 17_400;
        }

        @Override
        public List<Integer> getAll() {
            return List.of(17_400);
        }

        @Override
        public List<Integer> getAll(@Nullable String protocol) {
            return getAll();
        }
    }

    private static Stream<PaxosLeaseConnectionDetails> detailsOf(
            String image, Map<String, String> env, Map<String, String> labels) {
        DockerComposeConnectionSource source = mock(DockerComposeConnectionSource.class);
        when(source.getRunningService()).thenReturn(new Service("lease", ImageReference.of(image), env, labels));
        Map<Class<?>, ConnectionDetails> found =
                new ConnectionDetailsFactories(null).getConnectionDetails(source, false);
        return found.values().stream().map(PaxosLeaseConnectionDetails.class::cast);
    }

    @Test
    void theImageOfTheNodeIsKnownByItsName() {
        assertThat(detailsOf("paxoslease-node:0.1.0", Map.of("PAXOSLEASE_CELL", "shop"), Map.of()))
                .singleElement()
                .satisfies(details -> {
                    assertThat(details.getContactPoints()).containsExactly("localhost:17400");
                    assertThat(details.getCell()).isEqualTo("shop");
                });
    }

    @Test
    void anotherImageIsKnownByItsLabelAndTheCellIsThatOfTheNodeByDefault() {
        assertThat(detailsOf("registry.example.com/ours/lease:7", Map.of(), Map.of(LABEL, "paxoslease")))
                .singleElement()
                .satisfies(details -> assertThat(details.getCell()).isEqualTo("paxoslease"));
    }

    @Test
    void anotherServiceIsNone() {
        assertThat(detailsOf("postgres:18", Map.of(), Map.of())).isEmpty();
        assertThat(detailsOf("paxoslease-node", Map.of(), Map.of(LABEL, "redis")))
                .isEmpty();
    }
}
