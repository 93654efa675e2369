package io.paxoslease.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.AcquireOptions;
import io.paxoslease.PaxosLease;
import io.paxoslease.PaxosLeaseOptions;
import io.paxoslease.monitor.NodeStatus;
import io.paxoslease.protocol.Event;
import io.paxoslease.protocol.LeaseAlgorithm;
import io.paxoslease.protocol.Reading;
import io.paxoslease.protocol.Timing;
import io.paxoslease.testing.Eventually;
import io.paxoslease.testing.RawConnection;
import io.paxoslease.testing.TestCell;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A node that found a fault in itself, over TCP. */
@Timeout(60)
class FailedNodeTest {

    private static final AcquireOptions RENEWING = AcquireOptions.renewing();

    @Test
    void itsPeersSeeThatItIsGoneAndItSaysThatARestartHelps() throws IOException {
        try (TestCell cell = TestCell.of(Duration.ofSeconds(1), "a", "b", "c")) {
            PaxosLease b = cell.start(options(cell, "b"));
            PaxosLease failing = LocalNode.create(
                            options(cell, "a"), options -> new FaultyEnvironment(StartedNodes.environment(options)))
                    .handle();
            try {
                failing.start();
                Eventually.until("they are connected", () -> sees(b, "a") && sees(failing, "b"));

                assertThat(failing.acquire("fault", RENEWING))
                        .failsWithin(Duration.ofSeconds(20))
                        .withThrowableOfType(ExecutionException.class)
                        .withMessageContaining("must be restarted");
                assertThat(failing.registers().read("register"))
                        .failsWithin(Duration.ofSeconds(20))
                        .withThrowableOfType(ExecutionException.class)
                        .withMessageContaining("must be restarted");

                Eventually.until("b sees that a is gone", () -> !sees(b, "a"));
                assertThat(b.monitor().status().hasMajority()).isFalse();
                Eventually.until("a has closed its side", () -> !sees(failing, "b"));
                assertThat(failing.monitor().status().state()).isEqualTo(NodeStatus.State.FAILED);
                assertThat(failing.monitor().status().hasMajority()).isFalse();
                Eventually.until("its port is free", () -> isFree(port(failing)));
            } finally {
                failing.stop();
            }
        }
    }

    private static PaxosLeaseOptions options(TestCell cell, String id) {
        return cell.options(id).build();
    }

    private static int port(PaxosLease node) {
        PaxosLeaseOptions options = node.monitor().options();
        return Objects.requireNonNull(options.peers().get(options.nodeId())).getPort();
    }

    /** A closed socket keeps its port until the selector has let go of it. */
    private static boolean isFree(int port) {
        try (ServerSocket other = RawConnection.listen(port)) {
            return other.isBound();
        } catch (IOException taken) {
            return false;
        }
    }

    private static boolean sees(PaxosLease node, String peer) {
        return node.monitor().peers().stream().anyMatch(each -> each.nodeId().equals(peer) && each.connected());
    }

    /** The machine, under a participant that does not survive a request for the resource {@code fault}. */
    private static final class FaultyEnvironment extends DelegatingEnvironment {

        FaultyEnvironment(NodeEnvironment machine) {
            super(machine);
        }

        @Override
        public LeaseAlgorithm newNode(Timing timing, Reading now) {
            LeaseAlgorithm node = machine.newNode(timing, now);
            return (LeaseAlgorithm) Proxy.newProxyInstance(
                    LeaseAlgorithm.class.getClassLoader(),
                    new Class<?>[] {LeaseAlgorithm.class},
                    (proxy, method, args) -> {
                        if (args != null
                                && args[0] instanceof Event.Acquire asked
                                && asked.request().resource().equals("fault")) {
                            throw new IllegalStateException("a fault");
                        }
                        try {
                            return method.invoke(node, args);
                        } catch (InvocationTargetException e) {
                            throw e.getCause();
                        }
                    });
        }
    }
}
