package io.paxoslease.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.NodeMode;
import io.paxoslease.PaxosLeaseOptions;
import io.paxoslease.testing.FreePorts;
import io.paxoslease.transport.netty.Security;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a client hears of its members at a bad moment. */
class NodeLifecycleTest {

    private final String nobody = "127.0.0.1:" + FreePorts.next();
    private final PaxosLeaseOptions asking = PaxosLeaseOptions.builder("z")
            .mode(NodeMode.CLIENT)
            .contactPoint(nobody)
            .build();
    private final PaxosLeaseOptions told = PaxosLeaseOptions.builder("z")
            .mode(NodeMode.CLIENT)
            .peer("a", nobody)
            .build();
    private final NodeLifecycle lifecycle =
            new NodeLifecycle(asking, SystemEnvironment::of, new Security(null), new Instruments());

    @AfterEach
    void stop() {
        lifecycle.stop();
    }

    private Joining start() {
        lifecycle.start();
        return Objects.requireNonNull(lifecycle.joining());
    }

    @Test
    void aClientThatJoinsRuns() {
        Joining joining = start();
        lifecycle.start();
        assertThat(lifecycle.joining()).as("started once").isSameAs(joining);
        lifecycle.joined(joining, told);

        assertThat(lifecycle.joining()).isNull();
        assertThat(lifecycle.running()).isNotNull();
        assertThat(lifecycle.isStarted()).isTrue();
    }

    @Test
    void aClientThatWasStoppedMeanwhileDoesNotRun() {
        Joining joining = start();
        lifecycle.stop();
        lifecycle.joined(joining, told);

        assertThat(lifecycle.isStarted()).isFalse();
    }

    /** What the first life was told is not for the second one. */
    @Test
    void aClientThatWasStartedAgainMeanwhileAsksForItself() {
        Joining first = start();
        lifecycle.stop();
        Joining second = start();
        lifecycle.joined(first, told);

        assertThat(lifecycle.running()).isNull();
        assertThat(lifecycle.joining()).isSameAs(second);
    }
}
