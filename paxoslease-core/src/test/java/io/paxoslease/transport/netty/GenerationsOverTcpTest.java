package io.paxoslease.transport.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.protocol.Event;
import io.paxoslease.protocol.Generation;
import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.Message;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.paxos.Ballot;
import io.paxoslease.protocol.paxos.PaxosMessage;
import io.paxoslease.testing.Eventually;
import io.paxoslease.testing.FreePorts;
import io.paxoslease.testing.LogCapture;
import io.paxoslease.testing.RawConnection;
import io.paxoslease.testing.RawConnection.Frame;
import io.paxoslease.transport.CellConfig;
import io.paxoslease.transport.ComingMembers;
import io.paxoslease.transport.Frames;
import io.paxoslease.transport.Hello;
import io.paxoslease.transport.Versions;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Section 9: nodes of one generation and of the next one, over real sockets. */
class GenerationsOverTcpTest {

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
        return new PaxosMessage.InMode(3, 9, (PaxosMessage.Request) Endpoint.request(1));
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
            log.await("peer 'b' refused this node: 'd' is connected already, from 127.0.0.1:");
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

    private static void awaitConnected(Endpoint endpoint, String member) {
        Eventually.until("connected to " + member, () -> endpoint.transport.peers().stream()
                .anyMatch(peer -> peer.node().name().equals(member) && peer.connected()));
    }

    private static List<String> called(Endpoint endpoint) {
        return endpoint.transport.peers().stream()
                .map(peer -> peer.node().name())
                .sorted()
                .toList();
    }

    /** d dials b, which dials d as soon as d has told where it is; peers show it with its address. */
    @Test
    void aMemberCallsTheMembersThatTheNextListBrings() throws Exception {
        try (Endpoint b = old("b");
                Endpoint d = changed("d")) {
            awaitConnected(b, "d");
            awaitConnected(d, "b");
            assertThat(called(b)).containsExactly("a", "d");
            assertThat(b.state("d").address())
                    .isEqualTo(InetSocketAddress.createUnresolved("127.0.0.1", Objects.requireNonNull(all.get("d"))));
            b.awaitBothConnections("d");
            d.awaitBothConnections("b");
            b.send("d", inMode());
            assertThat(Objects.requireNonNull(d.next()).message()).isEqualTo(inMode());
        }
    }

    /** Nothing but a member of the old list reaches the client, and that has heard of d from d. */
    @Test
    void aClientHearsOfNewMembersFromOldOnesAndCallsThem() throws Exception {
        try (Endpoint b = Endpoint.start(first, "b", ports("a", "b"), 5);
                Endpoint z = Endpoint.client(first, "z", ports("a", "b"), "orders")) {
            z.awaitConnected("b");
            assertThat(b.transport.clients().connected()).isOne();
            try (Endpoint d = Endpoint.start(second, "d", all, 5)) {
                awaitConnected(z, "d");
                assertThat(met(z)).isEqualTo(new Event.GenerationMet(new NodeId("b"), first.generation(), 1));
                assertThat(met(z)).isEqualTo(new Event.GenerationMet(new NodeId("b"), second.generation(), -1));
                assertThat(d.transport.clients().connected()).isOne();
                assertThat(called(z)).containsExactly("a", "b", "d");
            }
        }
    }

    /** Members cannot know all ids of clients when a list is stored. While there is no member of that id, the client is answered. */
    @Test
    void aClientWhoseIdTheNextListHasIsAnsweredUntilThatMemberIsThere() throws Exception {
        NodeId both = new NodeId("d");
        Endpoint client = Endpoint.client(first, "d", ports("a", "b"), "orders");
        try (Endpoint b = Endpoint.start(first, "b", ports("a", "b"), 5);
                client) {
            client.awaitConnected("b");
            b.transport
                    .loop()
                    .submit(() -> b.transport.coming(second.generation(), coming().addresses()))
                    .get();
            assertThat(called(b)).containsExactly("a", "d");
            client.send("b", Endpoint.request(2));
            assertThat(b.next()).isEqualTo(new Endpoint.Arrival(both, Endpoint.request(2)));
            b.send("d", refused());
            assertThat(Objects.requireNonNull(client.next()).message()).isEqualTo(refused());

            try (Endpoint member = changed("d")) {
                b.awaitBothConnections("d");
                member.awaitConnected("b");
                b.send("d", inMode());
                assertThat(Objects.requireNonNull(member.next()).message()).isEqualTo(inMode());
                b.unreachable.clear();
                client.close();
                Eventually.until(
                        "the client is gone", () -> b.transport.clients().connected() == 0);
                b.transport.loop().submit(() -> {}).get();
                assertThat(b.unreachable)
                        .as("the member is another node, and still there")
                        .isEmpty();
            }
            assertThat(b.unreachable.poll(Eventually.LIMIT.toMillis(), TimeUnit.MILLISECONDS))
                    .isEqualTo(both);
        }
    }

