package io.paxoslease.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.paxoslease.NodeMode;
import io.paxoslease.NodeStartException;
import io.paxoslease.PaxosLease;
import io.paxoslease.PaxosLeaseOptions;
import io.paxoslease.monitor.ConnectionRefusal;
import io.paxoslease.monitor.MembershipStatus;
import io.paxoslease.monitor.NodeStatus;
import io.paxoslease.monitor.PeerStatus;
import io.paxoslease.spring.NodeWithMembership;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.assertj.core.api.ThrowableAssert;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Three members run; another process comes. */
@Tag("slow")
class AdmissionTest {

    private static final Duration SHORT = Duration.ofMillis(200);
    private static final Duration LONG = Duration.ofSeconds(30);

    private final TestCell cell = new TestCell(3);
    private final List<PaxosLease> running = new ArrayList<>();

    @AfterEach
    void stop() {
        running.forEach(PaxosLease::stop);
    }

    private PaxosLease start(String node, Map<String, String> peers, Duration maxLeaseTime) {
        return start(PaxosLeaseOptions.builder(node)
                .peers(peers)
                .leaseTime(Duration.ofSeconds(1))
                .maxLeaseTime(maxLeaseTime)
                .maxClients(1));
    }

    private PaxosLease start(PaxosLeaseOptions.Builder options) {
        PaxosLease started = PaxosLease.create(options.cell("admission").build());
        started.start();
        running.add(started);
        return started;
    }

    private PaxosLease startClient(String id) {
        return start(PaxosLeaseOptions.builder(id)
                .mode(NodeMode.CLIENT)
                .contactPoint(Objects.requireNonNull(cell.peers().get("n1"))));
    }

    private static void awaitRefusal(PaxosLease client, ConnectionRefusal reason) {
        await().until(() -> client.monitor().peers().size() == 3
                && client.monitor().peers().stream().allMatch(peer -> peer.refusal() == reason));
    }

    private void startMembers(String... nodes) {
        for (String node : nodes) {
            start(node, cell.peers(), Duration.ofSeconds(2));
        }
        await().until(() -> running.stream()
                .allMatch(node -> node.monitor().peers().stream()
                                .filter(PeerStatus::connected)
                                .count()
                        == nodes.length - 1));
    }

    @Test
    void aMemberIsTaken() {
        startMembers("n1", "n2");
        PaxosLease third = start("n3", cell.peers(), Duration.ofSeconds(2));

        assertThatCode(() -> new Admission(third.monitor(), LONG, SHORT).await())
                .doesNotThrowAnyException();
        assertThat(third.monitor().status().hasMajority()).isTrue();
    }

    @Test
    void whoIsAloneIsNotKeptWaiting() {
        PaxosLease alone = start("n1", cell.peers(), Duration.ofSeconds(2));

        assertThatCode(() -> new Admission(alone.monitor(), LONG, SHORT).await())
                .doesNotThrowAnyException();
    }

    @Test
    void aSecondProcessWithTheIdOfAnotherDoesNotStart() throws Exception {
        startMembers("n1", "n2", "n3");
        PaxosLease second = start("n1", withFreePortFor("n1"), Duration.ofSeconds(2));

        assertThatExceptionOfType(NodeStartException.class)
                .isThrownBy(() -> new Admission(second.monitor(), LONG, SHORT).await())
                .withMessageContaining(
                        "Node 'n1' does not start: so many members refuse it that it could not reach a majority")
                .withMessageContaining("'n1' is connected already, from ")
                .withMessageContaining("give every process its own paxoslease.node-id");
    }

    @Test
    void anotherConfigurationThanTheMajoritysDoesNotStart() {
        startMembers("n1", "n2");
        PaxosLease other = start("n3", cell.peers(), Duration.ofSeconds(4));

        assertThatExceptionOfType(NodeStartException.class)
                .isThrownBy(() -> new Admission(other.monitor(), LONG, SHORT).await())
                .withMessageContaining("the maximum lease times differ, PT4S at 'n3' but PT2S at 'n1'")
                .withMessageContaining("Make the settings that they name the same on every node");
    }

