package io.paxoslease.node;

import io.paxoslease.PaxosLeaseOptions;
import io.paxoslease.protocol.LeaseAlgorithm;
import io.paxoslease.protocol.Reading;
import io.paxoslease.testing.FreePorts;
import io.paxoslease.testing.Timings;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;

/** A0: a process has run for an hour when it binds the port of its node. Until then another process may have served there. */
public final class BootedBesideTheLast implements Supplier<List<String>> {

    private static final Duration MAX = Duration.ofMinutes(1);

    /** @return what is wrong; nothing when all is well */
    @Override
    public List<String> get() {
        PaxosLeaseOptions options = PaxosLeaseOptions.builder("b")
                .cell("beside")
                .peer("a", "127.0.0.1:" + FreePorts.next())
                .peer("b", "127.0.0.1:" + FreePorts.next())
                .peer("c", "127.0.0.1:" + FreePorts.next())
                .leaseTime(MAX)
                .maxLeaseTime(MAX)
                .build();
        NodeEnvironment environment = StartedNodes.environment(options);
        try {
            Reading booted =
                    environment.clock().read().plusNanos(-Duration.ofHours(1).toNanos());
            LeaseAlgorithm node = environment.newNode(Timings.of(options), booted);
            Reading before = environment.clock().read();
            environment.open(new DeafReceiver());
            long silent = node.view(before).quarantineRemainingNanos();
            return silent < Timings.of(options).quarantineNanos()
                    ? List.of("it is silent for %d ms only after its port was bound".formatted(silent / 1_000_000))
                    : List.of();
        } finally {
            environment.close();
        }
    }
}