    private ComingMembers coming() {
        Map<NodeId, InetSocketAddress> addresses = new HashMap<>();
        all.forEach((id, port) -> addresses.put(new NodeId(id), InetSocketAddress.createUnresolved("127.0.0.1", port)));
        return new ComingMembers(second.generation(), addresses);
    }

    /** A client has no say in who votes: what it tells of a change ends its connection, and so does a stranger's tale. */
    @Test
    void aChangeThatAClientOrAStrangerTellsOfIsNotHeard() throws Exception {
        try (Endpoint b = Endpoint.start(first, "b", ports("a", "b"), 5);
                RawConnection client = RawConnection.to(port("b"));
                RawConnection stranger = RawConnection.to(port("b"))) {
            Hello hello = new Hello(
                    first,
                    new NodeId("z"),
                    new NodeId("b"),
                    Endpoint.newBootId(),
                    Versions.OURS,
                    Hello.Role.CLIENT,
                    "orders");
            client.write(out -> Frames.writeHello(out, Frames.HELLO, hello));
            assertThat(client.read(Frames.WELCOME)).isNotNull();
            client.write(out -> Frames.writeComing(out, coming()));
            client.awaitClosed();
            stranger.write(out -> Frames.writeComing(out, coming()));
            stranger.awaitClosed();

            log.await("unknown frame type 11");
            log.await("a connection starts with a hello");
            assertThat(b.generations).isEmpty();
            assertThat(called(b)).containsExactly("a");
        }
    }

    /** It has taken the id of a member that is to come, before anybody could know; or it comes when that is known. */
    @Test
    void aClientCannotSayWhatOnlyTheMemberOfItsIdSays() throws Exception {
        try (Endpoint a = Endpoint.start(first, "a", ports("a", "b"), 5);
                Endpoint client = Endpoint.client(first, "d", ports("a"), "orders")) {
            client.awaitConnected("a");
            a.transport
                    .loop()
                    .submit(() -> a.transport.coming(second.generation(), coming().addresses()))
                    .get();
            client.send("a", new PaxosMessage.Standing(0, new Incarnation(3, 4), second.generation(), 2), refused());
            client.send("a", inMode());
            assertThat(Objects.requireNonNull(a.next()).message()).isEqualTo(inMode());
            assertThat(a.arrivals).isEmpty();

            try (Endpoint second = Endpoint.client(first, "d", ports("a"), "orders")) {
                log.await("'d' is the id of a member that is to come: give the client another, or none");
                assertThat(second.state("a").connected()).isFalse();
            }
            try (Endpoint member = changed("d")) {
                member.awaitConnected("a");
                log.await("'d' is the id of a member that is connected: give the client another, or none");
                Eventually.until(
                        "the client has to go", () -> a.transport.clients().connected() == 0);
                assertThat(a.unreachable).isEmpty();
            }
        }
    }

    private int port(String id) {
        return Objects.requireNonNull(all.get(id));
    }

    /** A member of the first generation that is spoken by hand, and has been let in. */
    private RawConnection member(String self, String peer) throws IOException {
        RawConnection connection = RawConnection.to(port(peer));
        connection.write(out -> Frames.writeHello(out, Frames.HELLO, Endpoint.hello(first, self, peer)));
        assertThat(connection.read(Frames.WELCOME)).isNotNull();
        return connection;
    }

    /** Another content of the second generation, with those members. */
    private ComingMembers other(String members) {
        return new ComingMembers(Endpoint.config("cell", 2, members, "a b").generation(), coming().addresses());
    }

