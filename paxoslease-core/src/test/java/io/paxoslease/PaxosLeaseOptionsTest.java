package io.paxoslease;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.paxoslease.protocol.Printable;
import io.paxoslease.testing.HeldMembership;
import io.paxoslease.testing.LogCapture;
import io.paxoslease.testing.TestCell;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class PaxosLeaseOptionsTest {

    @Test
    void theDefaultsAreThoseOfTheDocumentation() {
        PaxosLeaseOptions options = PaxosLeaseOptions.builder("a").build();

        assertThat(options.nodeId()).isEqualTo("a");
        assertThat(options.peers()).isEmpty();
        assertThat(options.cell()).isEqualTo("paxoslease");
        assertThat(options.leaseTime()).isEqualTo(Duration.ofSeconds(3));
        assertThat(options.maxLeaseTime()).isEqualTo(Duration.ofSeconds(5));
        assertThat(options.clockDrift()).isEqualTo(0.10);
        assertThat(options.bindHost()).isNull();
        assertThat(options.callbackExecutor()).isNull();
        assertThat(options.isCellOfOne()).isTrue();
    }

    @Test
    void theMaximumFollowsALongerLeaseTime() {
        assertThat(PaxosLeaseOptions.builder("a")
                        .leaseTime(Duration.ofSeconds(30))
                        .build()
                        .maxLeaseTime())
                .isEqualTo(Duration.ofSeconds(30));
        assertThat(PaxosLeaseOptions.builder("a")
                        .leaseTime(Duration.ofMillis(500))
                        .build()
                        .maxLeaseTime())
                .isEqualTo(Duration.ofSeconds(5));
    }

    @Test
    void aNodeThatListsOnlyItselfIsACellOfOne() {
        assertThat(PaxosLeaseOptions.builder("a").peer("a", "host:1").build().isCellOfOne())
                .isTrue();
        assertThat(twoPeers().build().isCellOfOne()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "\t"})
    void aNameIsNotBlank(String blank) {
        String reason = "must not be empty; give a name that is unique and stays the same over restarts";
        refused(() -> PaxosLeaseOptions.builder(blank).build(), "nodeId", blank, reason);
        refused(() -> PaxosLeaseOptions.builder("a").cell(blank).build(), "cell", blank, reason);
        refused(() -> twoPeers().peer(blank, "host:3").build(), "peers", blank, reason);
    }

    @ParameterizedTest
    @ValueSource(strings = {"a b", " a", "a\n", "a\u0000", "a\u0085b", "a\u2003b", "a\u2028b"})
    void aNameHasNoWhiteSpaceOrControlCharacters(String name) {
        String reason = "must be at most 128 bytes of UTF-8 without white space, control or format characters";
        refused(() -> PaxosLeaseOptions.builder(name).build(), "nodeId", name, reason);
        refused(() -> PaxosLeaseOptions.builder("a").cell(name).build(), "cell", name, reason);
        refused(() -> twoPeers().peer(name, "host:3").build(), "peers", name, reason);
    }

    @Test
    void aNameHasAtMost128BytesNotCharacters() {
        assertThatNoException()
                .isThrownBy(() -> PaxosLeaseOptions.builder("é".repeat(64)).build());
        String tooLong = "é".repeat(64) + "x";
        refused(
                () -> PaxosLeaseOptions.builder(tooLong).build(),
                "nodeId",
                tooLong,
                "must be at most 128 bytes of UTF-8 without white space, control or format characters");
    }

    @Test
    void thePeersIncludeThisNode() {
        InvalidOptionException e =
                refusal(() -> PaxosLeaseOptions.builder("a").peer("b", "host:1").build());

        assertThat(e)
                .hasMessage(
                        "Option 'peers' = '[b]': does not list this node, 'a'; list every member of the cell "
                                + "including this one, or correct the node id, or set the mode to 'client' or 'auto' if this node must not vote");
    }

    @Test
    void aNodeIdIsListedOnce() {
        refused(
                () -> twoPeers().peer("b", "other:2"),
                "peers",
                "b",
                "is listed twice; every node id may stand there once");
    }

    @Test
    void anAddressIsListedOnce() {
        InvalidOptionException e = refusal(() -> twoPeers().peer("c", "host:2").build());

        assertThat(e.option()).isEqualTo("peers");
        assertThat(e.value()).isEqualTo("host:2");
        assertThat(e.reason())
                .isIn(
                        "is the address of both 'b' and 'c'; give each node its own",
                        "is the address of both 'c' and 'b'; give each node its own");
    }

    @Test
    void aCellHasAtMost63Members() {
        assertThatNoException()
                .isThrownBy(() ->
                        PaxosLeaseOptions.builder("n0").peers(manyPeers(63)).build());
        refused(
                () -> PaxosLeaseOptions.builder("n0").peers(manyPeers(64)).build(),
                "peers",
                "64",
                "at most 63 members");
    }

    @Test
    void theLeaseTimeIsAtLeast100Milliseconds() {
        assertThatNoException().isThrownBy(() -> PaxosLeaseOptions.builder("a")
                .leaseTime(Duration.ofMillis(100))
                .build());
        refused(
                () -> PaxosLeaseOptions.builder("a")
                        .leaseTime(Duration.ofMillis(100).minusNanos(1))
                        .build(),
                "leaseTime",
                "PT0.099999999S",
                "must be at least 100 ms: clock granularity and a renewal at a third of it need room");
        refusal(() ->
                PaxosLeaseOptions.builder("a").leaseTime(Duration.ofSeconds(-5)).build());
    }

    @Test
    void theLeaseTimeIsAtMostTheMaximum() {
        assertThatNoException().isThrownBy(() -> PaxosLeaseOptions.builder("a")
                .leaseTime(Duration.ofSeconds(2))
                .maxLeaseTime(Duration.ofSeconds(2))
                .build());
        refused(
                () -> PaxosLeaseOptions.builder("a")
                        .leaseTime(Duration.ofSeconds(2))
                        .maxLeaseTime(Duration.ofSeconds(1))
                        .build(),
                "leaseTime",
                "PT2S",
                "is above the maximum lease time, PT1S; lower the lease time, or raise the maximum on every node");
    }

    @Test
    void theMaximumIsAtMostADay() {
        assertThatNoException().isThrownBy(() -> PaxosLeaseOptions.builder("a")
                .maxLeaseTime(Duration.ofHours(24))
                .build());
        refused(
                () -> PaxosLeaseOptions.builder("a")
                        .maxLeaseTime(Duration.ofHours(24).plusNanos(1))
                        .build(),
                "maxLeaseTime",
                "PT24H0.000000001S",
                "must be at most PT24H; choose a few seconds");
    }

    @ParameterizedTest
    @ValueSource(doubles = {-0.1, 0, 0.00009, 0.51, 1, Double.NaN, Double.POSITIVE_INFINITY})
    void theClockDriftIsWithinBounds(double drift) {
        refused(
                () -> PaxosLeaseOptions.builder("a").clockDrift(drift).build(),
                "clockDrift",
                Double.toString(drift),
                "must be from 0.0001 to 0.5; 0.1 covers every clock discipline in use");
    }

    @ParameterizedTest
    @ValueSource(doubles = {0.0001, 0.5})
    void theBoundsOfTheClockDriftAreWithin(double drift) {
        assertThatNoException()
                .isThrownBy(
                        () -> PaxosLeaseOptions.builder("a").clockDrift(drift).build());
    }

    @Test
    void optionsDoNotChangeAfterTheyWereBuilt() {
        PaxosLeaseOptions.Builder builder = twoPeers();
        PaxosLeaseOptions options = builder.build();
        builder.peer("c", "host:3");

        assertThat(options.peers()).containsOnlyKeys("a", "b");
        assertThatExceptionOfType(UnsupportedOperationException.class)
                .isThrownBy(() -> options.peers().clear());
    }

    static Stream<PaxosLeaseOptions> everyKindOfNode() {
        return Stream.of(
                PaxosLeaseOptions.builder("a").build(),
                twoPeers().maxClients(0).build(),
                PaxosLeaseOptions.builder()
                        .mode(NodeMode.CLIENT)
                        .contactPoint("host:1")
                        .contactPoint("host:2")
                        .build(),
                twoPeers()
                        .cell("billing")
                        .leaseTime(Duration.ofSeconds(7))
                        .maxLeaseTime(Duration.ofSeconds(9))
                        .clockDrift(0.2)
                        .bindHost("0.0.0.0")
                        .resolver(address -> address)
                        .callbackExecutor(Runnable::run)
                        .maxClients(40)
                        .maxClientsPerSource(4)
                        .application("reports")
                        .membershipStore(new HeldMembership())
                        .generation(2)
                        .previousPeer("a", "host:1")
                        .previousMaxLeaseTime(Duration.ofSeconds(6))
                        .previousClockDrift(0.3)
                        .build());
    }

    @ParameterizedTest
    @MethodSource("everyKindOfNode")
    void aBuilderOfOptionsMakesTheSameAgain(PaxosLeaseOptions options) {
        PaxosLeaseOptions same = options.toBuilder().build();
        assertThat(same).usingRecursiveComparison().isEqualTo(options);
        assertThat(same).hasToString(options.toString());
        assertThat(same.peers().keySet())
                .containsExactlyElementsOf(options.peers().keySet());
        assertThat(options.toBuilder().cell("other").build()).isNotEqualTo(options);
    }

    @Test
    void aShorterLongestLeaseThatIsStoredShortensTheLeaseTime() {
        Membership stored = new Membership(
                new GenerationOptions(2, null), twoPeers().build().peers(), Duration.ofSeconds(1), 0.2, false);
        PaxosLeaseOptions options = PaxosLeaseOptions.builder("a").peer("a", "host:1").build().toBuilder()
                .membership(stored)
                .build();
        assertThat(options.leaseTime()).isEqualTo(Duration.ofSeconds(1));
        assertThat(options.maxLeaseTime()).isEqualTo(Duration.ofSeconds(1));
        assertThat(options.clockDrift()).isEqualTo(0.2);
        assertThat(options.generation().number()).isEqualTo(2);
        assertThat(options.peers()).containsOnlyKeys("a", "b");
    }

    @Test
    void anEvenNumberOfMembersIsWarnedOfAtStart() {
        try (LogCapture log = LogCapture.ofNode();
                TestCell even = TestCell.of(Duration.ofSeconds(1), "a", "b");
                TestCell odd = TestCell.of(Duration.ofSeconds(1), "a", "b", "c")) {
            odd.start("a");
            assertThat(log.warnings("members")).isEmpty();
            even.start("a");
            assertThat(log.warnings("members"))
                    .containsExactly("WARN With 2 members none may fail, just as with 1: add or remove one.");
        }
    }

    private static PaxosLeaseOptions.Builder twoPeers() {
        return PaxosLeaseOptions.builder("a").peer("a", "host:1").peer("b", "host:2");
    }

    private static Map<String, String> manyPeers(int count) {
        Map<String, String> peers = new HashMap<>();
        IntStream.range(0, count).forEach(i -> peers.put("n" + i, "host:" + (1_000 + i)));
        return peers;
    }

    private static InvalidOptionException refusal(ThrowingCallable setUp) {
        return catchThrowableOfType(InvalidOptionException.class, setUp);
    }

    private static void refused(ThrowingCallable setUp, String option, String value, String reason) {
        InvalidOptionException e = refusal(setUp);
        assertThat(e.option()).isEqualTo(option);
        assertThat(e.value()).isEqualTo(Printable.text(value));
        assertThat(e.reason()).isEqualTo(reason);
        assertThat(e).hasMessage("Option '%s' = '%s': %s", option, Printable.text(value), reason);
    }

    @Test
    void peersStandInTheOrderInWhichTheyWereListed() {
        PaxosLeaseOptions.Builder builder = PaxosLeaseOptions.builder("x-5");
        List<String> listed = List.of("x-5", "x-3", "x-4", "x-1", "x-2");
        listed.forEach(id -> builder.peer(id, id + ":7400"));
        assertThat(builder.build().peers().keySet()).containsExactlyElementsOf(listed);
        assertThatExceptionOfType(InvalidOptionException.class)
                .isThrownBy(() -> PaxosLeaseOptions.builder("y")
                        .peer("b", "b:1")
                        .peer("a", "a:1")
                        .peer("c", "c:1")
                        .build())
                .withMessageContaining("[b, a, c]");
    }
}
