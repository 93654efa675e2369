package io.paxoslease;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Collects the options that are the same on every node of a cell. */
abstract class CellBuilder<B extends CellBuilder<B>> {

    final Map<String, InetSocketAddress> peers = new LinkedHashMap<>();
    String cell = PaxosLeaseOptions.DEFAULT_CELL;

    @Nullable
    Duration maxLeaseTime;

    double clockDrift = PaxosLeaseOptions.DEFAULT_CLOCK_DRIFT;
    private int generation = 1;
    private final Map<String, InetSocketAddress> previousPeers = new LinkedHashMap<>();
    private @Nullable Duration previousMaxLeaseTime;
    private @Nullable Double previousClockDrift;

    abstract B self();

    /**
     * Adds a member of the cell.
     *
     * @param id the member's node id
     * @param address its {@code host:port}; an IPv6 address in brackets
     * @throws InvalidOptionException when the address is not of that form, or the id is listed twice
     */
    public B peer(String id, String address) {
        return add("peers", peers, id, address);
    }

    /** Adds every entry of the map, as {@link #peer(String, String)} does. */
    public B peers(Map<String, String> addresses) {
        addresses.forEach(this::peer);
        return self();
    }

    /**
     * The name of the cell, the same on every node: at most 128 bytes of UTF-8 without white space. Applications that share a store have
     * leases of their own if their cells have other names. Default {@value PaxosLeaseOptions#DEFAULT_CELL}.
     */
    public B cell(String name) {
        this.cell = name;
        return self();
    }

    /** The longest lease of the cell, the same on every node. Default 5 s, or the lease time where that is longer. A node that starts waits for it. */
    public B maxLeaseTime(Duration time) {
        this.maxLeaseTime = time;
        return self();
    }

    /** The bound on the rate error of any clock in the cell, the same on every node. Default 0.1, which is 10 %. */
    public B clockDrift(double rho) {
        this.clockDrift = rho;
        return self();
    }

    /**
     * The number of this configuration: one more at each change of the peers, the longest lease or the clock drift while the cell serves.
     * Default 1.
     */
    public B generation(int number) {
        this.generation = number;
        return self();
    }

    /**
     * Adds a member of the cell before the change. A node that is one of the peers too has the address there.
     *
     * @param id the member's node id
     * @param address its {@code host:port}; an IPv6 address in brackets
     * @throws InvalidOptionException when the address is not of that form, or the id is listed twice
     */
    public B previousPeer(String id, String address) {
        return add("previousPeers", previousPeers, id, address);
    }

    /** Adds every entry of the map, as {@link #previousPeer(String, String)} does. */
    public B previousPeers(Map<String, String> addresses) {
        addresses.forEach(this::previousPeer);
        return self();
    }

    /** The longest lease of the cell before the change. Default: the same as now. */
    public B previousMaxLeaseTime(Duration time) {
        this.previousMaxLeaseTime = time;
        return self();
    }

    /** The bound on the rate error of any clock before the change. Default: the same as now. */
    public B previousClockDrift(double rho) {
        this.previousClockDrift = rho;
        return self();
    }

    private B add(String option, Map<String, InetSocketAddress> list, String id, String address) {
        if (list.putIfAbsent(id, PeerAddress.parse(option, id, address)) != null) {
            throw new InvalidOptionException(option, id, "is listed twice; every node id may stand there once");
        }
        return self();
    }

    /** Replaces what a change of the members can change. */
    final void members(
            Map<String, InetSocketAddress> members, Duration longest, double drift, GenerationOptions configuration) {
        peers.clear();
        peers.putAll(members);
        maxLeaseTime = longest;
        clockDrift = drift;
        generation = configuration.number();
        GenerationOptions.Previous previous = configuration.previous();
        previousPeers.clear();
        if (previous != null) {
            previousPeers.putAll(previous.peers());
        }
        previousMaxLeaseTime = previous == null ? null : previous.maxLeaseTime();
        previousClockDrift = previous == null ? null : previous.clockDrift();
    }

    /** @param longest the longest lease now */
    GenerationOptions generation(Duration longest) {
        return GenerationOptions.of(
                generation, previousPeers, previousMaxLeaseTime, previousClockDrift, longest, clockDrift);
    }
}