    /** R6: the first content that was heard of counts. */
    @Test
    void anotherContentOfTheGenerationThatIsToComeIsNotHeard() throws Exception {
        ComingMembers other = other("a");
        try (Endpoint b = old("b");
                RawConnection a = member("a", "b")) {
            a.write(out -> Frames.writeComing(out, coming()));
            a.write(out -> Frames.writeComing(out, other));

            log.await("peer 'a' tells of generation 2 with the members [a], and this node knows of it with [a, d]: "
                    + "each generation has one content, so correct the file of the node that has the wrong one");
            assertThat(met(b).generation()).isEqualTo(first.generation());
            assertThat(met(b)).isEqualTo(new Event.GenerationMet(new NodeId("a"), second.generation(), -1));
            assertThat(b.generations).isEmpty();
            assertThat(called(b)).containsExactly("a", "d");
        }
    }

    /** R6: a stray node was met first, which calls itself d; the store counts. */
    @Test
    void whatTheStoreHasTakesThePlaceOfWhatWasToldOf() throws Exception {
        ComingMembers other = other("a");
        try (Endpoint b = old("b");
                RawConnection a = member("a", "b")) {
            a.write(out -> Frames.writeComing(out, other));
            assertThat(met(b).generation()).isEqualTo(first.generation());
            assertThat(met(b).generation()).isEqualTo(other.generation());

            b.transport.loop().execute(() -> b.transport.coming(second.generation(), coming().addresses()));

            Eventually.until("b calls d", () -> called(b).equals(List.of("a", "d")));
            try (Endpoint d = changed("d")) {
                d.awaitConnected("b");
            }
        }
    }

    /** R7: b starts with the first list after two changes. a refuses it, and d has not met it. */
    @Test
    void aNodeThatIsRefusedHearsThatItsGenerationIsOver() throws Exception {
        CellConfig third = Endpoint.config("cell", 3, "a b", "a d");
        try (Endpoint a = Endpoint.start(third, "a", all)) {
            a.transport.loop().submit(() -> a.transport.sealed(3)).get();
            try (Endpoint b = old("b")) {
                Eventually.until("b hears of the seal", () -> !b.others.isEmpty());
                assertThat(b.others).allMatch(other -> other.startsWith("a [a, b], sealed: the generations differ"));
                Eventually.until("a has met b", () -> !a.others.isEmpty());
                assertThat(a.others).allMatch(other -> other.startsWith("b [a, b]: the generations differ"));
            }
        }
    }

    /** R6: a new member was started with a wrong list; nothing has to be restarted but that. */
    @Test
    void aFileThatIsCorrectedIsMetByThoseWhoKnowTheWrongOne() throws Exception {
        CellConfig wrong = Endpoint.config("cell", 2, "b d", "a b");
        try (Endpoint a = Endpoint.start(first, "a", ports("a", "b"), 5);
                Endpoint b = old("b");
                Endpoint z = Endpoint.client(first, "z", ports("a", "b"), "orders")) {
            try (Endpoint d = Endpoint.start(wrong, "d", all)) {
                for (Endpoint each : List.of(a, b, z)) {
                    awaitHeard(each, wrong.generation());
                }
                d.awaitConnected("a");
            }
            try (Endpoint d = changed("d")) {
                d.awaitConnected("a");
                d.awaitConnected("b");
                awaitHeard(a, second.generation());
                awaitHeard(b, second.generation());
            }
        }
    }

    /** Also to one that knows of another content. What is told is told again only if it changes. */
    @Test
    void aChangeIsToldOnce() throws Exception {
        ComingMembers other = other("b");
        try (Endpoint a = old("a");
                RawConnection b = member("b", "a")) {
            b.write(out -> Frames.writeComing(out, other));
            awaitHeard(a, other.generation());
            a.transport
                    .loop()
                    .submit(() -> a.transport.coming(second.generation(), coming().addresses()))
                    .get();
            for (int i = 0; i < 3; i++) {
                a.transport.loop().submit(a.transport.links.changes::tick).get();
            }
            b.write(out -> Frames.writeEmpty(out, Frames.PING));

            List<Generation> told = new ArrayList<>();
            for (Frame next = b.read(); next != null && next.type() != Frames.PONG; next = b.read()) {
                if (next.type() == Frames.COMING) {
                    told.add(Frames.readComing(next.body()).generation());
                }
            }
            assertThat(told).containsExactly(second.generation());
        }
    }

