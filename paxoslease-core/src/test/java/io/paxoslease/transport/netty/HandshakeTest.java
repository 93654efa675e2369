package io.paxoslease.transport.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.protocol.NodeId;
import io.paxoslease.testing.Eventually;
import io.paxoslease.testing.FreePorts;
import io.paxoslease.testing.LogCapture;
import io.paxoslease.transport.CellConfig;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Nodes that must not talk to each other: each side says so in one line, however often they try. */
class HandshakeTest {

    private static final String PEERS = Endpoint.marks("peers");
    private static final String LEASES = Endpoint.marks("maxLeaseTime");
    private static final String DRIFTS = Endpoint.marks("clockDrift");
    private static final NodeId A = new NodeId("a");
    private static final NodeId B = new NodeId("b");

    private final int portA = FreePorts.next();
    private final int portB = FreePorts.next();
    private final int nowhere = FreePorts.next();
    private final Map<String, Integer> ports = Map.of("a", portA, "b", portB);
    private final CellConfig plain = Endpoint.config("cell", "a", "b");
    private LogCapture log;

    @BeforeEach
    void listen() {
        log = LogCapture.of(NettyTransport.class);
    }

    @AfterEach
    void close() {
        log.close();
    }

    @Test
    void nodesOfTwoCellsRefuseEachOther() throws IOException {
        CellConfig other = Endpoint.config("other", "a", "b");
        String toB = "cell 'cell' meets cell 'other': give every node the same cell name, or correct the address";
        String toA = "cell 'other' meets cell 'cell': give every node the same cell name, or correct the address";

        refuseEachOther(other, toB, toA);
    }

    @Test
    void nodesWithOtherMembersRefuseEachOther() throws IOException {
        CellConfig other = Endpoint.config("cell", "a", "b", "c");

        refuseEachOther(
                other,
                "the peers differ, [a, b] at 'a' but [a, b, c] at 'b'" + PEERS + ": configure the same on every node",
                "the peers differ, [a, b, c] at 'b' but [a, b] at 'a'" + PEERS + ": configure the same on every node");
    }

    @Test
    void nodesWithAnotherMaximumRefuseEachOther() throws IOException {
        CellConfig other = new CellConfig("cell", List.of(A, B), Duration.ofSeconds(2), 0.1);

        refuseEachOther(
                other,
                "the maximum lease times differ, PT1S at 'a' but PT2S at 'b'" + LEASES
                        + ": configure the same on every node",
                "the maximum lease times differ, PT2S at 'b' but PT1S at 'a'" + LEASES
                        + ": configure the same on every node");
    }

    @Test
    void nodesWithAnotherDriftRefuseEachOther() throws IOException {
        CellConfig other = new CellConfig("cell", List.of(A, B), Endpoint.M, 0.2);

        refuseEachOther(
                other,
                "the clock drift bounds differ, 0.1 at 'a' but 0.2 at 'b'" + DRIFTS
                        + ": configure the same on every node",
                "the clock drift bounds differ, 0.2 at 'b' but 0.1 at 'a'" + DRIFTS
                        + ": configure the same on every node");
    }

    private void refuseEachOther(CellConfig configOfB, String toB, String toA) throws IOException {
        try (Endpoint a = Endpoint.start(plain, "a", ports);
                Endpoint b = Endpoint.start(configOfB, "b", ports)) {
            List<String> expected = List.of(
                    "refused 127.0.0.1: " + toB,
                    "peer 'b' refused this node: " + toB,
                    "refused 127.0.0.1: " + toA,
                    "peer 'a' refused this node: " + toA);
            expected.forEach(line -> log.awaitCount(line, 3));

            for (String line : expected) {
                assertThat(log.warnings(line)).containsExactly("WARN " + line);
            }
            assertThat(a.state("b").connected()).isFalse();
            assertThat(a.state("b").problem()).isEqualTo("peer 'b' refused this node: " + toB);
            assertThat(b.state("a").connected()).isFalse();
            assertThat(a.reachable).isEmpty();
            assertThat(b.reachable).isEmpty();
        }
    }

    @Test
    void aStrangerIsRefused() throws IOException {
        try (Endpoint b = Endpoint.start(plain, "b", Map.of("a", nowhere, "b", portB));
                Endpoint z = Endpoint.start(Endpoint.config("cell", "z", "b"), "z", Map.of("z", portA, "b", portB))) {
            refusedOnce(
                    "b",
                    "'z' is no other member of this cell; the members at 'b' are [a, b]" + PEERS + ": "
                            + "list the same peers on every node");
            assertThat(b.reachable).isEmpty();
            assertThat(z.reachable).isEmpty();
        }
    }

