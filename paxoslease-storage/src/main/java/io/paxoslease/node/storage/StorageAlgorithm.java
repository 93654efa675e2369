package io.paxoslease.node.storage;

import io.paxoslease.PaxosLeaseOptions;
import io.paxoslease.monitor.AlgorithmStatus;
import io.paxoslease.node.NodeAlgorithm;
import io.paxoslease.node.NodeClock;
import io.paxoslease.node.NodeEnvironment;
import io.paxoslease.protocol.LeaseAlgorithm;
import io.paxoslease.protocol.Message;
import io.paxoslease.protocol.Reading;
import io.paxoslease.protocol.Timing;
import io.paxoslease.protocol.storage.RegisterMessage;
import io.paxoslease.protocol.storage.StorageClient;
import io.paxoslease.protocol.storage.StorageRules;
import io.paxoslease.protocol.storage.StoreView;
import io.paxoslease.storage.StorageOptions;
import io.paxoslease.storage.StorageOptions.Renewal;
import io.paxoslease.storage.StorageOptions.WriteMode;
import io.paxoslease.storage.StoreStatus;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/** Leases in shared storage: clients agree through a store that all of them reach. */
public record StorageAlgorithm(StorageOptions options) implements NodeAlgorithm {

    private static final long MILLI = 1_000_000;

    @Override
    public String name() {
        return options.algorithm();
    }

    private StorageRules rules(Timing timing) {
        return new StorageRules(
                timing,
                options.accessBound().toNanos(),
                options.writeMode() == WriteMode.COMPARE_AND_SET,
                options.renewal() == Renewal.EVENTUAL,
                options.tokensAbove());
    }

    /** They read the store, and are not told. */
    @Override
    public boolean tellsHolders() {
        return false;
    }

    @Override
    public void checkRequest(Timing timing, long nanos, boolean renewed, boolean shared) {
        long needed = rules(timing).shortestLeaseNanos(shared);
        if (renewed && nanos < needed) {
            throw new IllegalArgumentException(
                    "A%s lease that is renewed must last at least %d ms with an access bound of %s, not %d: ask for more, or lower the access bound if the store is always faster"
                            .formatted(
                                    shared ? " shared" : "",
                                    (needed + MILLI - 1) / MILLI,
                                    options.accessBound(),
                                    nanos / MILLI));
        }
    }

    @Override
    public List<Class<? extends Message>> messages() {
        return List.of(RegisterMessage.Request.class, RegisterMessage.Answer.class);
    }

    @Override
    public NodeEnvironment environment(PaxosLeaseOptions node) {
        return new StorageEnvironment(node, this);
    }

    @Override
    public UnaryOperator<Message> store(PaxosLeaseOptions node, NodeClock clock) {
        CellRegister leases = new CellRegister(node.cell(), options.register());
        CellRegister releases = CellRegister.ofReleases(node.cell(), options.register());
        return message -> {
            RegisterMessage.Request request = (RegisterMessage.Request) message;
            return RegisterTransport.serve(request.ofRelease() ? releases : leases, clock, request);
        };
    }

    @Override
    public LeaseAlgorithm create(Setup setup) {
        return new StorageClient(
                setup.self(),
                rules(setup.timing()),
                options.register().describe(),
                setup.incarnations(),
                setup.random(),
                setup.now());
    }

    @Override
    public Optional<Supplier<AlgorithmStatus>> status(LeaseAlgorithm machine, Reading now) {
        if (!(machine instanceof StorageClient client)) {
            return Optional.empty();
        }
        StoreView view = client.store(now);
        return Optional.of(() -> toStatus(view, options.register().missing()));
    }

    private static StoreStatus toStatus(StoreView view, Map<String, String> missing) {
        return new StoreStatus(
                view.description(),
                Duration.ofNanos(view.accessNanos()),
                view.count(),
                Duration.ofNanos(view.medianNanos()),
                Duration.ofNanos(view.p99Nanos()),
                Duration.ofNanos(view.maxNanos()),
                view.near(),
                view.slow(),
                view.failed(),
                view.conflicts(),
                view.trouble(),
                view.problem(),
                Collections.unmodifiableMap(new LinkedHashMap<>(missing)));
    }
}
