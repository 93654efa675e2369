package io.paxoslease;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.paxoslease.election.LeaderCandidate;
import io.paxoslease.election.LeaderElection;
import io.paxoslease.election.Leadership;
import io.paxoslease.locks.LeaseLock;
import io.paxoslease.locks.LeaseLocks;
import io.paxoslease.locks.LockOptions;
import io.paxoslease.monitor.ConnectionRefusal;
import io.paxoslease.monitor.NodeObserver;
import io.paxoslease.monitor.NodeStatus;
import io.paxoslease.monitor.PeerStatus;
import io.paxoslease.testing.Eventually;
import io.paxoslease.testing.Futures;
import io.paxoslease.testing.LogCapture;
import io.paxoslease.testing.TestCa;
import io.paxoslease.testing.TestCell;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Clients that are not told who the members are, but where to ask, over TCP. */
@Tag("slow")
class ContactPointsTest {

    private static final AcquireOptions RENEWING = AcquireOptions.renewing();
    private static final Duration SHORT = Duration.ofMillis(200);
    private static final Duration LEASE = Duration.ofSeconds(1);

    private final TestCell cell = TestCell.of(LEASE, "a", "b", "c");
    private final List<AutoCloseable> opened = new ArrayList<>();

    @AfterEach
    void stop() throws Exception {
        for (AutoCloseable each : opened) {
            each.close();
        }
        cell.close();
    }

    private String address(String member) {
        return Objects.requireNonNull(cell.addresses().get(member), member);
    }

    private PaxosLeaseOptions.Builder client(String... contactPoints) {
        return named("z", contactPoints);
    }

    private PaxosLeaseOptions.Builder named(String id, String... contactPoints) {
        PaxosLeaseOptions.Builder builder = PaxosLeaseOptions.builder(id)
                .cell(cell.name())
                .mode(NodeMode.CLIENT)
                .application("orders");
        for (String each : contactPoints) {
            builder.contactPoint(each);
        }
        return builder;
    }

    private PaxosLease start(PaxosLeaseOptions.Builder options) {
        PaxosLease client = PaxosLease.create(options.build());
        opened.add(client);
        client.start();
        return client;
    }

    private void startMembers() {
        cell.start("a");
        cell.start("b");
        cell.start("c");
        cell.awaitServing();
    }

    private static void awaitJoined(PaxosLease client) {
        Eventually.until(
                "it has joined",
                () -> client.monitor().status().state() == NodeStatus.State.SERVING
                        && client.monitor().peers().stream().allMatch(PeerStatus::connected));
    }

    /** Until its only contact point is known to be of no help, for that reason. */
    private static PeerStatus awaitProblem(PaxosLease client, String text) {
        Eventually.until("it says: " + text, () -> client.monitor().peers().stream()
                .anyMatch(peer -> String.valueOf(peer.problem()).contains(text)));
        assertThat(client.monitor().status().state()).isEqualTo(NodeStatus.State.JOINING);
        assertThat(client.monitor().status().hasMajority()).isFalse();
        return client.monitor().peers().get(0);
    }

    @Test
    void anObserverHearsOfTheMembersWhenTheClientHasJoined() {
        PaxosLease client = start(client(address("b")));
        List<String> told = new CopyOnWriteArrayList<>();
        client.monitor().addObserver(new NodeObserver() {
            @Override
            public void peerAdded(String peer) {
                told.add(peer);
            }
        });
        assertThat(told).as("a contact point is no peer").isEmpty();
        startMembers();
        awaitJoined(client);
        assertThat(told).containsExactlyInAnyOrder("a", "b", "c");
    }

    private int serve(ThrowingServer answer) throws IOException {
        ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        opened.add(server);
        Thread thread = new Thread(() -> {
            while (!server.isClosed()) {
                try (var socket = server.accept()) {
                    answer.to(socket);
                } catch (IOException closed) {
                    return;
                }
            }
        });
        thread.setDaemon(true);
        thread.start();
        return server.getLocalPort();
    }

    private interface ThrowingServer {
        void to(Socket socket) throws IOException;
    }

    @Test
    void oneMemberTellsWhoTheOthersAreAndWhatTheyGrant() throws InterruptedException {
        startMembers();
        PaxosLease client = start(client(address("b")));
        Lease lease = client.tryAcquire("r", RENEWING).orElseThrow();
        awaitJoined(client);

        assertThat(lease.isHeld()).isTrue();
        assertThat(cell.node("a")
                        .tryAcquire(
                                "r", RENEWING.toBuilder().maxWait(Duration.ZERO).build()))
                .isEmpty();
        assertThat(client.monitor().peers()).extracting(PeerStatus::nodeId).containsExactly("a", "b", "c");
        assertThat(client.monitor().peers())
                .extracting(PeerStatus::address)
                .containsExactly(address("a"), address("b"), address("c"));
        assertThat(client.monitor().options().maxLeaseTime()).isEqualTo(LEASE);
        assertThat(client.monitor().options().leaseTime())
                .as("3 s, which is too long here")
                .isEqualTo(LEASE);
        assertThat(client.monitor().options().contactPoints()).isEmpty();
        assertThat(client.monitor().status().majority()).isEqualTo(2);
    }

