package io.paxoslease.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.paxoslease.AcquireOptions;
import io.paxoslease.PaxosLease;
import io.paxoslease.PaxosLeaseOptions;
import io.paxoslease.monitor.NodeStatus;
import io.paxoslease.testing.Eventually;
import io.paxoslease.testing.FailingAppender;
import io.paxoslease.testing.FreePorts;
import io.paxoslease.testing.LogCapture;
import io.paxoslease.testing.NoThreads;
import io.paxoslease.testing.RawConnection;
import io.paxoslease.transport.Transport;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ScheduledExecutorService;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** An Error ends the start of a node: it reaches the caller, nothing of the node is left, and a later start works. */
class StartFaultTest {

    private final int port = FreePorts.next();
    /** Threads go by it. */
    private final String id = "a" + port;

    @Test
    void aNodeThatGetsNoThreadForItsLoopListensOnNoPort() throws IOException {
        try (PaxosLease node = PaxosLease.create(options())) {
            NoThreads.during(() -> failsToStart(node));
            assertNothingIsLeft(node);

            node.start();
            assertListens();
        }
    }

    /** When the connections are closed there is one again. */
    @Test
    void theWantOfAThreadIsNotTakenForAnAddressThatCannotBeListenedOn() throws IOException {
        try (PaxosLease node = PaxosLease.create(options())) {
            NoThreads.atFirst(1, () -> failsToStart(node));
            assertNothingIsLeft(node);

            node.start();
            assertListens();
        }
    }

    @Test
    void aCellOfOneThatGetsNoThreadForItsLoopIsNotRunning() throws InterruptedException {
        try (PaxosLease node =
                PaxosLease.create(PaxosLeaseOptions.builder("solo").build())) {
            NoThreads.during(() -> failsToStart(node));
            assertThat(node.monitor().isRunning()).isFalse();

            node.start();
            assertThat(node.tryAcquire("r", AcquireOptions.renewing())).isPresent();
        }
    }

    @Test
    void aNodeThatFailsWhenItListensAlreadyClosesItsPort() throws IOException {
        try (PaxosLease node = PaxosLease.create(options())) {
            try (LogCapture log = LogCapture.ofNode();
                    FailingAppender appender =
                            FailingAppender.onNode(line -> line.startsWith("PaxosLease node '" + id + "'"))) {
                failsToStart(node);
                assertThat(appender.failures()).isEqualTo(1);
                assertThat(log.count("started")).isEqualTo(1);
            }
            assertNothingIsLeft(node);

            node.start();
            assertListens();
        }
    }

    @Test
    void aNodeWhoseLoopTakesNoTaskClosesItsPortAndItsConnections() throws IOException {
        List<RawConnection> accepted = new ArrayList<>();
        boolean[] takesNoTask = {true};
        try (PaxosLease node = LocalNode.create(
                        options(),
                        options -> new UnwillingLoop(StartedNodes.environment(options), takesNoTask, () -> {
                            try {
                                accepted.add(RawConnection.to(port));
                            } catch (IOException e) {
                                throw new UncheckedIOException(e);
                            }
                        }))
                .handle()) {
            failsToStart(node);
            assertNothingIsLeft(node);
            for (RawConnection connection : accepted) {
                connection.awaitClosed();
            }

            takesNoTask[0] = false;
            node.start();
            assertListens();
            assertThat(accepted).hasSize(2);
        } finally {
            for (RawConnection connection : accepted) {
                connection.close();
            }
        }
    }

    private PaxosLeaseOptions options() {
        return PaxosLeaseOptions.builder(id)
                .cell("start-fault-" + port)
                .peer(id, "127.0.0.1:" + port)
                .peer("b", "127.0.0.1:" + FreePorts.next())
                .peer("c", "127.0.0.1:" + FreePorts.next())
                .build();
    }

    private static void failsToStart(PaxosLease node) {
        assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(node::start);
    }

    private void assertNothingIsLeft(PaxosLease node) throws IOException {
        assertThat(node.monitor().isRunning()).isFalse();
        assertThat(node.monitor().status().state()).isEqualTo(NodeStatus.State.STOPPED);
        try (ServerSocket other = RawConnection.listen(port)) {
            assertThat(other.isBound()).isTrue();
        }
        Eventually.until("no thread of the node is left", () -> threads().isEmpty());
    }

    private Set<Thread> threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("paxoslease-" + id))
                .collect(Collectors.toSet());
    }

    private void assertListens() throws IOException {
        RawConnection.to(port).close();
    }

    /** The machine, with a loop that takes no task of the node's once the node listens. */
    private static final class UnwillingLoop extends DelegatingEnvironment {

        private final boolean[] takesNoTask;
        private final Runnable whenOpened;

        UnwillingLoop(NodeEnvironment machine, boolean[] takesNoTask, Runnable whenOpened) {
            super(machine);
            this.takesNoTask = takesNoTask;
            this.whenOpened = whenOpened;
        }

        @Override
        public ScheduledExecutorService loop() {
            ScheduledExecutorService loop = machine.loop();
            return (ScheduledExecutorService) Proxy.newProxyInstance(
                    ScheduledExecutorService.class.getClassLoader(),
                    new Class<?>[] {ScheduledExecutorService.class},
                    (proxy, method, args) -> {
                        if (takesNoTask[0] && method.getName().equals("execute")) {
                            throw new OutOfMemoryError("unable to create native thread");
                        }
                        try {
                            return method.invoke(loop, args);
                        } catch (InvocationTargetException e) {
                            throw e.getCause();
                        }
                    });
        }

        @Override
        public void open(Transport.Receiver receiver) {
            super.open(receiver);
            whenOpened.run();
        }
    }
}
