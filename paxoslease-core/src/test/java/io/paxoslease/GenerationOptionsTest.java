package io.paxoslease;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.paxoslease.testing.OtherAlgorithm;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** The options of a cell that changes its members or its times while it serves. */
class GenerationOptionsTest {

    /** From a, b, c to a, b, d. */
    private static PaxosLeaseOptions.Builder replaced(String node) {
        return PaxosLeaseOptions.builder(node)
                .generation(2)
                .peers(Map.of("a", "host:1", "b", "host:2", "d", "host:4"))
                .previousPeers(Map.of("a", "host:1", "b", "host:2", "c", "host:3"));
    }

    private static GenerationOptions.Previous previous(PaxosLeaseOptions.Builder options) {
        return Objects.requireNonNull(options.build().generation().previous());
    }

    @Test
    void theFirstGenerationFollowsNone() {
        PaxosLeaseOptions options =
                PaxosLeaseOptions.builder("a").peer("a", "host:1").build();

        assertThat(options.generation()).isEqualTo(GenerationOptions.first());
        assertThat(options.allPeers()).isEqualTo(options.peers());
    }

    @Test
    void thePreviousTimesAreThoseOfNowUnlessTheyAreGiven() {
        PaxosLeaseOptions.Builder now =
                replaced("a").maxLeaseTime(Duration.ofSeconds(7)).clockDrift(0.2);

        assertThat(previous(now).maxLeaseTime()).isEqualTo(Duration.ofSeconds(7));
        assertThat(previous(now).clockDrift()).isEqualTo(0.2);
        now.previousMaxLeaseTime(Duration.ofSeconds(3)).previousClockDrift(0.1);
        assertThat(previous(now).maxLeaseTime()).isEqualTo(Duration.ofSeconds(3));
        assertThat(previous(now).clockDrift()).isEqualTo(0.1);
        assertThat(now.build().generation().number()).isEqualTo(2);
    }

    @Test
    void aNodeOfEitherListVotes() {
        assertThat(replaced("c").mode(NodeMode.AUTO).build().isClient()).isFalse();
        assertThat(replaced("d").mode(NodeMode.AUTO).build().isClient()).isFalse();
        assertThat(replaced("x").mode(NodeMode.AUTO).build().isClient()).isTrue();
        assertThatNoException().isThrownBy(() -> replaced("c").build());
        refused(() -> replaced("x").build(), "peers", "does not list this node, 'x', nor do the previous peers; list");
        refused(() -> replaced("c").mode(NodeMode.CLIENT).build(), "nodeId", "is the id of a member");
    }

    @Test
    void theAddressInThePeersCounts() {
        PaxosLeaseOptions moved = replaced("a").previousPeer("d", "old:9").build();

        assertThat(moved.allPeers())
                .containsOnlyKeys("a", "b", "c", "d")
                .containsEntry("d", InetSocketAddress.createUnresolved("host", 4));
    }

    @Test
    void theAddressesOfBothListsAreDistinct() {
        refused(
                () -> replaced("a").peer("e", "host:3").build(),
                "previousPeers",
                "is the address of both 'e' and 'c'; give each node its own");
        refused(() -> replaced("a").previousPeer("c", "host:5").build(), "previousPeers", "is listed twice");
        refused(() -> replaced("a").previousPeer("e", "host").build(), "previousPeers", "is no address for 'e'");
    }

    @Test
    void bothListsHaveAtMost63MembersTogether() {
        PaxosLeaseOptions.Builder most = PaxosLeaseOptions.builder("n0")
                .generation(2)
                .peers(peers(0, 32))
                .previousPeers(peers(32, 63));
        assertThatNoException().isThrownBy(most::build);
        refused(
                () -> most.previousPeer("n63", "host:64").build(),
                "previousPeers",
                "at most 63 members, before and after a change together");
    }

    private static Map<String, String> peers(int from, int to) {
        return IntStream.range(from, to).boxed().collect(Collectors.toMap(i -> "n" + i, i -> "host:" + (i + 1)));
    }

    @Test
    void previousPeersBelongToALaterGeneration() {
        refused(
                () -> replaced("a").generation(1).build(),
                "previousPeers",
                "set the generation to one more than the cell runs");
        refused(() -> replaced("a").generation(0).build(), "generation", "must be from 1 to 1000000000");
    }

    @Test
    void previousTimesBelongToPreviousPeers() {
        PaxosLeaseOptions.Builder two =
                PaxosLeaseOptions.builder("a").generation(2).peer("a", "host:1");
        refused(
                () -> two.previousClockDrift(0.1).build(),
                "previousClockDrift",
                "list those too, as previousPeers, even if they are the same");
        refused(
                () -> two.previousMaxLeaseTime(Duration.ofSeconds(1)).build(),
                "previousMaxLeaseTime",
                "list those too, as previousPeers");
    }

    @Test
    void previousTimesHaveBounds() {
        refused(
                () -> replaced("a").previousMaxLeaseTime(Duration.ofMillis(99)).build(),
                "previousMaxLeaseTime",
                "must be at least 100 ms");
        refused(
                () -> replaced("a").previousMaxLeaseTime(Duration.ofHours(25)).build(),
                "previousMaxLeaseTime",
                "must be at most PT24H");
        refused(
                () -> replaced("a").previousClockDrift(0.6).build(),
                "previousClockDrift",
                "must be from 0.0001 to 0.5");
    }

    @Test
    void onlyACellOfSeveralThatRunsPaxosLeaseHasGenerations() {
        refused(
                () -> replaced("a").algorithm(new OtherAlgorithm()).build(),
                "generation",
                "stop every node to change the configuration");
        refused(
                () -> PaxosLeaseOptions.builder("a").generation(2).build(),
                "generation",
                "needs the members after the change: list them all as peers");
        refused(
                () -> PaxosLeaseOptions.builder()
                        .mode(NodeMode.CLIENT)
                        .contactPoint("host:1")
                        .generation(2)
                        .build(),
                "generation",
                "is what the members say to a client that has contact points");
    }

    /** It may have been one of several before, or become one of several. */
    @Test
    void aLaterGenerationIsNoCellOfOne() {
        PaxosLeaseOptions.Builder one = PaxosLeaseOptions.builder("a").peer("a", "host:1");
        assertThat(one.build().isCellOfOne()).isTrue();
        assertThat(one.generation(2).build().isCellOfOne()).isFalse();
    }

    @Test
    void aMemberThatIsLeftAloneHasClientsAsBefore() {
        PaxosLeaseOptions shrunk = PaxosLeaseOptions.builder("a")
                .generation(2)
                .peer("a", "host:1")
                .previousPeers(Map.of("a", "host:1", "b", "host:2", "c", "host:3"))
                .build();
        assertThat(shrunk.maxClients()).isEqualTo(PaxosLeaseOptions.DEFAULT_MAX_CLIENTS);
    }

    private static void refused(ThrowingCallable setUp, String option, String reason) {
        InvalidOptionException e = catchThrowableOfType(InvalidOptionException.class, setUp);
        assertThat(e).as("refusal of %s", option).isNotNull();
        assertThat(e.option()).isEqualTo(option);
        assertThat(e.reason()).contains(reason);
    }
}
