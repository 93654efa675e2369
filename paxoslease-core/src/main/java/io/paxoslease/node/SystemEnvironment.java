package io.paxoslease.node;

import io.paxoslease.NodeStartException;
import io.paxoslease.PaxosLeaseOptions;
import io.paxoslease.TlsOptions;
import io.paxoslease.monitor.ClientCounts;
import io.paxoslease.protocol.ConfigurationGuard;
import io.paxoslease.protocol.Event;
import io.paxoslease.protocol.Generation;
import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.LeaseAlgorithm;
import io.paxoslease.protocol.MemberList;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Printable;
import io.paxoslease.protocol.Reading;
import io.paxoslease.protocol.Timing;
import io.paxoslease.transport.CellConfig;
import io.paxoslease.transport.Transport;
import io.paxoslease.transport.netty.ClientLimits;
import io.paxoslease.transport.netty.NettyTransport;
import io.paxoslease.transport.netty.PeerState;
import io.paxoslease.transport.netty.Security;
import io.paxoslease.transport.netty.TlsSetup;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The machine: its clocks, threads and sockets; over TCP for a member of several and for a client, no socket for a cell of one. */
final class SystemEnvironment implements NodeEnvironment {

    private static final Logger log = LoggerFactory.getLogger(SystemEnvironment.class);
    /** Not for ever: user code may hold the thread up. */
    private static final long STOP_NANOS = 5_000_000_000L;

    private final PaxosLeaseOptions options;
    private final Security security;
    private final NodeId self;
    private final Generation generation;
    /** Everyone who votes before or after a change. */
    private final Map<NodeId, InetSocketAddress> members = new TreeMap<>();

    private final Supplier<Incarnation> incarnations = new IncarnationSource();
    private final NodeAlgorithm algorithm;
    private final NodeClock clock;
    private final TokenHistory tokens;
    private long silenceNanos;
    private @Nullable LeaseAlgorithm node;
    private final @Nullable NettyTransport network;
    private final ScheduledExecutorService loop;
    private final Executor callbacks;

    SystemEnvironment(PaxosLeaseOptions options, Security security) {
        this.options = options;
        this.algorithm = NodeAlgorithm.of(options.algorithm());
        this.clock = algorithm.clock();
        this.security = security;
        this.self = new NodeId(options.nodeId());
        this.generation = ConfiguredGeneration.of(options);
        options.allPeers().forEach((id, address) -> members.put(new NodeId(id), address));
        this.tokens = new TokenHistory(options.cell(), options.nodeId());
        if (options.isCellOfOne()) {
            this.network = null;
            this.loop = Threads.loop(options.nodeId());
        } else {
            this.network = newTransport();
            this.loop = network.loop();
        }
        this.callbacks = Threads.callbacks(options);
    }

    static Security securityOf(PaxosLeaseOptions options) {
        TlsOptions tls = options.tls();
        return new Security(tls == null ? null : setupOf(tls));
    }

    static TlsSetup setupOf(TlsOptions tls) {
        return new TlsSetup(
                tls.keyManagers(), tls.trustManagers(), tls.protocols(), tls.ciphers(), tls.verifiesNodeIds());
    }

    @Override
    public NodeClock clock() {
        return clock;
    }

    @Override
    public @Nullable String machineBoot() {
        return MachineBoot.read();
    }

    private NettyTransport newTransport() {
        Duration bound = algorithm.clockBound();
        CellConfig config = new CellConfig(
                options.cell(), generation, bound == null ? null : new CellConfig.Clocked(algorithm.name(), bound));
        return options.isClient()
                ? NettyTransport.ofClient(
                        config, self, incarnations.get(), options.application(), members, options.resolver(), security)
                : NettyTransport.ofMember(
                        config,
                        self,
                        incarnations.get(),
                        members,
                        options.bindHost(),
                        options.resolver(),
                        security,
                        algorithm.wireTypes(),
                        new ClientLimits(options.maxClients(), options.maxClientsPerSource()));
    }

    @Override
    public LeaseAlgorithm newNode(Timing timing, Reading now) {
        silenceNanos = algorithm.silenceNanos(generation.timing(false));
        LeaseAlgorithm made = algorithm.create(new NodeAlgorithm.Setup(
                self,
                generation,
                now.moment(),
                network == null,
                newGuard(),
                incarnations,
                new SplittableRandom(),
                now));
        if (network == null) {
            made.continueAbove(tokens.highestToken());
        }
        node = made;
        return made;
    }

    /** A cell of one meets no other configuration, and a client answers nothing that could have to be kept back. */
    private ConfigurationGuard newGuard() {
        return network == null || options.isClient()
                ? ConfigurationGuard.none(self)
                : new ConfigurationGuard(
                        self,
                        List.copyOf(members.keySet()),
                        silenceNanos,
                        ConfigurationGuard.SEEN_NANOS,
                        ConfigurationGuard.LOOK_AROUND_NANOS);
    }

