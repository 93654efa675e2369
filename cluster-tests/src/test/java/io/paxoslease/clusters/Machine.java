package io.paxoslease.clusters;

import com.github.dockerjava.api.DockerClient;
import com.github.dockerjava.api.command.InspectContainerResponse;
import com.github.dockerjava.api.exception.InternalServerErrorException;
import com.github.dockerjava.api.model.ContainerNetwork;
import com.github.dockerjava.api.model.ExposedPort;
import com.github.dockerjava.api.model.Ports;
import org.jspecify.annotations.Nullable;
import org.testcontainers.containers.GenericContainer;

/** A container on a cell's network, which stays the same over kills and restarts. */
class Machine {

    private final String name;
    private final GenericContainer<?> container;
    private final String network;
    private final String[] aliases;

    Machine(String name, GenericContainer<?> container, String network) {
        this(name, container, network, "");
    }

    /** @param alias a name that leads to other machines, too; empty: there is none */
    Machine(String name, GenericContainer<?> container, String network, String alias) {
        this.name = name;
        this.container = container;
        this.network = network;
        this.aliases = alias.isEmpty() ? new String[] {name} : new String[] {name, alias};
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
        Wait.until(name + " is paused", this::isPausedNow);
    }

    /** Where a process is too busy to be frozen, the engine gives up, and lets it go on. */
    private boolean isPausedNow() {
        try {
            docker().pauseContainerCmd(id()).exec();
            return true;
        } catch (InternalServerErrorException refused) {
            if (String.valueOf(refused.getMessage()).contains("unable to freeze")) {
                return false;
            }
            throw refused;
        }
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
                .withContainerNetwork(new ContainerNetwork().withAliases(aliases))
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

    /** Where this machine listens for that port of the container, which changes with each start; null when it is cut off. */
    @Nullable
    Integer portHere(int port) {
        Ports.Binding[] bindings =
                inspect().getNetworkSettings().getPorts().getBindings().get(ExposedPort.tcp(port));
        return bindings == null || bindings.length == 0 ? null : Integer.valueOf(bindings[0].getHostPortSpec());
    }

    @Override
    public String toString() {
        return name;
    }
}
