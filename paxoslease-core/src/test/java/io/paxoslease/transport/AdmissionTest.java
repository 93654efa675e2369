package io.paxoslease.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import io.paxoslease.monitor.ConnectionRefusal;
import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.NodeId;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class AdmissionTest {

    private static final String PEERS = Samples.marks("peers");
    private static final String LEASES = Samples.marks("maxLeaseTime");
    private static final String DRIFTS = Samples.marks("clockDrift");
    private static final NodeId A = new NodeId("a");
    private static final NodeId B = new NodeId("b");
    private static final NodeId C = new NodeId("c");
    private static final Duration M = Duration.ofSeconds(5);
    private static final CellConfig CONFIG = new CellConfig("shop", List.of(A, B, C), M, 0.1);

    private final Admission admissionAtA = new Admission(CONFIG, A);

    @Test
    void aMemberWithTheSameConfigurationIsAdmitted() {
        assertThat(admissionAtA.judge(hello(CONFIG, B, A))).isNull();
        assertThat(admissionAtA.judge(hello(CONFIG, C, A))).isNull();
    }

    @Test
    void theOrderOfTheMembersDoesNotMatter() {
        assertThat(admissionAtA.judge(hello(new CellConfig("shop", List.of(C, A, B, A), M, 0.1), B, A)))
                .isNull();
    }

    @Test
    void anotherCellIsRefused() {
        CellConfig other = new CellConfig("bank", List.of(A, B, C), M, 0.1);

        assertThat(admissionAtA.judge(hello(other, B, A)))
                .isEqualTo(new Rejection(
                        ConnectionRefusal.CELL,
                        "cell 'bank' meets cell 'shop': give every node the same cell name, or correct the address"));
    }

    @Test
    void aClientThatAsksForTheMembersNeedKnowNoneButTheCell() {
        CellConfig unknown = new CellConfig("shop", List.of(), Duration.ZERO, 0);
        NodeId z = new NodeId("z");

        assertThat(admissionAtA.judgeContact(hello(unknown, z, z))).isNull();
        assertThat(admissionAtA.judgeContact(hello(unknown, C, C)))
                .extracting(Rejection::reason)
                .isEqualTo(ConnectionRefusal.DUPLICATE_NODE);
        CellConfig other = new CellConfig("bank", List.of(), Duration.ZERO, 0);
        assertThat(admissionAtA.judgeContact(hello(other, z, z)))
                .extracting(Rejection::reason)
                .isEqualTo(ConnectionRefusal.CELL);
    }

    @Test
    void aStrangerIsRefused() {
        assertThat(admissionAtA.judge(hello(CONFIG, new NodeId("z"), A)))
                .isEqualTo(new Rejection(
                        ConnectionRefusal.NOT_A_MEMBER,
                        "'z' is no other member of this cell; the members at 'a' are [a, b, c]: "
                                + "list the same peers on every node"));
    }

    @Test
    void aNodeWithTheOwnIdIsRefused() {
        assertThat(admissionAtA.judge(hello(CONFIG, A, A)))
                .isEqualTo(new Rejection(
                        ConnectionRefusal.NOT_A_MEMBER,
                        "'a' is no other member of this cell; the members at 'a' are [a, b, c]: "
                                + "list the same peers on every node"));
    }

    @Test
    void whoLooksForAnotherNodeIsRefused() {
        assertThat(admissionAtA.judge(hello(CONFIG, B, C)))
                .isEqualTo(new Rejection(
                        ConnectionRefusal.WRONG_NODE,
                        "'b' looks for 'c' but reached 'a': correct the address of 'c' in the peers"));
    }

    @Test
    void otherMembersAreRefused() {
        CellConfig more = new CellConfig("shop", List.of(A, B, C, new NodeId("d")), M, 0.1);
        CellConfig fewer = new CellConfig("shop", List.of(A, B), M, 0.1);

        assertThat(admissionAtA.judge(hello(more, B, A)))
                .isEqualTo(new Rejection(
                        ConnectionRefusal.CONFIGURATION,
                        "the peers differ, [a, b, c, d] at 'b' but [a, b, c] at 'a'" + PEERS
                                + ": configure the same on every node"));
        assertThat(admissionAtA.judge(hello(fewer, B, A)))
                .isEqualTo(new Rejection(
                        ConnectionRefusal.CONFIGURATION,
                        "the peers differ, [a, b] at 'b' but [a, b, c] at 'a'" + PEERS
                                + ": configure the same on every node"));
    }

    @Test
    void anotherMaximumLeaseTimeIsRefused() {
        CellConfig other = new CellConfig("shop", List.of(A, B, C), M.plusNanos(1), 0.1);

        assertThat(admissionAtA.judge(hello(other, B, A)))
                .isEqualTo(new Rejection(
                        ConnectionRefusal.CONFIGURATION,
                        "the maximum lease times differ, PT5.000000001S at 'b' but PT5S at 'a'" + LEASES
                                + ": configure the same on every node"));
    }

    @Test
    void anotherClockDriftIsRefused() {
        CellConfig other = new CellConfig("shop", List.of(A, B, C), M, 0.2);
        CellConfig nonsense = new CellConfig("shop", List.of(A, B, C), M, Double.NaN);

        assertThat(admissionAtA.judge(hello(other, B, A)))
                .isEqualTo(new Rejection(
                        ConnectionRefusal.CONFIGURATION,
                        "the clock drift bounds differ, 0.2 at 'b' but 0.1 at 'a'" + DRIFTS
                                + ": configure the same on every node"));
        assertThat(admissionAtA.judge(hello(nonsense, B, A))).isNotNull();
    }

    private static CellConfig.Clocked flease(int millis) {
        return new CellConfig.Clocked("flease", Duration.ofMillis(millis));
    }

    @Test
    void allThatDiffersIsShownSideBySide() {
        CellConfig other = new CellConfig("shop", List.of(A, B), M.multipliedBy(2), 0.2);
        CellConfig flease = new CellConfig("shop", List.of(A, B), M, 0.1, flease(500));

        assertThat(admissionAtA.judge(hello(other, B, A)))
                .isEqualTo(new Rejection(
                        ConnectionRefusal.CONFIGURATION,
                        "the peers differ, [a, b] at 'b' but [a, b, c] at 'a'; the maximum lease times differ, PT10S at 'b' but PT5S at 'a'; "
                                + "the clock drift bounds differ, 0.2 at 'b' but 0.1 at 'a' (to change them while the cell serves, set on every node"
                                + " generation: 2, peers, maxLeaseTime, clockDrift to the new values"
                                + " and previousPeers, previousMaxLeaseTime, previousClockDrift to the old ones)"
                                + ": configure the same on every node"));
        assertThat(admissionAtA.judge(hello(flease, B, A)))
                .isEqualTo(new Rejection(
                        ConnectionRefusal.CONFIGURATION,
                        "the peers differ, [a, b] at 'b' but [a, b, c] at 'a'; "
                                + "the algorithms differ, flease at 'b' but paxoslease at 'a': "
                                + "configure the same on every node"));
    }

    @Test
    void anotherAlgorithmOrClockBoundIsRefused() {
        CellConfig flease = new CellConfig("shop", List.of(A, B, C), M, 0.1, flease(500));
        CellConfig wider = new CellConfig("shop", List.of(A, B, C), M, 0.1, flease(501));

        assertThat(admissionAtA.judge(hello(flease, B, A)))
                .isEqualTo(new Rejection(
                        ConnectionRefusal.CONFIGURATION,
                        "the algorithms differ, flease at 'b' but paxoslease at 'a': "
                                + "configure the same on every node"));
        assertThat(new Admission(flease, A).judge(hello(wider, B, A)))
                .isEqualTo(
                        new Rejection(
                                ConnectionRefusal.CONFIGURATION,
                                "the clock bounds differ, PT0.501S at 'b' but PT0.5S at 'a': configure the same on every node"));
        assertThat(new Admission(flease, A).judge(hello(flease, B, A))).isNull();
    }

    @Test
    void manyMembersAreShortenedInTheText() {
        List<NodeId> many = Stream.concat(
                        Stream.of(A, B), IntStream.range(0, 61).mapToObj(i -> new NodeId("node-with-a-name-" + i)))
                .toList();
        assertThat(admissionAtA.judge(hello(new CellConfig("shop", many, M, 0.1), B, A)))
                .extracting(rejection -> String.valueOf(rejection), STRING)
                .contains("…]")
                .hasSizeLessThan(400);
    }

    @Test
    void theMostBasicDifferenceIsNamedFirst() {
        assertThat(Stream.of(
                                hello(new CellConfig("bank", List.of(A, B), M, 0.2), B, C),
                                hello(new CellConfig("shop", List.of(A, B), M, 0.2), new NodeId("z"), C),
                                hello(new CellConfig("shop", List.of(A, B), M, 0.2), B, C),
                                hello(new CellConfig("shop", List.of(A, B), M, 0.2), B, A))
                        .map(admissionAtA::judge)
                        .map(rejection -> rejection == null ? null : rejection.reason()))
                .containsExactly(
                        ConnectionRefusal.CELL,
                        ConnectionRefusal.NOT_A_MEMBER,
                        ConnectionRefusal.WRONG_NODE,
                        ConnectionRefusal.CONFIGURATION);
    }

    @Test
    void aClientIsJudgedByWhatItRunsAsAMemberIs() {
        CellConfig other = new CellConfig("shop", List.of(A, B), M, 0.1);
        NodeId client = new NodeId("z");

        assertThat(admissionAtA.judge(client(CONFIG, client, A))).isNull();
        assertThat(Stream.of(
                                client(new CellConfig("bank", List.of(A, B, C), M, 0.1), client, A),
                                client(CONFIG, client, B),
                                client(other, client, A))
                        .map(admissionAtA::judge)
                        .map(rejection -> rejection == null ? null : rejection.reason()))
                .containsExactly(ConnectionRefusal.CELL, ConnectionRefusal.WRONG_NODE, ConnectionRefusal.CONFIGURATION);
    }

    @Test
    void aClientHasNoMembersId() {
        for (NodeId member : List.of(A, B)) {
            assertThat(admissionAtA.judge(client(CONFIG, member, A)))
                    .isEqualTo(new Rejection(
                            ConnectionRefusal.DUPLICATE_NODE,
                            "'%s' is the id of a member: give the client another, or none".formatted(member)));
        }
    }

    /** It grants nothing, so no member that starts has to be silent for it. */
    @Test
    void aClientIsNoOtherConfiguration() {
        CellConfig other = new CellConfig("shop", List.of(A, B, new NodeId("d")), M, 0.1);
        assertThat(admissionAtA.difference(client(other, new NodeId("z"), A))).isNull();
        assertThat(admissionAtA.difference(hello(other, B, A))).isNotNull();
    }

    private static Hello client(CellConfig config, NodeId from, NodeId to) {
        return new Hello(config, from, to, new Incarnation(1, 2), Versions.OURS, Hello.Role.CLIENT, "orders");
    }

    private static Hello hello(CellConfig config, NodeId from, NodeId to) {
        return new Hello(config, from, to, new Incarnation(1, 2), Versions.OURS);
    }
}
