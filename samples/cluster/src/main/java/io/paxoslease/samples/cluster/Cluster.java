package io.paxoslease.samples.cluster;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.function.BiFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The instances, and what can be done to them. Thread-safe. */
final class Cluster {

    private static final long SHUTDOWN_MILLIS = 10_000;

    private final Narrator narrator;
    private final Network network;
    /** Of every node that there can be. */
    private final List<Instance> instances;

    private final @Nullable String changeProblem;
    private Members members = Members.first();
    private @Nullable MemberChange change;
    private @Nullable Thread changer;
    private boolean over;

    /**
     * @param command the command line of an instance, with the members that it is configured with
     * @param directory for the logs
     */
    Cluster(
            List<Node> nodes,
            Network network,
            BiFunction<Node, Members, List<String>> command,
            Path directory,
            Narrator narrator) {
        this.narrator = narrator;
        this.network = network;
        this.changeProblem = network.changeProblem();
        this.instances = nodes.stream()
                .map(node -> new Instance(
                        node, () -> command.apply(node, members()), directory.resolve(node.name() + ".log"), narrator))
                .toList();
    }

    /**
     * How an instance is.
     *
     * @param name its node id
     * @param actuator where it shows its leases
     * @param shards where it shows its shards; null if the algorithm has none
     * @param partitioned whether it is cut off from the others
     * @param client whether it has no vote
     */
    record Status(
            String name,
            String actuator,
            @Nullable String shards,
            Instance.State process,
            boolean partitioned,
            boolean client) {}

    synchronized List<Status> status() {
        return present().stream()
                .map(each -> new Status(
                        each.node().name(),
                        each.node().url(),
                        network.hasShards() ? each.node().shardsUrl(InstanceCommand.SHARD_GROUP) : null,
                        each.state(),
                        network.isPartitioned(each.node().name()),
                        !each.node().isMember()))
                .toList();
    }

    synchronized Members members() {
        return members;
    }

    /** Clients, members, and while a change is under way those that leave. */
    private List<Instance> present() {
        Collection<String> voting = change == null ? members.now() : members.all();
        return instances.stream()
                .filter(each ->
                        !each.node().isMember() || voting.contains(each.node().name()))
                .toList();
    }

    /** Starts the instances that are down. */
    synchronized void start() throws IOException {
        boolean none = true;
        for (Instance instance : present()) {
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

    /** Why the members cannot be changed at present; null if they can. */
    @Nullable
    synchronized String changeProblem() {
        return change == null ? changeProblem : "a change is under way: it " + change.step();
    }

    /** What the change that is under way does; null if there is none. */
    @Nullable
    synchronized String step() {
        return change == null ? null : change.step();
    }

    /**
     * Begins to change the members, and returns.
     *
     * @throws IllegalArgumentException saying what is wrong with the names
     * @throws IllegalStateException if it cannot be changed now; the message says why
     */
    synchronized void change(Collection<String> names) {
        String problem = over ? "the launcher is ending" : changeProblem();
        if (problem != null) {
            throw new IllegalStateException(problem);
        }
        Members next = members.next(names);
        for (String name : next.joining()) {
            String inUse = find(instances, name).node().portInUse();
            if (inUse != null) {
                throw new IllegalStateException(inUse);
            }
        }
        List<String> clients = instances.stream()
                .map(Instance::node)
                .filter(each -> !each.isMember())
                .map(Node::name)
                .toList();
        narrator.members(
                "",
                "generation %d: the members change from %s to %s"
                        .formatted(next.generation(), Members.text(next.before()), Members.text(next.now())));
        members = next;
        narrator.deciding(List.of(next.before(), next.now()));
        MemberChange begun = new MemberChange(next, name -> find(instances, name), clients, narrator);
        change = begun;
        Thread thread = new Thread(() -> carryOut(begun, next), "member-change");
        thread.setDaemon(true);
        changer = thread;
        thread.start();
    }

    private void carryOut(MemberChange begun, Members next) {
        try {
            begun.run();
            synchronized (this) {
                change = null;
                narrator.deciding(List.of(next.now()));
            }
            narrator.members("", "the change to %s is over".formatted(Members.text(next.now())));
        } catch (InterruptedException ending) {
            Thread.currentThread().interrupt();
        } catch (IOException | IllegalStateException failed) {
            narrator.members("", "the change cannot go on: " + failed.getMessage());
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
        return find(present(), name);
    }

    private static Instance find(List<Instance> instances, String name) {
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
            if (changer != null) {
                changer.interrupt();
            }
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