    @Test
    void theLongestLeaseOfTheCellBoundsTheClients() {
        startMembers();
        try (LogCapture log = LogCapture.ofNode()) {
            PaxosLease client = start(client(address("b")));
            awaitJoined(client);

            assertThat(log.warnings("The longest lease of cell")).hasSize(1);
            assertThatExceptionOfType(IllegalArgumentException.class)
                    .isThrownBy(() -> client.acquire("r", AcquireOptions.fixed(Duration.ofSeconds(2))))
                    .withMessageContaining("at most the cell's maximum lease time, PT1S");
        }
    }

    @Test
    void whoAsksBeforeTheMembersAreUpWaitsForThem() throws Exception {
        PaxosLease client = start(client(address("a"), address("b")));
        CompletableFuture<Lease> asked = client.acquire("r", RENEWING);
        CompletableFuture<Lease> impatient =
                client.acquire("s", RENEWING.toBuilder().maxWait(SHORT).build());
        CompletableFuture<Lease> tooLong = client.acquire("t", AcquireOptions.fixed(Duration.ofSeconds(2)));
        CompletableFuture<Lease> cancelled = client.acquire("u", RENEWING);
        LeaseLock lock = new LeaseLocks(client, LockOptions.defaults()).get("k");

        assertThat(client.monitor().isRunning()).isTrue();
        assertThat(client.tryAcquire(
                        "r", RENEWING.toBuilder().maxWait(Duration.ZERO).build()))
                .isEmpty();
        assertThat(client.tryAcquire("r", RENEWING.toBuilder().maxWait(SHORT).build()))
                .isEmpty();
        assertThat(lock.tryLock()).isFalse();
        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(() -> impatient.get(10, TimeUnit.SECONDS))
                .withCauseInstanceOf(LeaseTimeoutException.class)
                .withMessageContaining("no contact point has said yet who the members are");
        PeerStatus contact = awaitProblem(client, "cannot be reached");
        assertThat(contact.address()).isIn(address("a"), address("b"));
        assertThat(asked).isNotDone();
        assertThat(cancelled.cancel(false)).isTrue();

        startMembers();
        assertThat(Futures.get(asked).isHeld()).isTrue();
        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(() -> tooLong.get(10, TimeUnit.SECONDS))
                .withMessageContaining("at most the cell's maximum lease time");
        assertThat(lock.tryLock(10, TimeUnit.SECONDS)).isTrue();
        lock.unlock();
        assertThat(cell.node("a")
                        .tryAcquire(
                                "u", RENEWING.toBuilder().maxWait(Duration.ZERO).build()))
                .as("cancelled")
                .isPresent();
    }

