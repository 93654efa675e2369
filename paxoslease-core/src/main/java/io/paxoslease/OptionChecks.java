package io.paxoslease;

import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Printable;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What must hold of {@link PaxosLeaseOptions}; each check names the option, its value, and what to change. */
final class OptionChecks {

    private static final Duration LONGEST_MAX_LEASE_TIME = Duration.ofHours(24);
    private static final int MAX_MEMBERS = 63;
    private static final int MAX_CLIENTS = 100_000;
    private static final int FEW_CLIENTS = 64;
    private static final long HEAP_OF_A_CLIENT = 32 * 1_024;

    private OptionChecks() {}

    static void checkName(String option, @Nullable String name) {
        if (name == null || name.isBlank()) {
            throw new InvalidOptionException(
                    option, name, "must not be empty; give a name that is unique and stays the same over restarts");
        }
        if (!NodeId.isValidName(name)) {
            throw new InvalidOptionException(
                    option,
                    name,
                    "must be at most %d bytes of UTF-8 without white space, control or format characters"
                            .formatted(NodeId.MAX_BYTES));
        }
    }

    static void checkContactPoints(
            List<InetSocketAddress> contactPoints, Map<String, InetSocketAddress> peers, NodeMode mode) {
        if (contactPoints.isEmpty()) {
            return;
        }
        if (mode == NodeMode.MEMBER) {
            throw new InvalidOptionException(
                    "contactPoints",
                    contactPoints,
                    "are for clients, which ask there who the members are: list the peers of this member instead, or set the mode to 'client'");
        }
        if (!peers.isEmpty()) {
            throw new InvalidOptionException(
                    "contactPoints",
                    contactPoints,
                    "stand beside a list of peers, %s, and only one of the two can be followed: leave one out"
                            .formatted(peers.keySet()));
        }
        if (contactPoints.size() > MAX_MEMBERS) {
            throw new InvalidOptionException(
                    "contactPoints", contactPoints.size(), "at most " + MAX_MEMBERS + " contact points");
        }
    }

    static void checkPeers(
            String nodeId,
            Map<String, InetSocketAddress> peers,
            GenerationOptions generation,
            NodeMode mode,
            boolean hasContactPoints) {
        if (mode == NodeMode.AUTO) {
            throw new InvalidOptionException("mode", mode, "must be MEMBER or CLIENT here: the builder resolves AUTO");
        }
        boolean isListed = generation.lists(nodeId, peers);
        if (mode == NodeMode.CLIENT && (isListed || (peers.isEmpty() && !hasContactPoints))) {
            throw isListed
                    ? new InvalidOptionException(
                            "nodeId",
                            nodeId,
                            "is the id of a member, and this node is a client: give it another, or none, or set the mode to 'member'")
                    : new InvalidOptionException(
                            "peers",
                            peers.keySet(),
                            "must list the members of the cell: a client connects to them; or give the client contactPoints instead");
        }
        if (peers.isEmpty()) {
            return;
        }
        if (mode == NodeMode.MEMBER && !isListed) {
            throw new InvalidOptionException(
                    "peers",
                    peers.keySet(),
                    "does not list this node, '%s'%s; list every member of the cell including this one, or correct the node id, or set the mode to 'client' or 'auto' if this node must not vote"
                            .formatted(
                                    Printable.name(nodeId),
                                    generation.previous() == null ? "" : ", nor do the previous peers"));
        }
        checkMembers(peers, generation);
    }

    /** The lists before and after a change, each by itself and together. */
    static void checkMembers(Map<String, InetSocketAddress> peers, GenerationOptions generation) {
        checkAddresses("peers", peers, "");
        GenerationOptions.Previous previous = generation.previous();
        if (previous != null) {
            checkAddresses("previousPeers", previous.peers(), "");
            checkAddresses("previousPeers", generation.everyone(peers), ", before and after a change together");
        }
    }

    private static void checkAddresses(String option, Map<String, InetSocketAddress> members, String which) {
        if (members.size() > MAX_MEMBERS) {
            throw new InvalidOptionException(option, members.size(), "at most " + MAX_MEMBERS + " members" + which);
        }
        Map<String, String> seen = new HashMap<>();
        members.forEach((id, address) -> {
            checkName(option, id);
            String text = Printable.address(address.getHostString(), address.getPort());
            String other = seen.put(text, id);
            if (other != null) {
                throw new InvalidOptionException(
                        option,
                        text,
                        "is the address of both '%s' and '%s'; give each node its own"
                                .formatted(other, Printable.name(id)));
            }
        });
    }

    static void checkMembershipStore(
            @Nullable MembershipStore store,
            Map<String, InetSocketAddress> peers,
            List<InetSocketAddress> contactPoints,
            AlgorithmOptions algorithm) {
        if (store == null) {
            return;
        }
        String problem = algorithm != AlgorithmOptions.PAXOSLEASE
                ? "is for cells that run PaxosLease, and this node runs '%s': leave it out"
                        .formatted(algorithm.algorithm())
                : !contactPoints.isEmpty()
                        ? "is for nodes that list their peers, and this client hears from its contact points who the members are: leave one of the two out"
                        : peers.isEmpty()
                                ? "is for cells of several members, and a cell of one has none to change: list the peers, this node included, or leave the store out"
                                : null;
        if (problem != null) {
            throw new InvalidOptionException("membershipStore", store.describe(), problem);
        }
    }