    @Test
    void anotherNodeAtTheAddressRefuses() throws IOException {
        CellConfig three = Endpoint.config("cell", "a", "b", "c");
        try (Endpoint c = Endpoint.start(three, "c", Map.of("a", nowhere, "b", nowhere, "c", portB));
                Endpoint a = Endpoint.start(three, "a", Map.of("a", portA, "b", portB, "c", FreePorts.next()))) {
            refusedOnce("b", "'a' looks for 'b' but reached 'c': correct the address of 'b' in the peers");
            assertThat(a.reachable).isEmpty();
            assertThat(c.reachable).isEmpty();
        }
    }

    @Test
    void aNodeThatReachesItselfRefuses() throws IOException {
        try (Endpoint a = Endpoint.start(plain, "a", Map.of("a", portA, "b", portA))) {
            refusedOnce(
                    "b",
                    "'a' is no other member of this cell; the members at 'a' are [a, b]: "
                            + "list the same peers on every node");
            assertThat(a.reachable).isEmpty();
        }
    }

    @Test
    void aSecondProcessWithTheSameIdIsRefused() throws IOException, InterruptedException {
        CellConfig three = Endpoint.config("cell", "a", "b", "c");
        int portC = FreePorts.next();
        try (Endpoint b = Endpoint.start(three, "b", Map.of("a", portA, "b", portB, "c", nowhere));
                Endpoint first = Endpoint.start(three, "a", Map.of("a", portA, "b", portB, "c", nowhere))) {
            b.awaitBothConnections("a"); // the refusal names one of them, and is news when that changes
            try (Endpoint second = Endpoint.start(three, "a", Map.of("a", portC, "b", portB, "c", nowhere))) {
                String why = "'a' is connected already, from 127.0.0.1:";
                log.awaitCount("peer 'b' refused this node: " + why, 3);

                assertThat(log.warnings("refused 127.0.0.1: " + why)).hasSize(1);
                assertThat(log.warnings("peer 'b' refused this node: " + why))
                        .singleElement()
                        .asString()
                        .endsWith(": give every process a node id of its own");
                second.send("b", Endpoint.request(1));
                first.send("b", Endpoint.request(2));
                assertThat(b.next()).isEqualTo(new Endpoint.Arrival(A, Endpoint.request(2)));
                assertThat(second.state("b").connected()).isFalse();
            }
        }
    }

    /** The first process is connected; this node then looks at the peer's address and finds another one there. */
    @Test
    void aSecondProcessAtThePeersAddressIsRefused() throws IOException {
        int elsewhere = FreePorts.next();
        try (Endpoint b = Endpoint.start(plain, "b", ports);
                Endpoint first = Endpoint.start(plain, "a", Map.of("a", elsewhere, "b", portB))) {
            first.awaitConnected("b");
            b.awaitConnected("a");
            try (Endpoint second = Endpoint.start(plain, "a", ports)) {
                log.await("refused 127.0.0.1: 'a' is connected already, from 127.0.0.1:");

                assertThat(b.state("a").connected()).isTrue();
                // It has welcomed b, which looked for a there, and hears a moment later that it is not the one.
                Eventually.until("the second process is not connected", () -> !second.state("b")
                        .connected());
            }
        }
    }

    @Test
    void aSecondProcessIsAdmittedWhenTheFirstIsGone() throws IOException {
        try (Endpoint b = Endpoint.start(plain, "b", ports)) {
            try (Endpoint first = Endpoint.start(plain, "a", ports)) {
                first.awaitConnected("b");
                b.awaitConnected("a");
            }
            try (Endpoint second = Endpoint.start(plain, "a", ports)) {
                second.awaitConnected("b");
                b.awaitConnected("a");
            }
        }
    }

    private void refusedOnce(String peer, String why) {
        String there = "refused 127.0.0.1: " + why;
        String here = "peer '" + peer + "' refused this node: " + why;
        log.awaitCount(there, 3);
        log.awaitCount(here, 3);
        assertThat(log.warnings(there)).containsExactly("WARN " + there);
        assertThat(log.warnings(here)).containsExactly("WARN " + here);
    }
}
