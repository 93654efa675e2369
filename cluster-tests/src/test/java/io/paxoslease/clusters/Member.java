package io.paxoslease.clusters;

import com.github.dockerjava.api.DockerClient;
import com.github.dockerjava.api.command.InspectContainerResponse;
import com.github.dockerjava.api.model.ContainerNetwork;
import com.github.dockerjava.api.model.ExposedPort;
import com.github.dockerjava.api.model.Ports;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.containers.GenericContainer;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** One instance in its container, which stays the same over kills and restarts. */
final class Member {

    static final int PEER_PORT = 7400;
    static final int HTTP_PORT = 8080;

    private static final Duration ANSWER = Duration.ofSeconds(2);
    private static final HttpClient http =
            HttpClient.newBuilder().connectTimeout(ANSWER).build();

    private final String name;
    private final GenericContainer<?> container;
    private final String network;

    Member(String name, GenericContainer<?> container, String network) {
        this.name = name;
        this.container = container;
        this.network = network;
    }

    String name() {
        return name;
    }

    GenericContainer<?> startable() {
        return container;
    }

    void remove() {
        container.stop();
    }

    String logs() {
        return container.getLogs();
    }

    String id() {
        return container.getContainerId();
    }

    /** SIGKILL. */
    void kill() {
        signal("SIGKILL");
        Wait.until(name + " is dead", () -> !isRunning());
    }

    /** SIGTERM, without waiting for the end. */
    void terminate() {
        signal("SIGTERM");
    }

    private void signal(String signal) {
        docker().killContainerCmd(id()).withSignal(signal).exec();
    }

    void awaitEnd() {
        Wait.until(name + " has ended", () -> !isRunning());
    }

    void restart() {
        docker().startContainerCmd(id()).exec();
    }

    void pause() {
        docker().pauseContainerCmd(id()).exec();
    }

    void unpause() {
        docker().unpauseContainerCmd(id()).exec();
    }

    /** Pulls its cable, in both directions. */
    void disconnect() {
        docker().disconnectFromNetworkCmd()
                .withContainerId(id())
                .withNetworkId(network)
                .exec();
    }

    void reconnect() {
        docker().connectToNetworkCmd()
                .withContainerId(id())
                .withNetworkId(network)
                .withContainerNetwork(new ContainerNetwork().withAliases(name))
                .exec();
    }

    NetworkFaults faults() {
        Long pid = inspect().getState().getPidLong();
        return new NetworkFaults(pid == null ? 0 : pid);
    }

    boolean isRunning() {
        return Boolean.TRUE.equals(inspect().getState().getRunning());
    }

    private InspectContainerResponse inspect() {
        return docker().inspectContainerCmd(id()).exec();
    }

    private static DockerClient docker() {
        return Docker.client();
    }

    /** What it says about itself and its leases; missing when it does not answer. */
    JsonNode leases() {
        try {
            Integer port = portHere(HTTP_PORT);
            if (port == null) {
                return missing();
            }
            HttpRequest request = HttpRequest.newBuilder(
                            URI.create("http://%s:%d/actuator/leases".formatted(host(), port)))
                    .timeout(ANSWER)
                    .build();
            HttpResponse<String> response = http.send(request, HttpResponse.BodyHandlers.ofString());
            return response.statusCode() == 200 ? JsonMapper.shared().readTree(response.body()) : missing();
        } catch (IOException notNow) {
            return missing();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return missing();
        }
    }

    /** {@code QUARANTINED}, {@code SERVING} or another state of the node; empty when it does not answer. */
    String state() {
        return leases().path("node").path("state").asString("");
    }

    /** What it knows of the leader's lease. */
    JsonNode leadership() {
        for (JsonNode lease : leases().path("leases")) {
            if (lease.path("resource").asString("").equals("role:billing")) {
                return lease;
            }
        }
        return missing();
    }

    /** The names in the certificate that it shows to who connects as another node does. */
    List<String> namesInCertificate(Certificates certificates) {
        return certificates.namesShownBy(host(), Objects.requireNonNull(portHere(PEER_PORT)));
    }

    private static String host() {
        return DockerClientFactory.instance().dockerHostIpAddress();
    }

    /** Where this machine listens for that port of the container, which changes with each start; null when it is cut off. */
    private @Nullable Integer portHere(int port) {
        Ports.Binding[] bindings =
                inspect().getNetworkSettings().getPorts().getBindings().get(ExposedPort.tcp(port));
        return bindings == null || bindings.length == 0 ? null : Integer.valueOf(bindings[0].getHostPortSpec());
    }

    private static JsonNode missing() {
        return JsonMapper.shared().missingNode();
    }

    static List<String> names(List<Member> members) {
        return members.stream().map(Member::name).toList();
    }

    @Override
    public String toString() {
        return name;
    }
}