    /** R6: a client hears of two contents, the wrong one first; then of the seal, before or after it hears of the right one. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aClientRunsTheContentThatIsSealed(boolean isToldFirst) throws Exception {
        Generation wrong = Endpoint.config("cell", 2, "b", "a b").generation();
        try (Endpoint a = Endpoint.start(first, "a", ports("a", "b"), 5);
                Endpoint z = Endpoint.client(first, "z", ports("a", "b"), "orders")) {
            a.transport.loop().execute(() -> a.transport.coming(wrong, coming().addresses()));
            awaitHeard(z, wrong);
            if (!isToldFirst) {
                sealed(z);
                tell(a, z, new ComingMembers(wrong, coming().addresses()));
            }
            try (Endpoint b = Endpoint.start(first, "b", ports("a", "b"), 5)) {
                z.awaitConnected("b");
                b.transport.loop().execute(() -> b.transport.coming(second.generation(), coming().addresses()));
                if (isToldFirst) {
                    b.send("z", inMode());
                    assertThat(Objects.requireNonNull(z.next()).message())
                            .as("after the news")
                            .isEqualTo(inMode());
                    sealed(z);
                }
                Eventually.until("z runs the second generation", () -> called(z).equals(List.of("a", "d")));
            }
        }
    }

    /** The right content was told of first, and gave way to one that a member ran. */
    @Test
    void whatHasGivenWayAndIsSealedAllTheSameIsNotToldAgain() throws Exception {
        Generation wrong = Endpoint.config("cell", 2, "b", "a b").generation();
        try (Endpoint a = Endpoint.start(first, "a", ports("a", "b"), 5);
                Endpoint z = Endpoint.client(first, "z", ports("a", "b"), "orders")) {
            a.transport.loop().execute(() -> a.transport.coming(second.generation(), coming().addresses()));
            awaitHeard(z, second.generation());
            z.transport.loop().submit(() -> z.transport.follows(wrong)).get();
            sealed(z);
            Eventually.until("z runs the second generation", () -> called(z).equals(List.of("a", "d")));
        }
    }

    /** The node hears in one go that the second generation is sealed and the third to come; the transport knew a wrong second one. */
    @Test
    void whatFollowsTheSealedContentIsKnownThoughAnotherOneCounted() throws Exception {
        Generation wrong = Endpoint.config("cell", 2, "b", "a b").generation();
        Generation third = Endpoint.config("cell", 3, "b d", "a d").generation();
        Generation otherThird = Endpoint.config("cell", 3, "b", "a d").generation();
        try (Endpoint a = Endpoint.start(first, "a", ports("a", "b"), 5);
                Endpoint z = Endpoint.client(first, "z", ports("a", "b"), "orders")) {
            a.transport.loop().execute(() -> a.transport.coming(wrong, coming().addresses()));
            awaitHeard(z, wrong);
            tell(a, z, new ComingMembers(second.generation(), coming().addresses()));
            tell(a, z, new ComingMembers(otherThird, coming().addresses()));
            tell(a, z, new ComingMembers(third, coming().addresses()));

            z.transport
                    .loop()
                    .submit(() -> {
                        z.transport.follows(second.generation());
                        z.transport.follows(third);
                        z.transport.sealed(2);
                    })
                    .get();

            awaitHeard(z, third);
            assertThat(z.generations).noneMatch(each -> each.generation().equals(otherThird));
            assertThat(called(z)).containsExactly("a", "b", "d");
            z.transport.loop().submit(() -> z.transport.sealed(3)).get();
            assertThat(called(z)).containsExactly("b", "d");
        }
    }

