package io.paxoslease;

import io.paxoslease.protocol.Printable;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** How a node is set up. Immutable; made by {@link #builder(String)}, which checks every option and all of them together. */
public final class PaxosLeaseOptions {

    /** The default of {@link Builder#leaseTime(Duration)}. */
    public static final Duration DEFAULT_LEASE_TIME = Duration.ofSeconds(3);

    /** The default of {@link Builder#maxLeaseTime(Duration)}. */
    public static final Duration DEFAULT_MAX_LEASE_TIME = Duration.ofSeconds(5);

    /** The default of {@link Builder#clockDrift(double)}. */
    public static final double DEFAULT_CLOCK_DRIFT = 0.10;

    /** The default of {@link Builder#cell(String)}. */
    public static final String DEFAULT_CELL = "paxoslease";

    /** The default of {@link Builder#maxClients(int)} where a node can have clients and its heap has room for so many. */
    public static final int DEFAULT_MAX_CLIENTS = 10_000;

    /** The shortest lease time: renewals and clock granularity need room. */
    public static final Duration MIN_LEASE_TIME = Duration.ofMillis(100);

    private final String nodeId;
    private final Map<String, InetSocketAddress> peers;
    private final List<InetSocketAddress> contactPoints;
    private final String cell;
    private final Duration leaseTime;
    private final Duration maxLeaseTime;
    private final double clockDrift;
    private final @Nullable String bindHost;
    private final UnaryOperator<InetSocketAddress> resolver;
    private final @Nullable Executor callbackExecutor;
    private final @Nullable TlsOptions tls;
    private final AlgorithmOptions algorithm;
    private final NodeMode mode;
    private final int maxClients;
    private final int maxClientsPerSource;
    private final GenerationOptions generation;
    private final String application;
    private final @Nullable MembershipStore membershipStore;

    private PaxosLeaseOptions(Builder builder, Chosen chosen) {
        this.nodeId = chosen.nodeId();
        this.peers =
                Collections.unmodifiableMap(new LinkedHashMap<>(builder.peers)); // in messages they stand in this order
        this.contactPoints = List.copyOf(builder.contactPoints);
        this.cell = builder.cell;
        this.leaseTime = chosen.leaseTime();
        this.maxLeaseTime = chosen.maxLeaseTime();
        this.clockDrift = builder.clockDrift;
        this.bindHost = chosen.bindHost();
        this.resolver = Objects.requireNonNull(builder.resolver, "resolver");
        this.callbackExecutor = builder.callbackExecutor;
        this.tls = builder.tls;
        this.algorithm = builder.algorithm;
        this.mode = chosen.mode();
        this.maxClients = chosen.maxClients();
        this.maxClientsPerSource = OptionChecks.maxClientsPerSource(builder.maxClientsPerSource, maxClients);
        this.generation = chosen.generation();
        this.application = builder.application;
        this.membershipStore = builder.membershipStore;
        check();
    }

    private void check() {
        OptionChecks.checkContactPoints(contactPoints, peers, mode); // before the id, which only a member has to have
        OptionChecks.checkName("nodeId", nodeId);
        OptionChecks.checkName("cell", cell);
        OptionChecks.checkPeers(nodeId, peers, generation, mode, !contactPoints.isEmpty());
        generation.check(peers, !contactPoints.isEmpty(), algorithm);
        OptionChecks.checkMembershipStore(membershipStore, peers, contactPoints, algorithm);
        OptionChecks.checkTimes(leaseTime, maxLeaseTime, clockDrift);
        OptionChecks.checkApplication(application);
        if (tls != null && (mode == NodeMode.CLIENT || peers.size() > 1 || maxClients > 0 || generation.number() > 1)) {
            tls.check(mode, cell, nodeId);
        }
        OptionChecks.checkClient(mode, bindHost, algorithm);
        OptionChecks.checkMaxClients(maxClients, OptionChecks.canHaveClients(mode, peers, algorithm));
        OptionChecks.checkMaxClientsPerSource(maxClientsPerSource, maxClients);
    }

    /** Starts a description of the node of the given name. */
    public static Builder builder(String nodeId) {
        return new Builder(nodeId);
    }

    /** Starts a description of a node without a name: a client gets one of its own; with {@link NodeMode#AUTO} it is the host's, if that is one of the peers. */
    public static Builder builder() {
        return new Builder(null);
    }

    /** A builder that starts with these options; what was chosen for them, such as the node id, is set. */
    public Builder toBuilder() {
        Builder builder = new Builder(nodeId);
        builder.members(peers, maxLeaseTime, clockDrift, generation);
        builder.contactPoints.addAll(contactPoints);
        builder.maxClientsPerSource = maxClientsPerSource == 0 ? null : maxClientsPerSource;
        return builder.cell(cell)
                .leaseTime(leaseTime)
                .bindHost(bindHost)
                .resolver(resolver)
                .callbackExecutor(callbackExecutor)
                .tls(tls)
                .algorithm(algorithm)
                .mode(mode)
                .maxClients(maxClients)
                .application(application)
                .membershipStore(membershipStore);
    }

    /** The unique name of this node within the cell. */
    public String nodeId() {
        return nodeId;
    }

    /** The members of the cell, this one included unless it is one of the previous peers only: node id to unresolved address; empty for a cell of one, and of a client that has contact points. */
    public Map<String, InetSocketAddress> peers() {
        return peers;
    }

    /** Where a client that has no peers asks who the members are: unresolved addresses of members. */
    public List<InetSocketAddress> contactPoints() {
        return contactPoints;
    }

    /** The name of the cell; nodes of another cell are refused, and in a store that cells share their leases are apart. */
    public String cell() {
        return cell;
    }

    /** How long a lease that is renewed outlives the last renewal of a holder that died: the others wait at most this long; the holder itself relies on it for {@code leaseTime / gamma}. */
    public Duration leaseTime() {
        return leaseTime;
    }

    /** The longest lease of the cell, the same on every node; a node that starts is silent for this time multiplied by gamma; of a client that has contact points a day at most, until the members say what it is. */
    public Duration maxLeaseTime() {
        return maxLeaseTime;
    }

    /** The bound on the rate error of any node's monotonic clock, the same on every node, or as the members say. */
    public double clockDrift() {
        return clockDrift;
    }

    /** The address to listen on, or null for this node's own host in {@code peers}. */
    public @Nullable String bindHost() {
        return bindHost;
    }

    /** Resolves a peer's address at each connection attempt. */
    public UnaryOperator<InetSocketAddress> resolver() {
        return resolver;
    }

    /** Runs listeners and completes futures, or null for a thread of the node's own. */
    public @Nullable Executor callbackExecutor() {
        return callbackExecutor;
    }

    /** How the connections between the nodes are secured, or null for none. */
    public @Nullable TlsOptions tls() {
        return tls;
    }

    /** Which algorithm agrees on leases, with its settings. */
    public AlgorithmOptions algorithm() {
        return algorithm;
    }

    /** What this node is to its cell; never {@link NodeMode#AUTO}. */
    public NodeMode mode() {
        return mode;
    }

    /** How many clients this member admits at most; zero for none, and of a node that is no member of several. */
    public int maxClients() {
        return maxClients;
    }

    /** How many of them from one address, and with TLS with one certificate. */
    public int maxClientsPerSource() {
        return maxClientsPerSource;
    }

    /** Which configuration of the cell this is, and which one it follows. */
    public GenerationOptions generation() {
        return generation;
    }

    /** Which application this node is an instance of, for people; empty when it is not said. */
    public String application() {
        return application;
    }

    /** Remembers the generation outside the members, or null for none. */
    public @Nullable MembershipStore membershipStore() {
        return membershipStore;
    }

    /**
     * Whether this node is the whole cell: it needs no network and never waits. With clients, where nodes meet in a store, or once its
     * members have changed, it is not.
     */
    public boolean isCellOfOne() {
        return mode == NodeMode.MEMBER
                && peers.size() <= 1
                && algorithm.hasMembers()
                && maxClients == 0
                && generation.number() == 1
                && membershipStore == null;
    }

    /** The members before and after a change: the peers, then those that are previous peers only. */
    public Map<String, InetSocketAddress> allPeers() {
        return generation.everyone(peers);
    }

    /** Whether this node only asks for leases. */
    public boolean isClient() {
        return mode == NodeMode.CLIENT;
    }

    /** Without keys, and without the objects that an application has given. */
    @Override
    public String toString() {
        return "PaxosLeaseOptions[nodeId=%s, cell=%s, mode=%s, peers=%s, contactPoints=%s, leaseTime=%s, maxLeaseTime=%s, clockDrift=%s, algorithm=%s, generation=%s, application=%s]"
                .formatted(
                        Printable.name(nodeId),
                        Printable.name(cell),
                        mode,
                        Printable.line(peers.keySet()),
                        Printable.line(contactPoints),
                        leaseTime,
                        maxLeaseTime,
                        clockDrift,
                        algorithm.algorithm(),
                        generation.number(),
                        Printable.name(application));
    }

    /** The options that depend on one another, as chosen where a builder was not told. */
    private record Chosen(
            String nodeId,
            Duration leaseTime,
            Duration maxLeaseTime,
            @Nullable String bindHost,
            NodeMode mode,
            int maxClients,
            GenerationOptions generation) {

        static Chosen of(Builder told) {
            Duration usual = Objects.requireNonNullElse(told.algorithm.defaultLeaseTime(), DEFAULT_LEASE_TIME);
            Duration leaseTime = told.leaseTime == null ? usual : told.leaseTime;
            Duration longest = OptionChecks.maxLeaseTime(told.maxLeaseTime, leaseTime, !told.contactPoints.isEmpty());
            GenerationOptions generation = told.generation(longest);
            Map<String, ?> voters = generation.everyone(told.peers);
            String id =
                    told.nodeId == null ? NodeNames.choose(told.mode, voters.keySet(), told.application) : told.nodeId;
            NodeMode ofPeers = voters.containsKey(id) ? NodeMode.MEMBER : NodeMode.CLIENT;
            NodeMode mode = told.mode == NodeMode.AUTO ? ofPeers : told.mode;
            boolean admits = voters.size() > 1 && OptionChecks.canHaveClients(mode, told.peers, told.algorithm);
            OptionChecks.checkMaxClients(told.maxClients);
            int most =
                    admits ? OptionChecks.defaultMaxClients(Runtime.getRuntime().maxMemory()) : 0;
            int maxClients = told.maxClients != null && mode == NodeMode.MEMBER ? told.maxClients : most;
            String host = told.mode == NodeMode.AUTO && mode == NodeMode.CLIENT ? null : told.bindHost;
            return new Chosen(id, leaseTime, longest, host, mode, maxClients, generation);
        }
    }

    /** Collects options. Not thread-safe. */
    public static final class Builder extends CellBuilder<Builder> {

        private final @Nullable String nodeId;
        private final List<InetSocketAddress> contactPoints = new ArrayList<>();
        private @Nullable Duration leaseTime;
        private @Nullable String bindHost;
        private UnaryOperator<InetSocketAddress> resolver =
                address -> new InetSocketAddress(address.getHostString(), address.getPort());
        private @Nullable Executor callbackExecutor;
        private @Nullable TlsOptions tls;
        private AlgorithmOptions algorithm = AlgorithmOptions.PAXOSLEASE;
        private NodeMode mode = NodeMode.MEMBER;
        private @Nullable Integer maxClients;
        private @Nullable Integer maxClientsPerSource;
        private String application = "";
        private @Nullable MembershipStore membershipStore;

        private Builder(@Nullable String nodeId) {
            this.nodeId = nodeId;
        }

        @Override
        Builder self() {
            return this;
        }

        /**
         * Where a client asks for the members, instead of listing them: a member's {@code host:port}, or a name that leads to several.
         *
         * @throws InvalidOptionException when it is not of that form
         */
        public Builder contactPoint(String address) {
            contactPoints.add(PeerAddress.parseContactPoint(address));
            return this;
        }

        /** How long a renewed lease outlives a dead holder's last renewal at most. Default 3 s, unless the algorithm has another. */
        public Builder leaseTime(Duration time) {
            this.leaseTime = time;
            return this;
        }

        /** The address to listen on. Default: this node's own host in the peers. */
        public Builder bindHost(@Nullable String host) {
            this.bindHost = host;
            return this;
        }

        /** How a peer's address is resolved, at each connection attempt. Default: by the JDK. */
        public Builder resolver(UnaryOperator<InetSocketAddress> function) {
            this.resolver = function;
            return this;
        }

        /**
         * Where listeners run and futures complete. Default: one daemon thread per node. What it does not take runs on another
         * thread of the library; a lease that cannot be handed over for want of a thread is released.
         *
         * <p>Do not pass a direct executor such as {@code Runnable::run}: it runs callbacks on the node's own thread. While one of them runs,
         * the node renews no lease and answers nothing, and a call in it that waits for the node fails.
         */
        public Builder callbackExecutor(@Nullable Executor executor) {
            this.callbackExecutor = executor;
            return this;
        }

        /** Mutual TLS between the nodes, on every node of the cell or on none. Default: none, which is for private networks. */
        public Builder tls(@Nullable TlsOptions options) {
            this.tls = options;
            return this;
        }

        /** Which algorithm agrees on leases, the same on every node of the cell. Default: {@link AlgorithmOptions#PAXOSLEASE}. */
        public Builder algorithm(AlgorithmOptions options) {
            this.algorithm = options;
            return this;
        }

        /** What this node is to its cell. Default: a member. */
        public Builder mode(NodeMode what) {
            this.mode = what;
            return this;
        }

        /**
         * How many clients this member admits at most; zero for none. Default: none in a cell of one; in a cell of several one for each
         * 32 KiB of the heap that the process may use, and 10,000 at most.
         */
        public Builder maxClients(int most) {
            this.maxClients = most;
            return this;
        }

        /**
         * How many of its clients this member admits from one address (of IPv6: one network of 64 bits) and, with TLS, with one certificate:
         * one machine must not take the places of all. Default: half of {@link #maxClients(int)}, or 64 if that is more.
         */
        public Builder maxClientsPerSource(int most) {
            this.maxClientsPerSource = most;
            return this;
        }

        /** Which application this node is an instance of: members count their clients by it. Default: not said. */
        public Builder application(String name) {
            this.application = name;
            return this;
        }

        /** Remembers the generation of the cell, for every node of it: then its members can change without a restart. Default: none. */
        public Builder membershipStore(@Nullable MembershipStore store) {
            this.membershipStore = store;
            return this;
        }

        /** Replaces the members and the times by what a {@link MembershipStore} has; a longer lease time becomes the longest lease. */
        public Builder membership(Membership stored) {
            members(stored.peers(), stored.maxLeaseTime(), stored.clockDrift(), stored.generation());
            if (leaseTime != null && leaseTime.compareTo(stored.maxLeaseTime()) > 0) {
                leaseTime = stored.maxLeaseTime();
            }
            return this;
        }

        /**
         * Checks everything.
         *
         * @throws InvalidOptionException naming the option, its value, and what to change
         */
        public PaxosLeaseOptions build() {
            Chosen chosen = Chosen.of(this);
            PaxosLeaseOptions made = new PaxosLeaseOptions(this, chosen);
            algorithm.check(peers.keySet(), tls != null, chosen.leaseTime(), chosen.maxLeaseTime(), clockDrift);
            return made;
        }
    }
}