    @Test
    void anElectionThatWasStartedBeforeLeads() throws InterruptedException {
        CountDownLatch leads = new CountDownLatch(1);
        PaxosLease client = start(client(address("c")));
        LeaderElection election = LeaderElection.builder(client, "r").build(new LeaderCandidate() {
            @Override
            public void onGranted(Leadership leadership) {
                leads.countDown();
            }

            @Override
            public void onRevoked(Leadership leadership) {}
        });
        election.start();
        opened.add(0, () -> election.stop(SHORT));
        awaitProblem(client, "cannot be reached");
        startMembers();

        assertThat(leads.await(20, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void stoppingEndsAllWaits() throws Exception {
        PaxosLease client = start(named("stopping", address("a")));
        CompletableFuture<Lease> asked = client.acquire("r", RENEWING);
        CompletableFuture<Object> waiting = CompletableFuture.supplyAsync(() -> {
            try {
                return client.tryAcquire("r", RENEWING);
            } catch (InterruptedException e) {
                return e;
            }
        });
        awaitProblem(client, "cannot be reached");
        client.stop();

        assertThat(asked)
                .failsWithin(Duration.ofSeconds(10))
                .withThrowableThat()
                .withMessageContaining("not running");
        assertThat(waiting)
                .failsWithin(Duration.ofSeconds(10))
                .withThrowableThat()
                .withMessageContaining("not running");
        assertThat(client.monitor().isRunning()).isFalse();
        assertThat(client.monitor().status().state()).isEqualTo(NodeStatus.State.STOPPED);
        Eventually.until("its threads have ended", () -> Thread.getAllStackTraces().keySet().stream()
                .noneMatch(thread -> thread.getName().startsWith("paxoslease-stopping-")));
        startMembers();
        client.start();
        assertThat(client.tryAcquire("r", RENEWING)).isPresent();
    }

    @Test
    void aContactPointOfAnotherCellIsRefused() {
        cell.start("a");
        PaxosLease client = start(client(address("a")).cell("elsewhere"));
        PeerStatus contact = awaitProblem(client, "refused this client: cell 'elsewhere' meets cell '" + cell.name());
        assertThat(contact.refusal()).isEqualTo(ConnectionRefusal.BY_PEER);
        assertThat(cell.node("a").monitor().refusedConnections().get(ConnectionRefusal.CELL))
                .isPositive(); // it asks again
    }

    @Test
    void aClientWithTheIdOfAMemberIsRefused() {
        cell.start("a");
        PaxosLeaseOptions.Builder twin = PaxosLeaseOptions.builder("b")
                .cell(cell.name())
                .mode(NodeMode.CLIENT)
                .contactPoint(address("a"));
        awaitProblem(start(twin), "'b' is the id of a member: give the client another, or none");
    }

    @Test
    void membersThatAdmitNoClientsSaySo() {
        cell.start(cell.options("a").maxClients(0).build());
        awaitProblem(start(client(address("a"))), "'a' admits no clients: see maxClients there");
    }

    @Test
    void whatIsNoMemberIsNamed() throws IOException {
        int web = serve(socket ->
                socket.getOutputStream().write("HTTP/1.1 400 Bad Request\r\n\r\n".getBytes(StandardCharsets.US_ASCII)));
        awaitProblem(start(client("127.0.0.1:" + web)), "sent something that is no PaxosLease frame");
        int silent = serve(socket -> {});
        awaitProblem(
                start(client("127.0.0.1:" + silent)),
                "closed the connection without an answer: it is stopping, is no member");
    }

    @Test
    void aNameThatDoesNotResolveIsNamed() {
        PaxosLease client = start(client("no.such.host.invalid:7400"));
        awaitProblem(client, "the host of contact point no.such.host.invalid:7400 does not resolve: correct it");
    }

    /** One name of the cell leads to all its members, one of which is up. */
    @Test
    void aNameIsLookedUpEachTime() {
        startMembers();
        int port = Integer.parseInt(address("b").substring("127.0.0.1:".length()));
        List<InetSocketAddress> asked = new ArrayList<>();
        PaxosLease client = start(client("lease.test:7400").resolver(address -> {
            if (!address.getHostString().equals("lease.test")) {
                return new InetSocketAddress(address.getHostString(), address.getPort());
            }
            asked.add(address);
            return asked.size() < 3 ? address : InetSocketAddress.createUnresolved("localhost", port);
        }));
        awaitJoined(client);
        assertThat(asked).hasSizeGreaterThanOrEqualTo(3);
    }

    @Test
    void aResolverThatThrowsIsAskedAgain() {
        startMembers();
        List<InetSocketAddress> asked = new ArrayList<>();
        PaxosLease client = start(client(address("a")).resolver(address -> {
            asked.add(address);
            if (asked.size() == 1) {
                throw new IllegalStateException("no directory");
            }
            return new InetSocketAddress(address.getHostString(), address.getPort());
        }));
        awaitJoined(client);
    }

    @Test
    void overTlsTheMemberIsTheOneThatItsCertificateNames() throws InterruptedException {
        TestCa ca = new TestCa("cell");
        for (String id : List.of("a", "b", "c")) {
            cell.start(cell.options(id)
                    .tls(ca.tls(ca.certificate(id)).verifyNodeIds(true).build())
                    .build());
        }
        cell.awaitServing();
        PaxosLease client = start(client(address("c"))
                .tls(ca.tls(ca.certificate("z")).verifyNodeIds(true).build()));
        assertThat(client.tryAcquire("r", RENEWING)).isPresent();

        TestCa strangers = new TestCa("strangers");
        awaitProblem(
                start(client(address("c"))
                        .tls(strangers
                                .tls(strangers.certificate("z"))
                                .verifyNodeIds(true)
                                .build())),
                "is refused: ");
        awaitProblem(start(client(address("c"))), "is refused: it speaks TLS, and this node does not");
    }

    @Test
    void overTlsAMemberThatDoesNotCheckIdsRefuses() {
        TestCa ca = new TestCa("cell");
        cell.start(cell.options("a").tls(ca.tls(ca.certificate("a")).build()).build());
        awaitProblem(
                start(client(address("a"))
                        .tls(ca.tls(ca.certificate("z")).verifyNodeIds(true).build())),
                "turn verifyNodeId on, on every node");
    }
}