    /** The file of a has a wrong address of d, and is told of before that of b, or after it. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aMemberIsCalledWhereAnyMemberSaysThatItIs(boolean isWrongFirst) throws Exception {
        Map<NodeId, InetSocketAddress> wrong = wrongOfD();
        try (Endpoint a = Endpoint.start(first, "a", ports("a", "b"), 5);
                Endpoint b = Endpoint.start(first, "b", ports("a", "b"), 5);
                Endpoint z = Endpoint.client(first, "z", ports("a", "b"), "orders")) {
            z.awaitConnected("a");
            z.awaitConnected("b");
            for (boolean isWrong : List.of(isWrongFirst, !isWrongFirst)) {
                Map<NodeId, InetSocketAddress> addresses = isWrong ? wrong : coming().addresses();
                tell(isWrong ? a : b, z, new ComingMembers(second.generation(), addresses));
            }
            try (Endpoint d = Endpoint.start(second, "d", all, 5)) {
                awaitConnected(z, "d");
                assertThat(z.state("d").address())
                        .isEqualTo(coming().addresses().get(new NodeId("d")));
                assertThat(d.transport.clients().connected()).isOne();
            }
        }
    }

    /** Both files have the right content, of which the client knew another one. */
    @Test
    void theAddressesOfEachFileAreTriedAlsoOfAContentThatCountsLater() throws Exception {
        try (Endpoint a = Endpoint.start(first, "a", ports("a", "b"), 5);
                Endpoint z = Endpoint.client(first, "z", ports("a", "b"), "orders");
                Endpoint d = Endpoint.start(
                        second, "d", Map.of("a", FreePorts.next(), "b", FreePorts.next(), "d", port("d")), 5)) {
            z.awaitConnected("a");
            tell(a, z, other("b"));
            tell(a, z, new ComingMembers(second.generation(), wrongOfD()));
            tell(a, z, coming());
            sealed(z);
            awaitConnected(z, "d");
            assertThat(d.transport.clients().connected()).isOne();
        }
    }

    /** The client runs the second generation already, when it meets a member whose file is right. */
    @Test
    void aClientHearsOfTheRightAddressAlsoAfterTheSeal() throws Exception {
        Map<String, Integer> withoutA = Map.of("a", FreePorts.next(), "b", FreePorts.next(), "d", port("d"));
        try (Endpoint z = Endpoint.client(first, "z", ports("a", "b"), "orders");
                Endpoint d = Endpoint.start(second, "d", withoutA, 5)) {
            try (Endpoint a = Endpoint.start(first, "a", ports("a", "b"), 5)) {
                z.awaitConnected("a");
                tell(a, z, new ComingMembers(second.generation(), wrongOfD()));
                sealed(z);
                Eventually.until("z runs the second generation", () -> called(z).equals(List.of("a", "d")));
            }
            try (Endpoint again = Endpoint.start(second, "a", all, 5)) {
                again.awaitConnected("d");
                awaitConnected(z, "d");
                assertThat(d.transport.clients().connected()).isOne();
            }
        }
    }

    private Map<NodeId, InetSocketAddress> wrongOfD() {
        Map<NodeId, InetSocketAddress> addresses = new HashMap<>(coming().addresses());
        addresses.put(new NodeId("d"), InetSocketAddress.createUnresolved("127.0.0.1", FreePorts.next()));
        return addresses;
    }

    /** z has been told by that member when this returns. */
    private static void tell(Endpoint member, Endpoint z, ComingMembers told) throws InterruptedException {
        member.transport
                .loop()
                .execute(() -> member.transport.links.forEachConnection(
                        connection -> connection.sendIfWritable(out -> Frames.writeComing(out, told))));
        member.send("z", inMode());
        assertThat(Objects.requireNonNull(z.next()).message()).isEqualTo(inMode());
    }

    /** z has heard that the second generation is sealed. */
    private void sealed(Endpoint z) throws Exception {
        z.transport
                .loop()
                .submit(() -> {
                    z.transport.follows(second.generation());
                    z.transport.sealed(2);
                })
                .get();
    }

    private static void awaitHeard(Endpoint endpoint, Generation generation) {
        Eventually.until("it has heard of it", () -> endpoint.generations.stream()
                .anyMatch(each -> each.generation().equals(generation)));
    }

    /** As from a store: a is told by its own node, and tells b; a dropped member is not called after the seal, and may ask. */
    @Test
    void aNodeThatChangesSaysSoToThoseThatItMeetsAndLetsGoOfThoseThatLeave() throws Exception {
        try (Endpoint a = Endpoint.start(first, "a", ports("a", "b"), 5);
                Endpoint b = old("b")) {
            a.awaitConnected("b");
            b.awaitConnected("a");
            a.transport.loop().execute(() -> a.transport.coming(second.generation(), coming().addresses()));
            Eventually.until("a calls d", () -> called(a).equals(List.of("b", "d")));
            Eventually.until("b calls d", () -> called(b).equals(List.of("a", "d")));

            a.transport.loop().execute(() -> a.transport.changed(second.generation()));
            try (Endpoint z = Endpoint.client(first, "z", ports("a", "b"), "orders")) {
                awaitConnected(z, "a");
                Eventually.until("z is told of d", () -> called(z).equals(List.of("a", "b", "d")));
                Event.GenerationMet told = new Event.GenerationMet(new NodeId("a"), second.generation(), -1);
                Eventually.until("its node is told of it", () -> z.generations.contains(told));
                a.transport.loop().execute(() -> a.transport.sealed(2));
                Eventually.until("a lets go of b", () -> called(a).equals(List.of("d")));
                z.transport.loop().execute(() -> z.transport.sealed(2));
                Eventually.until("z lets go of b", () -> called(z).equals(List.of("a", "d")));
            }
            b.awaitConnected("a");
            b.send("a", Endpoint.request(1));
            assertThat(Objects.requireNonNull(a.next()).message()).isEqualTo(Endpoint.request(1));
            a.send("b", Endpoint.request(2));
            assertThat(Objects.requireNonNull(b.next()).message()).isEqualTo(Endpoint.request(2));
        }
    }