    /** The members do not find n3 either: if they did, it would not matter. */
    @ParameterizedTest
    @CsvSource({"127.0.0.1, true", "localhost, true", "members.test, false"})
    void addressesThatAreSwappedStopTheStartUnlessTheyAreNamesThatMayMove(String host, boolean stops) throws Exception {
        Map<String, String> elsewhere = withFreePortFor("n3");
        start("n1", elsewhere, Duration.ofSeconds(2));
        start("n2", elsewhere, Duration.ofSeconds(2));
        PaxosLease third = start(PaxosLeaseOptions.builder("n3")
                .peer("n1", host + portOf("n2"))
                .peer("n2", host + portOf("n1"))
                .peer("n3", "127.0.0.1" + portOf("n3"))
                .resolver(address -> new InetSocketAddress(InetAddress.getLoopbackAddress(), address.getPort()))
                .leaseTime(Duration.ofSeconds(1))
                .maxLeaseTime(Duration.ofSeconds(2)));
        await().until(() ->
                third.monitor().peers().stream().allMatch(peer -> peer.refusal() == ConnectionRefusal.WRONG_NODE));

        ThrowableAssert.ThrowingCallable start = () -> new Admission(third.monitor(), LONG, SHORT).await();
        if (stops) {
            assertThatExceptionOfType(NodeStartException.class)
                    .isThrownBy(start)
                    .withMessageContaining(
                            "'n3' looks for 'n1' but reached 'n2': correct the address of 'n1' in the peers")
                    .withMessageContaining("'n3' looks for 'n2' but reached 'n1'");
        } else {
            assertThatCode(start).doesNotThrowAnyException();
        }
    }

    private String portOf(String node) {
        String address = Objects.requireNonNull(cell.peers().get(node));
        return address.substring(address.indexOf(':'));
    }

    /** It would be silent beside it, and two of three with the same mistake would be a majority. */
    @Test
    void besideAMemberThatServesWithAnotherConfigurationItDoesNotStart() {
        startMembers("n1");
        await().until(() -> running.get(0).monitor().status().state() == NodeStatus.State.SERVING);
        PaxosLease other = start("n2", cell.peers(), Duration.ofSeconds(4));

        assertThatExceptionOfType(NodeStartException.class)
                .isThrownBy(() -> new Admission(other.monitor(), LONG, SHORT).await())
                .withMessageContaining("Node 'n2' does not start: its cell serves with another configuration")
                .withMessageContaining("the maximum lease times differ, PT4S at 'n2' but PT2S at 'n1'")
                .withMessageContaining("set on every node generation: 2, paxoslease.max-lease-time")
                .withMessageContaining("Do what these lines say")
                .withMessageContaining("stop every node, wait PT4.889S, and start them all");
    }

    /** One that is wrong itself must not keep the others down. */
    @Test
    void aMinorityThatRefusesIsNoReasonNotToStart() {
        start("n1", cell.peers(), Duration.ofSeconds(4));
        PaxosLease right = start("n2", cell.peers(), Duration.ofSeconds(2));
        await().until(() -> right.monitor().peers().get(0).refusal() != null);

        assertThatCode(() -> new Admission(right.monitor(), LONG, SHORT).await())
                .doesNotThrowAnyException();
    }

    /** It is told to come back later, and comes back by itself. */
    @Test
    void aClientStartsAlsoIfTheMembersHaveNoRoomForItYet() {
        startMembers("n1", "n2", "n3");
        PaxosLease first = startClient("z1");
        await().until(() -> first.monitor().status().hasMajority()
                && first.monitor().peers().stream().allMatch(PeerStatus::connected));
        PaxosLease second = startClient("z2");
        awaitRefusal(second, ConnectionRefusal.BUSY);

        assertThatCode(() -> new Admission(second.monitor(), LONG, SHORT).await())
                .doesNotThrowAnyException();
    }

    /** The contact points are right. */
    @Test
    void aClientThatTheMembersRefuseIsToldWhy() {
        startMembers("n1", "n2", "n3");
        PaxosLease first = startClient("z");
        await().until(() -> first.monitor().peers().size() == 3
                && first.monitor().peers().stream().allMatch(PeerStatus::connected));
        PaxosLease second = startClient("z");
        awaitRefusal(second, ConnectionRefusal.BY_PEER);

        assertThatExceptionOfType(NodeStartException.class)
                .isThrownBy(() -> new Admission(second.monitor(), LONG, SHORT).await())
                .withMessageContaining(
                        "Node 'z' does not start: so many members refuse it that it could not reach a majority")
                .withMessageContaining("client 'z' is connected already, from ")
                .withMessageContaining("give every process its own paxoslease.node-id");
    }

