package io.paxoslease.node.storage;

import io.paxoslease.PaxosLeaseOptions;
import io.paxoslease.node.ClockGuard;
import io.paxoslease.node.ConfiguredGeneration;
import io.paxoslease.node.IncarnationSource;
import io.paxoslease.node.MachineBoot;
import io.paxoslease.node.NodeAlgorithm;
import io.paxoslease.node.NodeClock;
import io.paxoslease.node.NodeEnvironment;
import io.paxoslease.node.StoreFailure;
import io.paxoslease.node.SystemClock;
import io.paxoslease.node.Threads;
import io.paxoslease.protocol.ConfigurationGuard;
import io.paxoslease.protocol.LeaseAlgorithm;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Printable;
import io.paxoslease.protocol.Reading;
import io.paxoslease.protocol.Timing;
import io.paxoslease.storage.StorageOptions;
import io.paxoslease.store.Register;
import io.paxoslease.transport.Transport;
import io.paxoslease.transport.netty.PeerState;
import java.io.IOException;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The machine, for a client of shared storage: a thread, those that wait for the store, and no socket. */
public final class StorageEnvironment implements NodeEnvironment {

    private static final Logger log = LoggerFactory.getLogger(StorageEnvironment.class);
    /** Not for ever: the store may hang. */
    private static final long STOP_NANOS = 5_000_000_000L;

    private final PaxosLeaseOptions options;
    private final StorageAlgorithm algorithm;
    private final StorageOptions storage;
    private final NodeId self;
    private final NodeClock clock = new SystemClock();
    private final IncarnationSource incarnations = new IncarnationSource();
    private final ScheduledExecutorService loop;
    private final Executor callbacks;
    private final RegisterTransport transport;

    StorageEnvironment(PaxosLeaseOptions options, StorageAlgorithm algorithm) {
        this.options = options;
        this.algorithm = algorithm;
        this.storage = algorithm.options();
        this.self = new NodeId(options.nodeId());
        this.loop = Threads.loop(options.nodeId());
        this.callbacks = Threads.callbacks(options);
        this.transport = new RegisterTransport(
                new CellRegister(options.cell(), storage.register()),
                CellRegister.ofReleases(options.cell(), storage.register()),
                clock,
                loop,
                Threads.daemon("paxoslease-" + options.nodeId() + "-store"));
    }

    @Override
    public NodeClock clock() {
        return clock;
    }

    @Override
    public @Nullable String machineBoot() {
        return MachineBoot.read();
    }

    @Override
    public LeaseAlgorithm newNode(Timing timing, Reading now) {
        return algorithm.create(new NodeAlgorithm.Setup(
                self,
                ConfiguredGeneration.of(options),
                null,
                false,
                ConfigurationGuard.none(self),
                incarnations,
                new SplittableRandom(),
                now));
    }

    @Override
    public @Nullable String storeTrouble(String resource) {
        return transport
                .troubles()
                .of(resource, storage.accessBound().toNanos(), clock.read().moment());
    }

    @Override
    public void guardBy(ClockGuard guard) {
        transport.guardBy(guard);
    }

    @Override
    public void open(Transport.Receiver receiver) {
        Register register = storage.register();
        try {
            register.check();
        } catch (IOException | RuntimeException e) { // the user's code, or a driver's
            close();
            throw StoreFailure.of(
                    "Node '%s' cannot use %s".formatted(options.nodeId(), register.describe()),
                    e,
                    "Correct that, or give the node another store.");
        }
        transport.open(receiver);
        log.info(
                "PaxosLease node '{}' of cell '{}' leases by way of {}: {}, access bound {}, lease time {}",
                options.nodeId(),
                options.cell(),
                Printable.text(register.describe()),
                storage.writeMode(),
                storage.accessBound(),
                options.leaseTime());
    }

    @Override
    public void close() {
        transport.close(Math.min(STOP_NANOS, storage.accessBound().toNanos()));
        Threads.end(loop, STOP_NANOS);
        Threads.end(callbacks, options);
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
        return transport;
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
    public List<PeerState> peers() {
        return List.of();
    }
}