    /** The client was started with generation 1, runs 2 when that is sealed, and meets 3 then. */
    @Test
    void aClientFollowsOneChangeAfterAnother() throws Exception {
        CellConfig third = Endpoint.config("cell", 3, "a b", "a d");
        try (Endpoint a = Endpoint.start(second, "a", all, 5);
                Endpoint z = Endpoint.client(first, "z", ports("a", "b"), "orders")) {
            awaitConnected(z, "a");
            Eventually.until("z calls d", () -> called(z).equals(List.of("a", "b", "d")));
            a.transport.loop().execute(() -> a.transport.coming(third.generation(), coming().addresses()));
            z.transport.loop().execute(() -> z.transport.sealed(2));
            awaitHeard(z, third.generation());
            assertThat(called(z)).as("b votes again").containsExactly("a", "b", "d");
        }
    }

    /** Its file is of the first generation, the members run the second one, and the third one is to come: once that decides, it would be refused. */
    @Test
    void aClientThatComesWhileTheNextChangeBeginsFollowsThisOneFirst() throws Exception {
        CellConfig third = Endpoint.config("cell", 3, "a b", "a d");
        try (Endpoint a = Endpoint.start(second, "a", all, 5)) {
            a.transport
                    .loop()
                    .submit(() -> a.transport.coming(third.generation(), coming().addresses()))
                    .get();
            try (Endpoint z = Endpoint.client(first, "z", ports("a", "b"), "orders")) {
                awaitHeard(z, second.generation());
                Eventually.until("z calls d", () -> called(z).equals(List.of("a", "b", "d")));

                z.transport.loop().execute(() -> z.transport.sealed(2));

                awaitHeard(z, third.generation());
            }
        }
    }

    /** Another member had told it of the seal before one told of the generation. */
    @Test
    void aClientThatHearsOfTheSealFirstRunsTheGenerationAsSoonAsItKnowsIt() throws Exception {
        try (Endpoint a = Endpoint.start(first, "a", ports("a", "b"), 5);
                Endpoint z = Endpoint.client(first, "z", ports("a", "b"), "orders")) {
            awaitConnected(z, "a");
            z.transport.loop().submit(() -> z.transport.sealed(2)).get();
            assertThat(called(z)).containsExactly("a", "b");

            a.transport.loop().execute(() -> a.transport.coming(second.generation(), coming().addresses()));

            Eventually.until("z lets go of b", () -> called(z).equals(List.of("a", "d")));
        }
    }

    /** b leaves with the second generation, and is moved before the third, which has it again. */
    @Test
    void aMemberThatComesBackIsCalledWhereItIsNow() throws Exception {
        CellConfig third = Endpoint.config("cell", 3, "a b", "a d");
        InetSocketAddress moved = InetSocketAddress.createUnresolved("127.0.0.1", FreePorts.next());
        Map<NodeId, InetSocketAddress> addresses = new HashMap<>(coming().addresses());
        addresses.put(new NodeId("b"), moved);
        try (Endpoint a = changed("a")) {
            a.transport.loop().execute(() -> a.transport.sealed(2));
            Eventually.until("a lets go of b", () -> called(a).equals(List.of("d")));
            a.transport.loop().execute(() -> a.transport.links.changes.told(new NodeId("d"), coming()));

            a.transport.loop().execute(() -> a.transport.coming(third.generation(), addresses));

            Eventually.until("a calls b", () -> called(a).equals(List.of("b", "d")));
            assertThat(a.state("b").address()).isEqualTo(moved);
        }
    }
}
