package io.paxoslease.samples.cluster;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The instances, and what can be done to them. Thread-safe. */
final class Cluster {

    private static final long SHUTDOWN_MILLIS = 10_000;

    private final Narrator narrator;
    private final Network network;
    private final List<Instance> instances;
    private boolean over;

    /**
     * @param command the command line of an instance
     * @param directory for the logs
     */
    Cluster(
            List<Node> nodes,
            Network network,
            Function<Node, List<String>> command,
            Path directory,
            Narrator narrator) {
        this.narrator = narrator;
        this.network = network;
        this.instances = nodes.stream()
                .map(node -> new Instance(node, command.apply(node), directory.resolve(node.name() + ".log"), narrator))
                .toList();
    }

    /**
     * How an instance is.
     *
     * @param name its node id
     * @param actuator where it shows its leases
     * @param partitioned whether it is cut off from the others
     * @param client whether it has no vote
     */
    record Status(String name, String actuator, Instance.State process, boolean partitioned, boolean client) {}

    synchronized List<Status> status() {
        return instances.stream()
                .map(each -> new Status(
                        each.node().name(),
                        each.node().url(),
                        each.state(),
                        network.isPartitioned(each.node().name()),
                        !each.node().isMember()))
                .toList();
    }

    /** Starts the instances that are down. */
    synchronized void start() throws IOException {
        boolean none = true;
        for (Instance instance : instances) {
            if (!over && instance.state() == Instance.State.DOWN) {
                instance.start();
                none = false;
            }
        }
        if (none) {
            narrator.say("", "no instance is down");
        }
    }

    /** The same on the leader; prints a message if there is none. */
    synchronized void performOnLeader(Action action) throws IOException {
        String leader = narrator.leader();
        if (leader == null) {
            narrator.say("", "no instance leads now: try again when one does, or name an instance");
        } else {
            perform(action, leader);
        }
    }

    /**
     * Performs the action on one instance.
     *
     * @throws NoSuchElementException if there is no such instance
     * @throws IllegalStateException if the state of the instance does not allow it; the message says why
     */
    synchronized void perform(Action action, String name) throws IOException {
        Instance instance = find(name);
        if (over) {
            throw new IllegalStateException("the launcher is ending");
        }
        switch (action) {
            case START -> instance.start();
            case PAUSE -> instance.pause();
            case RESUME -> instance.resume();
            case STOP -> instance.stop();
            case KILL -> instance.kill();
            case PARTITION -> partition(name);
            case HEAL -> heal(name);
        }
    }

    /** Why no instance can be cut off; null if each can. */
    @Nullable
    String partitionProblem() {
        return network.problem();
    }

    private void partition(String name) {
        String problem = network.problem();
        if (problem != null) {
            throw new IllegalStateException(problem);
        }
        if (network.isPartitioned(name)) {
            throw new IllegalStateException(name + " is cut off already");
        }
        network.partition(name);
        narrator.partitioned(name);
    }

    private void heal(String name) {
        if (!network.isPartitioned(name)) {
            throw new IllegalStateException(name + " is not cut off");
        }
        network.heal(name);
        narrator.healed(name);
    }

    private Instance find(String name) {
        return instances.stream()
                .filter(each -> each.node().name().equals(name))
                .findFirst()
                .orElseThrow(() -> new NoSuchElementException("There is no instance '%s', only %s"
                        .formatted(
                                name,
                                instances.stream()
                                        .map(each -> each.node().name())
                                        .collect(Collectors.joining(", ")))));
    }

    /** One line for each instance. */
    synchronized void showStatus() {
        String leader = narrator.leader();
        for (Status each : status()) {
            narrator.say(each.name(), "%-11s  %s".formatted(word(each, leader), each.actuator()));
        }
        narrator.showCounter();
    }

    private static String word(Status status, @Nullable String leader) {
        return switch (status.process()) {
            case DOWN -> "down";
            case PAUSED -> "paused";
            case STARTING, UP, STOPPING ->
                status.partitioned() ? "partitioned" : status.name().equals(leader) ? "leads" : "runs";
        };
    }

    /** Ends every instance, gently first. Nothing is started afterwards. */
    void shutDown() throws InterruptedException {
        synchronized (this) {
            over = true;
            narrator.silence();
        }
        instances.forEach(Instance::terminate);
        long deadline = System.nanoTime() + SHUTDOWN_MILLIS * 1_000_000;
        for (Instance instance : instances) {
            if (!instance.awaitEnd(Math.max(0, (deadline - System.nanoTime()) / 1_000_000))) {
                instance.destroy();
            }
        }
        for (Instance instance : instances) {
            instance.awaitEnd(SHUTDOWN_MILLIS);
        }
    }
}