    static void checkApplication(String application) {
        if (!application.isEmpty()) {
            checkName("application", application);
        }
    }

    static boolean canHaveClients(NodeMode mode, Map<?, ?> peers, AlgorithmOptions algorithm) {
        return mode == NodeMode.MEMBER && !peers.isEmpty() && algorithm == AlgorithmOptions.PAXOSLEASE;
    }

    /** Also for a client, which ignores the number because it admits no clients. */
    static void checkMaxClients(@Nullable Integer told) {
        if (told != null && (told < 0 || told > MAX_CLIENTS)) {
            throw new InvalidOptionException("maxClients", told, "must be from 0 to " + MAX_CLIENTS);
        }
    }

    static void checkMaxClients(int maxClients, boolean canHaveClients) {
        if (maxClients > 0 && !canHaveClients) {
            throw new InvalidOptionException(
                    "maxClients",
                    maxClients,
                    "must be 0 here: only listed members of a cell that runs PaxosLease have clients");
        }
    }

    /** Each costs a few kilobytes as long as it is connected, so all of them have an eighth of the heap, and with TLS a quarter. */
    static int defaultMaxClients(long heapBytes) {
        return (int) Math.min(PaxosLeaseOptions.DEFAULT_MAX_CLIENTS, heapBytes / HEAP_OF_A_CLIENT);
    }

    /** Half of them, so that one machine does not take the places of all; of few, all may share one, as in development. */
    static int maxClientsPerSource(@Nullable Integer set, int maxClients) {
        if (maxClients == 0) {
            return 0;
        }
        return set == null ? Math.min(maxClients, Math.max(FEW_CLIENTS, maxClients / 2)) : set;
    }

    static void checkMaxClientsPerSource(int perSource, int maxClients) {
        if (maxClients > 0 && (perSource < 1 || perSource > MAX_CLIENTS)) {
            throw new InvalidOptionException(
                    "maxClientsPerSource",
                    perSource,
                    "must be from 1 to " + MAX_CLIENTS + ": to admit no clients, set maxClients to 0");
        }
    }

    static void checkClient(NodeMode mode, @Nullable String bindHost, AlgorithmOptions algorithm) {
        if (mode != NodeMode.CLIENT) {
            return;
        }
        if (algorithm != AlgorithmOptions.PAXOSLEASE) {
            throw new InvalidOptionException(
                    "mode",
                    NodeMode.CLIENT,
                    "is for cells that run PaxosLease, and this node runs '%s': leave the mode out"
                            .formatted(algorithm.algorithm()));
        }
        if (bindHost != null) {
            throw new InvalidOptionException(
                    "bindHost", bindHost, "has no meaning for a client, which listens nowhere: leave it out");
        }
    }

    static void checkDrift(String option, double clockDrift) {
        if (!(clockDrift >= 0.0001 && clockDrift <= 0.5)) {
            throw new InvalidOptionException(
                    option, clockDrift, "must be from 0.0001 to 0.5; 0.1 covers every clock discipline in use");
        }
    }

    static void checkMaxLeaseTime(String option, @Nullable Duration maxLeaseTime) {
        if (maxLeaseTime == null || maxLeaseTime.compareTo(LONGEST_MAX_LEASE_TIME) > 0) {
            throw new InvalidOptionException(
                    option, maxLeaseTime, "must be at most " + LONGEST_MAX_LEASE_TIME + "; choose a few seconds");
        }
    }

    static void checkTimes(@Nullable Duration leaseTime, Duration maxLeaseTime, double clockDrift) {
        checkDrift("clockDrift", clockDrift);
        if (leaseTime != null && leaseTime.compareTo(LONGEST_MAX_LEASE_TIME) > 0) {
            throw new InvalidOptionException(
                    "leaseTime", leaseTime, "must be at most %s".formatted(LONGEST_MAX_LEASE_TIME));
        }
        checkMaxLeaseTime("maxLeaseTime", maxLeaseTime);
        if (maxLeaseTime.compareTo(PaxosLeaseOptions.MIN_LEASE_TIME) < 0) {
            throw new InvalidOptionException(
                    "maxLeaseTime",
                    maxLeaseTime,
                    "must be at least %d ms, the shortest lease time"
                            .formatted(PaxosLeaseOptions.MIN_LEASE_TIME.toMillis()));
        }
        if (leaseTime == null || leaseTime.compareTo(PaxosLeaseOptions.MIN_LEASE_TIME) < 0) {
            throw new InvalidOptionException(
                    "leaseTime",
                    leaseTime,
                    "must be at least %d ms: clock granularity and a renewal at a third of it need room"
                            .formatted(PaxosLeaseOptions.MIN_LEASE_TIME.toMillis()));
        }
        if (leaseTime.compareTo(maxLeaseTime) > 0) {
            throw new InvalidOptionException(
                    "leaseTime",
                    leaseTime,
                    "is above the maximum lease time, %s; lower the lease time, or raise the maximum on every node"
                            .formatted(maxLeaseTime));
        }
    }

    /** @param isUnknown whether the members are going to say what it is */
    static Duration maxLeaseTime(@Nullable Duration configured, Duration leaseTime, boolean isUnknown) {
        if (configured != null) {
            return configured;
        }
        Duration usual = isUnknown ? LONGEST_MAX_LEASE_TIME : PaxosLeaseOptions.DEFAULT_MAX_LEASE_TIME;
        return leaseTime.compareTo(usual) > 0 ? leaseTime : usual;
    }
}
