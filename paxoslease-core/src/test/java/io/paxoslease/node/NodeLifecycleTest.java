package io.paxoslease.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.AcquireOptions;
import io.paxoslease.LeaseTimeoutException;
import io.paxoslease.NodeMode;
import io.paxoslease.PaxosLeaseOptions;
import io.paxoslease.testing.Eventually;
import io.paxoslease.testing.FreePorts;
import io.paxoslease.transport.netty.Security;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a client hears of its members at a bad moment. */
class NodeLifecycleTest {

    private final String unused = "127.0.0.1:" + FreePorts.next();
    private final PaxosLeaseOptions asking = PaxosLeaseOptions.builder("z")
            .mode(NodeMode.CLIENT)
            .contactPoint(unused)
            .build();
    private final PaxosLeaseOptions told = PaxosLeaseOptions.builder("z")
            .mode(NodeMode.CLIENT)
            .peer("a", unused)
            .build();
    private final NodeLifecycle lifecycle = new NodeLifecycle(
            asking,
            StartedNodes::environment,
            new Security(null),
            NodeInstrumentation.of(NodeAlgorithm.of(asking.algorithm())));

    private final List<ClientBootstrap> started = new ArrayList<>();

    /** One that the test says has joined does not know that, and would go on asking. */
    @AfterEach
    void stop() {
        lifecycle.stop();
        started.forEach(ClientBootstrap::stop);
    }

    private ClientBootstrap start() {
        lifecycle.start();
        ClientBootstrap joining = Objects.requireNonNull(lifecycle.joining());
        started.add(joining);
        return joining;
    }

    @Test
    void aClientThatJoinsRuns() {
        ClientBootstrap joining = start();
        lifecycle.start();
        assertThat(lifecycle.joining()).as("started once").isSameAs(joining);
        lifecycle.joined(joining, told);

        assertThat(lifecycle.joining()).isNull();
        assertThat(lifecycle.running()).isNotNull();
        assertThat(lifecycle.isStarted()).isTrue();
    }

    @Test
    void aClientThatWasStoppedMeanwhileDoesNotRun() {
        ClientBootstrap joining = start();
        lifecycle.stop();
        lifecycle.joined(joining, told);

        assertThat(lifecycle.isStarted()).isFalse();
    }

    /** What the first life was told is not for the second one. */
    @Test
    void aClientThatWasStartedAgainMeanwhileAsksForItself() {
        ClientBootstrap first = start();
        lifecycle.stop();
        ClientBootstrap second = start();
        lifecycle.joined(first, told);

        assertThat(lifecycle.running()).isNull();
        assertThat(lifecycle.joining()).isSameAs(second);
    }

    /** Requests whose time is over, or that are withdrawn, leave nothing behind however long the client goes on asking. */
    @Test
    void requestsThatEndAreForgotten() {
        ClientBootstrap joining = start();
        List<CompletableFuture<Object>> results = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            CompletableFuture<Object> result = new CompletableFuture<>();
            results.add(result);
            AcquireOptions how = AcquireOptions.renewing();
            joining.whenJoined(
                    "r", i < 50 ? how.toBuilder().maxWait(Duration.ofMillis(1)).build() : how, result, left -> {});
        }
        results.subList(50, 100).forEach(result -> result.cancel(false));

        Eventually.until("nothing is left", () -> joining.waiting() == 0);
        assertThat(results.subList(0, 50)).allSatisfy(result -> assertThat(result)
                .failsWithin(Duration.ofSeconds(10))
                .withThrowableThat()
                .withCauseInstanceOf(LeaseTimeoutException.class));
    }

    /** A stop holds a lock: users' code in it could wait for another thread that needs the lock. */
    @Test
    void aStopDoesNotRunUsersCode() {
        ClientBootstrap joining = start();
        CompletableFuture<Object> result = new CompletableFuture<>();
        CompletableFuture<Thread> ranOn = new CompletableFuture<>();
        joining.whenJoined("r", AcquireOptions.renewing(), result, left -> {});
        result.whenComplete((lease, failure) -> ranOn.complete(Thread.currentThread()));
        lifecycle.stop();

        assertThat(ranOn).succeedsWithin(Duration.ofSeconds(10)).isNotSameAs(Thread.currentThread());
        assertThat(joining.waiting()).isZero();
    }
}
