package io.paxoslease.spring.autoconfigure;

import io.paxoslease.PaxosLeaseOptions;
import java.util.List;
import java.util.Objects;
import org.springframework.boot.docker.compose.core.RunningService;
import org.springframework.boot.docker.compose.service.connection.DockerComposeConnectionDetailsFactory;
import org.springframework.boot.docker.compose.service.connection.DockerComposeConnectionSource;

/**
 * Makes the application a client of a member that Docker Compose runs: a service whose image is called {@code paxoslease-node}, or whose label
 * {@code org.springframework.boot.service-connection} is {@code paxoslease}.
 */
final class PaxosLeaseDockerComposeConnectionDetailsFactory
        extends DockerComposeConnectionDetailsFactory<PaxosLeaseConnectionDetails> {

    private static final String[] NAMES = {"paxoslease-node", "paxoslease"};
    private static final int PORT = 7400;

    PaxosLeaseDockerComposeConnectionDetailsFactory() {
        super(NAMES);
    }

    @Override
    protected PaxosLeaseConnectionDetails getDockerComposeConnectionDetails(DockerComposeConnectionSource source) {
        return new Details(source.getRunningService());
    }

    private static final class Details extends DockerComposeConnectionDetails implements PaxosLeaseConnectionDetails {

        private final String contactPoint;
        private final String cell;

        Details(RunningService service) {
            super(service);
            contactPoint = "%s:%d".formatted(service.host(), service.ports().get(PORT));
            cell = Objects.requireNonNullElse(service.env().get("PAXOSLEASE_CELL"), PaxosLeaseOptions.DEFAULT_CELL);
        }

        @Override
        public List<String> getContactPoints() {
            return List.of(contactPoint);
        }

        @Override
        public String getCell() {
            return cell;
        }
    }
}
