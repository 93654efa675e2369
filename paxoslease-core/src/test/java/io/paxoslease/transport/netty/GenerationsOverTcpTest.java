package io.paxoslease.transport.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.ConnectionRefusal;
import io.paxoslease.protocol.Event;
import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.Message;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.paxos.Ballot;
import io.paxoslease.protocol.paxos.PaxosMessage;
import io.paxoslease.testing.Eventually;
import io.paxoslease.testing.FreePorts;
import io.paxoslease.testing.LogCapture;
import io.paxoslease.transport.CellConfig;
import io.paxoslease.transport.Versions;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Section 9: nodes of one generation and of the next one, over real sockets. */
class GenerationsOverTcpTest {

    private static final Versions SECOND_RELEASE = new Versions(1, 2);

    private final Map<String, Integer> all =
            Map.of("a", FreePorts.next(), "b", FreePorts.next(), "d", FreePorts.next());
    private final CellConfig first = Endpoint.config("cell", "a", "b");
    private final CellConfig second = Endpoint.config("cell", 2, "a d", "a b");
    private LogCapture log;

    @BeforeEach
    void listen() {
        log = LogCapture.of(NettyTransport.class);
    }

    @AfterEach
    void close() {
        log.close();
    }

    private Map<String, Integer> ports(String... ids) {
        Map<String, Integer> ports = new HashMap<>();
        for (String id : ids) {
            ports.put(id, Objects.requireNonNull(all.get(id)));
        }
        return ports;
    }

    private Endpoint old(String self) throws IOException {
        return Endpoint.start(first, self, ports("a", "b"));
    }

    private Endpoint changed(String self) throws IOException {
        return Endpoint.start(second, self, all);
    }

    private static Event.GenerationMet met(Endpoint endpoint) throws InterruptedException {
        return Objects.requireNonNull(
                endpoint.generations.poll(Eventually.LIMIT.toMillis(), TimeUnit.MILLISECONDS), "no generation was met");
    }

    private static Message inMode() {
        return new PaxosMessage.InMode(3, (PaxosMessage.Request) Endpoint.request(1));
    }

    private static Message refused() {
        Ballot ballot = new Ballot(1, new Incarnation(1, 2));
        return new PaxosMessage.Refused("r", ballot, 1, PaxosMessage.Refusal.OTHER_GENERATION, 1);
    }

    private Message standing() {
        return new PaxosMessage.Standing(7, new Incarnation(3, 4), second.generation(), 1);
    }

    @Test
    void oneGenerationAndTheNextTellEachOtherAndTalk() throws Exception {
        try (Endpoint b = old("b");
                Endpoint a = changed("a")) {
            assertThat(met(a)).isEqualTo(new Event.GenerationMet(new NodeId("b"), first.generation(), 1));
            assertThat(met(b)).isEqualTo(new Event.GenerationMet(new NodeId("a"), second.generation(), 0));
            a.awaitConnected("b");
            b.awaitConnected("a");

            a.send("b", inMode(), new PaxosMessage.AskStanding(7));
            assertThat(Objects.requireNonNull(b.next()).message()).isEqualTo(inMode());
            assertThat(Objects.requireNonNull(b.next()).message()).isEqualTo(new PaxosMessage.AskStanding(7));
            b.send("a", standing(), refused());
            assertThat(Objects.requireNonNull(a.next()).message()).isEqualTo(standing());
            assertThat(Objects.requireNonNull(a.next()).message()).isEqualTo(refused());
            assertThat(a.others).isEmpty();
            assertThat(b.others).isEmpty();
        }
    }

    /** b has no address of d, which dials it. */
    @Test
    void aNewMemberIsSentToOverTheConnectionThatItMade() throws Exception {
        NodeId newMember = new NodeId("d");
        try (Endpoint b = Endpoint.start(first, "b", ports("a", "b"), 5)) {
            try (Endpoint d = changed("d")) {
                assertThat(met(b).node()).isEqualTo(newMember);
                assertThat(b.reachable.poll(Eventually.LIMIT.toMillis(), TimeUnit.MILLISECONDS))
                        .isEqualTo(newMember);
                d.awaitConnected("b");
                b.send("d", inMode());
                assertThat(Objects.requireNonNull(d.next()).message()).isEqualTo(inMode());
                d.send("b", standing());
                assertThat(b.next()).isEqualTo(new Endpoint.Arrival(newMember, standing()));
                assertThat(b.transport.clients().connected()).isZero();
                assertSecondProcessRefused();
            }
            assertThat(b.unreachable.poll(Eventually.LIMIT.toMillis(), TimeUnit.MILLISECONDS))
                    .isEqualTo(newMember);
            try (Endpoint again = changed("d")) {
                again.awaitConnected("b");
                b.send("d", inMode());
                assertThat(Objects.requireNonNull(again.next()).message()).isEqualTo(inMode());
            }
        }
    }

