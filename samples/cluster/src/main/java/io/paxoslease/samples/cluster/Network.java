package io.paxoslease.samples.cluster;

import java.io.IOException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The network between the instances: a relay from each to each member, so that an instance can be cut off from the others
 * while its process runs and answers HTTP. Thread-safe.
 */
final class Network implements AutoCloseable {

    private record Link(String from, String to) {}

    private final Map<Link, Relay> relays = new HashMap<>();
    private final Set<String> partitioned = new HashSet<>();
    private final Algorithm algorithm;

    /**
     * Starts the relays.
     *
     * @param algorithm with {@link Algorithm#STORAGE} nothing goes by them
     */
    Network(List<Node> nodes, Algorithm algorithm) throws IOException {
        this.algorithm = algorithm;
        for (Node from : nodes) {
            for (Node to : nodes) {
                if (!from.equals(to) && to.isMember()) {
                    Relay relay = new Relay(from.name() + "-" + to.name(), to.peerPort());
                    relay.start();
                    relays.put(new Link(from.name(), to.name()), relay);
                }
            }
        }
    }

    /** Where one instance reaches another; its own address for itself. */
    String address(Node from, Node to) {
        Relay relay = relays.get(new Link(from.name(), to.name()));
        return relay == null ? to.peerAddress() : Node.HOST + ":" + relay.port();
    }

    /** Why no instance can be cut off; null when each can. */
    @Nullable
    String problem() {
        return algorithm == Algorithm.STORAGE
                ? "The instances agree through a store and have no connections to each other that could be cut."
                : null;
    }

    /** Why the members cannot change while the cell serves; null when they can. */
    @Nullable
    String changeProblem() {
        return algorithm == Algorithm.PAXOSLEASE
                ? null
                : "With --algorithm=%s the members cannot change while the cell serves."
                        .formatted(algorithm.name().toLowerCase(Locale.ROOT));
    }

    /** Whether the instances share the work on shards. */
    boolean hasShards() {
        return algorithm == Algorithm.PAXOSLEASE;
    }

    synchronized boolean isPartitioned(String name) {
        return partitioned.contains(name);
    }

    /** Nothing gets from it to the others, or from them to it. */
    synchronized void partition(String name) {
        partitioned.add(name);
        apply();
    }

    /** It reaches the others again, save those that are cut off themselves. */
    synchronized void heal(String name) {
        partitioned.remove(name);
        apply();
    }

    private void apply() {
        relays.forEach(
                (link, relay) -> relay.carry(!partitioned.contains(link.from()) && !partitioned.contains(link.to())));
    }

    @Override
    public void close() throws IOException {
        for (Relay relay : relays.values()) {
            relay.close();
        }
    }
}
