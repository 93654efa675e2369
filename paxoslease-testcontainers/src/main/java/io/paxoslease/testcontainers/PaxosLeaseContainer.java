package io.paxoslease.testcontainers;

import com.github.dockerjava.api.command.CreateContainerCmd;
import com.github.dockerjava.api.model.ExposedPort;
import com.github.dockerjava.api.model.HostConfig;
import com.github.dockerjava.api.model.Ports;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.Arrays;
import java.util.Objects;
import java.util.stream.Stream;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.wait.strategy.Wait;
import org.testcontainers.utility.DockerImageName;

/**
 * A cell of one member, {@code paxoslease-node}, in a container. The test's process connects to it as a client. The container has started
 * when the member grants leases: its quarantine, 1.22 times the longest lease, is over.
 *
 * <p>A client connects to the address that the member is configured with. That is a port of the Docker host here, which has the same number
 * in the container. So the cell can be reached from the test's process, and not from other containers. Containers of this type are not
 * reused ({@code withReuse}), as each has a port of its own.
 *
 * <p>Like every container of Testcontainers it is configured by one thread before its start.
 */
public class PaxosLeaseContainer extends GenericContainer<PaxosLeaseContainer> {

    /** The image that {@code docker build -t paxoslease-node paxoslease-node} makes. */
    public static final DockerImageName DEFAULT_IMAGE_NAME = DockerImageName.parse("paxoslease-node");

    private static final String MEMBER = "member";
    private static final int HTTP_PORT = 8080;
    private static final long SHORTEST_LEASE_MILLIS = 100;
    /** The port is chosen before the container has it: another process may take it meanwhile. */
    private static final int START_ATTEMPTS = 2;

    private String cell = "paxoslease";
    private int port;

    /** A cell of the image {@link #DEFAULT_IMAGE_NAME}. */
    public PaxosLeaseContainer() {
        this(DEFAULT_IMAGE_NAME);
    }

    /** @param image name of an image of {@code paxoslease-node} */
    public PaxosLeaseContainer(String image) {
        this(DockerImageName.parse(image));
    }

    /** @param image name of an image of {@code paxoslease-node} */
    public PaxosLeaseContainer(DockerImageName image) {
        super(image);
        withEnv("PAXOSLEASE_NODE_ID", MEMBER);
        withEnv("PAXOSLEASE_BIND_HOST", "0.0.0.0");
        withEnv("PAXOSLEASE_CLIENTS_MAX", "100");
        withCell(cell);
        withExposedPorts(HTTP_PORT);
        withStartupAttempts(START_ATTEMPTS);
        withCreateContainerCmdModifier(this::publish);
        waitingFor(Wait.forHttp("/actuator/leases")
                .forPort(HTTP_PORT)
                .forResponsePredicate(answer -> answer.contains("\"SERVING\"")));
    }

    /** Sets the name of the cell, by default {@code paxoslease}. With {@code @ServiceConnection} the application gets it from here. */
    public PaxosLeaseContainer withCell(String name) {
        cell = name;
        return withEnv("PAXOSLEASE_CELL", name);
    }

    /**
     * Sets the longest lease of the cell, by default 5 s. The shorter it is, the sooner the container has started, and the sooner a lease
     * that a test abandons is over.
     *
     * @param time 100 ms or more
     * @throws IllegalArgumentException if it is less
     */
    public PaxosLeaseContainer withMaxLeaseTime(Duration time) {
        if (time.toMillis() < SHORTEST_LEASE_MILLIS) {
            throw new IllegalArgumentException(
                    "The longest lease must be %d ms or more, not %s: the member would not start"
                            .formatted(SHORTEST_LEASE_MILLIS, time));
        }
        String millis = time.toMillis() + "ms";
        return withEnv("PAXOSLEASE_LEASE_TIME", millis).withEnv("PAXOSLEASE_MAX_LEASE_TIME", millis);
    }

    /** Name of the cell. */
    public String getCell() {
        return cell;
    }

    /**
     * Where the test's process reaches the member, {@code host:port}: the contact point of a client.
     *
     * @throws IllegalStateException if the container has not been started
     */
    public String getContactPoint() {
        if (port == 0) {
            throw new IllegalStateException(
                    "The container has no contact point before it is started: call start() first");
        }
        return address();
    }

    private String address() {
        String host = getHost();
        return "%s:%d".formatted(host.indexOf(':') < 0 ? host : "[" + host + "]", port);
    }

    /** At each attempt to start: another port, the same inside and outside of the container. */
    private void publish(CreateContainerCmd create) {
        port = freePort();
        ExposedPort exposed = ExposedPort.tcp(port);
        HostConfig host = Objects.requireNonNull(create.getHostConfig());
        Ports ports = Objects.requireNonNullElseGet(host.getPortBindings(), Ports::new);
        ports.bind(exposed, Ports.Binding.bindPort(port));
        host.withPortBindings(ports);
        create.withExposedPorts(Stream.concat(
                        Arrays.stream(
                                Objects.requireNonNullElseGet(create.getExposedPorts(), () -> new ExposedPort[0])),
                        Stream.of(exposed))
                .toArray(ExposedPort[]::new));
        create.withEnv(Stream.concat(
                        Arrays.stream(Objects.requireNonNullElseGet(create.getEnv(), () -> new String[0])),
                        Stream.of("PAXOSLEASE_PEERS=%s=%s".formatted(MEMBER, address())))
                .toArray(String[]::new));
    }

    private static int freePort() {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