    private void assertSecondProcessRefused() throws IOException {
        Map<String, Integer> elsewhere = new HashMap<>(all);
        elsewhere.put("d", FreePorts.next());
        try (Endpoint twin = Endpoint.start(second, "d", elsewhere)) {
            log.await("peer 'b' refused this node: 'd' is connected already, from /127.0.0.1:");
            assertThat(twin.state("b").connected()).isFalse();
        }
    }

    @Test
    void aNodeTellsWhatItHasLearntOfASeal() throws Exception {
        try (Endpoint b = changed("b")) {
            b.transport.loop().execute(() -> b.transport.sealed(2));
            try (Endpoint a = changed("a")) {
                assertThat(met(a)).isEqualTo(new Event.GenerationMet(new NodeId("b"), second.generation(), 2));
                assertThat(met(b)).isEqualTo(new Event.GenerationMet(new NodeId("a"), second.generation(), 0));
            }
        }
    }

    /** A client is told by the members that it meets, and tells none: it has no say in who votes. */
    @Test
    void aClientIsToldOfTheNextGeneration() throws Exception {
        try (Endpoint a = Endpoint.start(second, "a", all, 5);
                Endpoint z = Endpoint.client(first, "z", ports("a", "b"), "orders")) {
            z.awaitConnected("a");
            assertThat(met(z)).isEqualTo(new Event.GenerationMet(new NodeId("a"), second.generation(), 0));
            assertThat(a.generations).isEmpty();
            z.send("a", inMode());
            assertThat(Objects.requireNonNull(a.next()).message()).isEqualTo(inMode());
        }
    }

    @Test
    void twoContentsOfOneGenerationRefuseEachOther() throws Exception {
        CellConfig other = Endpoint.config("cell", 2, "b d", "a b");
        try (Endpoint a = changed("a");
                Endpoint b = Endpoint.start(other, "b", all)) {
            String advice = ": each generation has one, so correct the file of the node that has the wrong one";
            log.await("peer 'a' refused this node: generation 2 has two contents: peers [b, d] at 'b' but [a, d] at 'a'"
                    + advice);
            log.await("peer 'b' refused this node: generation 2 has two contents: peers [a, d] at 'a' but [b, d] at 'b'"
                    + advice);
            Eventually.until("both hear of it", () -> !a.others.isEmpty() && !b.others.isEmpty());
            assertThat(a.generations).isEmpty();
        }
    }

    @Test
    void aNodeOfTheReleaseBeforeIsRefusedOnceTheCellChanges() throws Exception {
        try (Endpoint a = changed("a");
                Endpoint b = Endpoint.start(first, "b", ports("a", "b"), SECOND_RELEASE)) {
            log.await(
                    "peer 'a' refused this node: wire format version 1 meets version 3: the members of this cell change"
                            + " (paxoslease.generation is above 1), which that release does not know:"
                            + " upgrade every node before changing members");
            Eventually.until("a is refused as well", () -> a.state("b").refusal() == ConnectionRefusal.BY_PEER);
            assertThat(b.state("a").connected()).isFalse();
        }
    }

    @Test
    void aNodeOfTheReleaseBeforeIsSentNothingThatItDoesNotKnow() throws Exception {
        try (Endpoint a = old("a");
                Endpoint b = Endpoint.start(first, "b", ports("a", "b"), SECOND_RELEASE)) {
            a.awaitConnected("b");
            b.awaitConnected("a");
            a.send("b", inMode(), new PaxosMessage.AskStanding(7), Endpoint.request(2), standing(), refused());
            a.send("b", List.of(inMode()));
            a.send("b", Endpoint.request(3));

            assertThat(Objects.requireNonNull(b.next()).message()).isEqualTo(Endpoint.request(2));
            assertThat(Objects.requireNonNull(b.next()).message()).isEqualTo(Endpoint.request(3));
            assertThat(b.arrivals).isEmpty();
        }
    }
}