    /** R7: it would not vote, and its file has to be corrected before the next restart. */
    @Test
    void aMemberWhoseGenerationIsOverDoesNotStart() {
        startMembers("n1", "n2");
        PaxosLease third = start("n3", cell.peers(), Duration.ofSeconds(2));

        assertThatExceptionOfType(NodeStartException.class)
                .isThrownBy(() -> new Admission(NodeWithMembership.of(third, from3To4(1, 2)), LONG, SHORT).await())
                .withMessageContaining(
                        "Node 'n3' does not start: its cell has changed to generation 2, which is sealed, and this node is configured with generation 1")
                .withMessageContaining(
                        "Set paxoslease.generation to 2, paxoslease.peers to [n1, n2, n3, n4] and paxoslease.previous-peers to [n1, n2, n3]");
        assertThatCode(() -> new Admission(NodeWithMembership.of(third, from3To4(2, 2)), LONG, SHORT).await())
                .doesNotThrowAnyException();
        assertThatCode(() -> new Admission(NodeWithMembership.of(third, from3To4(1, 1)), LONG, SHORT).await())
                .doesNotThrowAnyException();
    }

    /** Its proposer follows the members. */
    @Test
    void aClientOfAnEarlierGenerationStarts() {
        PaxosLease client = PaxosLease.create(PaxosLeaseOptions.builder("x")
                .mode(NodeMode.CLIENT)
                .peers(cell.peers())
                .cell("admission")
                .build());
        client.start();
        running.add(client);

        assertThatCode(() -> new Admission(NodeWithMembership.of(client, from3To4(1, 2)), SHORT, SHORT).await())
                .doesNotThrowAnyException();
    }

    /** Without two of three there is no majority, without two of five there is. */
    @Test
    void untilTheSealAMajorityOfEachListMustNotRefuse() {
        PaxosLease node = start("n3", cell.peers(), Duration.ofSeconds(2));
        List<PeerStatus> peers = List.of(refusing("n1"), refusing("n2"), connected("n4"), connected("n5"));
        List<String> five = List.of("n1", "n2", "n3", "n4", "n5");
        MembershipStatus joint = new MembershipStatus(
                2, 2, MembershipStatus.Mode.JOINT, 1, five, cell.nodes(), List.of(), null, Duration.ZERO);
        MembershipStatus sealed = new MembershipStatus(
                2, 2, MembershipStatus.Mode.SEALED, 2, five, cell.nodes(), List.of(), null, Duration.ZERO);

        assertThatExceptionOfType(NodeStartException.class)
                .isThrownBy(() -> new Admission(NodeWithMembership.of(node, joint, peers), SHORT, SHORT).await())
                .withMessageContaining("so many members refuse it that it could not reach a majority");
        assertThatCode(() -> new Admission(NodeWithMembership.of(node, sealed, peers), SHORT, SHORT).await())
                .doesNotThrowAnyException();
    }

    private static PeerStatus connected(String id) {
        return new PeerStatus(id, "", true, null, null, null, null, null);
    }

    private static PeerStatus refusing(String id) {
        return new PeerStatus(id, "", false, id + " refused this node", ConnectionRefusal.BY_PEER, null, null, null);
    }

    private static MembershipStatus from3To4(int configured, int sealed) {
        return new MembershipStatus(
                configured,
                2,
                sealed == 2 ? MembershipStatus.Mode.SEALED : MembershipStatus.Mode.JOINT,
                sealed,
                List.of("n1", "n2", "n3", "n4"),
                List.of("n1", "n2", "n3"),
                List.of(),
                null,
                Duration.ZERO);
    }

    @Test
    void anInterruptEndsTheWait() throws Exception {
        startMembers("n1", "n2", "n3");
        PaxosLease second = start("n1", withFreePortFor("n1"), Duration.ofSeconds(2));

        Thread.currentThread().interrupt();
        new Admission(second.monitor(), LONG, LONG).await();
        assertThat(Thread.interrupted()).isTrue();
    }

    private Map<String, String> withFreePortFor(String node) throws Exception {
        Map<String, String> peers = new HashMap<>(cell.peers());
        try (ServerSocket free = TestCell.freePort()) {
            peers.put(node, "127.0.0.1:" + free.getLocalPort());
        }
        return peers;
    }
}
