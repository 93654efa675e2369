package io.paxoslease.transport.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.monitor.ConnectionRefusal;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.testing.FreePorts;
import io.paxoslease.testing.LogCapture;
import io.paxoslease.transport.CellConfig;
import io.paxoslease.transport.CellMembers;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What is made of the answers of several contact points. All of them are waited for. */
class ContactAnswersTest {

    private static final long LONG = TimeUnit.MINUTES.toMillis(1);

    private final Map<String, Integer> ports =
            Map.of("a", FreePorts.next(), "b", FreePorts.next(), "d", FreePorts.next());
    private final CellConfig config = Endpoint.config("cell", "a", "b");

    private ContactPoints contactPoints(String... ids) {
        return new ContactPoints(
                "cell",
                new NodeId("z"),
                Endpoint.newBootId(),
                "orders",
                Arrays.stream(ids)
                        .map(id ->
                                InetSocketAddress.createUnresolved("127.0.0.1", Objects.requireNonNull(ports.get(id))))
                        .toList(),
                Endpoint.BY_THE_JDK,
                new Security(null));
    }

    private Endpoint start(CellConfig what, String id) throws IOException {
        return Endpoint.start(what, id, ports, 10);
    }

    @Test
    void allSayTheSame() throws Exception {
        try (Endpoint a = start(config, "a");
                Endpoint b = start(config, "b");
                ContactPoints points = contactPoints("a", "b")) {
            ContactPoints.Outcome outcome = points.ask(LONG);
            assertThat(outcome.contacts()).hasSize(2).allSatisfy(contact -> assertThat(contact.problem())
                    .isNull());
            assertThat(Objects.requireNonNull(outcome.members()).teller().config())
                    .isEqualTo(config);
            assertThat(a.transport.clients().connected())
                    .as("a client is counted when it has joined")
                    .isZero();
            assertThat(b.reachable).as("and not told of").doesNotContain(new NodeId("z"));
        }
    }

    @Test
    void oneIsEnoughWhereTheOtherIsDown() throws Exception {
        try (Endpoint b = start(config, "b");
                ContactPoints points = contactPoints("a", "b")) {
            ContactPoints.Outcome outcome = points.ask(LONG);
            assertThat(Objects.requireNonNull(outcome.members()).teller().from())
                    .isEqualTo(new NodeId("b"));
            assertThat(outcome.contacts())
                    .filteredOn(contact -> contact.problem() != null)
                    .hasSize(1);
            assertThat(b.transport.clients().connected()).isZero();
        }
    }

    /** The answer names the list before, and b is called no more. */
    @Test
    void afterTheSealItIsToldWhereThoseWereThatHaveLeft() throws Exception {
        CellConfig next = Endpoint.config("cell", 2, "a d", "a b");
        try (Endpoint d = start(next, "d");
                ContactPoints points = contactPoints("d")) {
            d.transport.loop().submit(() -> d.transport.sealed(2)).get();
            assertThat(d.transport.peers()).hasSize(1);
            CellMembers members = Objects.requireNonNull(points.ask(LONG).members());
            assertThat(members.teller().config()).isEqualTo(next);
            assertThat(members.addresses()).hasSize(3);
        }
    }

    /** It names the members of both lists, and so do the addresses. */
    @Test
    void whileMembersChangeTheNewestGenerationCounts() throws Exception {
        CellConfig next = Endpoint.config("cell", 2, "a d", "a b");
        Map<String, Integer> old = Map.of("a", ports.getOrDefault("a", 0), "b", ports.getOrDefault("b", 0));
        try (Endpoint a = Endpoint.start(Endpoint.config("cell", "a", "b"), "a", old, 10);
                Endpoint d = start(next, "d");
                ContactPoints oldFirst = contactPoints("a", "d");
                ContactPoints newFirst = contactPoints("d", "a")) {
            for (ContactPoints points : List.of(oldFirst, newFirst)) {
                ContactPoints.Outcome outcome = points.ask(LONG);
                assertThat(outcome.contacts()).hasSize(2).allSatisfy(contact -> assertThat(contact.problem())
                        .isNull());
                CellMembers members = Objects.requireNonNull(outcome.members());
                assertThat(members.teller().config()).isEqualTo(next);
                assertThat(members.addresses()).containsOnlyKeys(new NodeId("a"), new NodeId("b"), new NodeId("d"));
            }
            assertThat(a.transport.clients().connected()).isZero();
            assertThat(d.transport.clients().connected()).isZero();
        }
    }

    /** They are asked in an order of its own each time. */
    @Test
    void theyAreShownAndComparedInTheOrderInWhichTheyAreConfigured() throws Exception {
        try (Endpoint a = start(config, "a");
                Endpoint d = start(Endpoint.config("cell", "d"), "d");
                ContactPoints points = contactPoints("d", "b", "a");
                LogCapture log = LogCapture.of(ContactPoints.class)) {
            for (int i = 0; i < 20; i++) {
                ContactPoints.Outcome outcome = points.ask(LONG);
                assertThat(outcome.contacts())
                        .extracting(ContactPoints.Contact::address)
                        .containsExactly(
                                "127.0.0.1:" + ports.get("d"),
                                "127.0.0.1:" + ports.get("b"),
                                "127.0.0.1:" + ports.get("a"));
                assertThat(outcome.contacts().get(2).problem()).contains("the contact points disagree");
            }
            assertThat(log.warnings("the contact points disagree")).hasSize(1);
            assertThat(a.transport.clients().connected()).isZero();
            assertThat(d.transport.clients().connected()).isZero();
        }
    }

    /** It cannot be told which of the two is meant. */
    @Test
    void whatTwoCellsSayIsNotTaken() throws Exception {
        try (Endpoint a = start(config, "a");
                ContactPoints points = contactPoints("a", "d")) {
            assertDisagreement(points);
            assertThat(Objects.requireNonNull(points.ask(LONG).members())
                            .teller()
                            .from())
                    .as("when the one is gone that is wrong")
                    .isEqualTo(new NodeId("a"));
            assertThat(a.transport.clients().connected()).isZero();
        }
    }

    private void assertDisagreement(ContactPoints points) throws Exception {
        try (Endpoint d = start(Endpoint.config("cell", "d"), "d");
                LogCapture log = LogCapture.of(ContactPoints.class)) {
            ContactPoints.Outcome outcome = points.ask(LONG);
            assertThat(outcome.members()).isNull();
            List<ContactPoints.Contact> differing = outcome.contacts().stream()
                    .filter(contact -> contact.problem() != null)
                    .toList();
            assertThat(differing).hasSize(1);
            assertThat(differing.get(0).problem())
                    .contains("the contact points disagree, so they are not of one cell: the peers differ, ");
            assertThat(differing.get(0).refusal()).isEqualTo(ConnectionRefusal.CONFIGURATION);
            assertThat(log.warnings("the contact points disagree")).hasSize(1);
            assertThat(d.transport.clients().connected()).isZero();
        }
    }
}