    @Override
    public void open(Transport.Receiver receiver) {
        if (network == null) {
            log.info(
                    "Node '{}' is a cell of one: it leads every role and shares its locks with no other process. To form a cell with"
                            + " other instances, list them all as peers, this one included"
                            + " (nodeId and peers)",
                    self);
            return;
        }
        int votes = generation.current().members().size();
        if (votes % 2 == 0 && !options.isClient()) {
            log.warn(
                    "With {} members {} may fail, just as with {}: add or remove one.",
                    votes,
                    votes == 2 ? "none" : votes / 2 - 1,
                    votes - 1);
        }
        OpenFiles.check(options.nodeId(), options.maxClients(), members.size() - 1);
        checkValidity(options.nodeId(), security);
        InboundGate gate = new InboundGate(receiver);
        try {
            network.start(gate);
            beginLife(gate);
        } catch (IOException e) {
            network.close();
            throw cannotListen(e);
        } catch (RuntimeException | Error e) { // for instance without a thread for a loop, or without memory
            network.close();
            throw e;
        }
    }

    /** Why it cannot listen at its address, and what to do about it. */
    private NodeStartException cannotListen(IOException e) {
        InetSocketAddress own = members.get(self);
        String host =
                Printable.name(options.bindHost() == null && own != null ? own.getHostString() : options.bindHost());
        int port = own == null ? 0 : own.getPort();
        if (e instanceof UnknownHostException) {
            return new NodeStartException(
                    "The host '%s' that node '%s' listens on does not resolve.".formatted(host, self),
                    "Correct its address in the peers, or set the bind host to an address of this machine, for instance 0.0.0.0.",
                    e);
        }
        String text = String.valueOf(e.getMessage());
        if (text.contains("in use")) {
            return new NodeStartException(
                    "Port %d of %s, where node '%s' listens, is already in use.".formatted(port, host, self),
                    "Stop the process that uses it, or give node '%s' another port in the peers of every node."
                            .formatted(self),
                    e);
        }
        return new NodeStartException(
                "Node '%s' cannot listen on %s port %d: %s.".formatted(self, host, port, Printable.text(text)),
                "Set the bind host to an address of this machine, for instance 0.0.0.0, or choose another port.",
                e);
    }

    /**
     * A0: the port is this life's, so another process at this address can have answered until now, and not later. Before that, nothing is known:
     * while this process booted, the last one may have served.
     */
    private void beginLife(InboundGate gate) {
        if (options.isClient()) {
            gate.open(loop);
            log.info(
                    "PaxosLease client '{}' of cell '{}' started: members {}, lease time {}",
                    self,
                    options.cell(),
                    describeMembers(),
                    options.leaseTime());
            return;
        }
        Reading opened = clock.read();
        tell(new Event.OtherLife(null, 0), opened);
        tell(new Event.Opened(), opened);
        gate.open(loop);
        log.info(
                "PaxosLease node '{}' of cell '{}' started: members {}, lease time {}, quarantined for another {} ms",
                self,
                options.cell(),
                describeMembers(),
                options.leaseTime(),
                TimeUnit.NANOSECONDS.toMillis(Math.max(ConfigurationGuard.LOOK_AROUND_NANOS, silenceNanos)));
    }

    private String describeMembers() {
        MemberList previous = generation.previous();
        String current = generation.current().members().toString();
        String numbered = generation.number() == 1 ? current : current + " of generation " + generation.number();
        return previous == null ? numbered : numbered + ", previous members " + previous.members();
    }

    /** Peers refuse a node whose certificate is not valid; that may be about to change, so it is no reason to give up. */
    static void checkValidity(String nodeId, Security security) {
        String problem = security.validityProblem();
        if (problem != null) {
            log.warn(
                    "The certificate of node '{}' {}: the other nodes refuse it until it is replaced (or this machine's"
                            + " clock corrected)",
                    Printable.name(nodeId),
                    problem);
        }
    }

    /** Before the node's thread runs. */
    private void tell(Event event, Reading now) {
        if (node != null) {
            node.step(event, now);
        }
    }

    @Override
    public boolean leave() {
        return network == null || network.leave();
    }

    /** The node's thread has stopped answering before it closes the port: the next life, which binds it, counts from then (A0). */
    @Override
    public void close() {
        try {
            if (network != null) {
                network.close();
            } else {
                Threads.end(loop, STOP_NANOS);
                if (node != null) {
                    tokens.used(node.highestToken());
                }
            }
        } finally {
            Threads.end(callbacks, options);
        }
    }

    @Override
    public ScheduledExecutorService loop() {
        return loop;
    }

    @Override
    public boolean hasThreads() {
        return true;
    }

    @Override
    public Transport transport() {
        return network == null ? (to, messages) -> {} : network;
    }

    @Override
    public Executor callbacks() {
        return callbacks;
    }

    @Override
    public void keepCallbacks() {
        Threads.keep(callbacks, options);
    }

    @Override
    public @Nullable ClientCounts clients() {
        return network == null || options.maxClients() == 0 ? null : network.clients();
    }

    @Override
    public List<PeerState> peers() {
        return network == null ? List.of() : network.peers();
    }
}
