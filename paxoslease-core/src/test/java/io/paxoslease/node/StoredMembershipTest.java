package io.paxoslease.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paxoslease.GenerationOptions;
import io.paxoslease.InvalidOptionException;
import io.paxoslease.Membership;
import io.paxoslease.NodeMode;
import io.paxoslease.NodeStartException;
import io.paxoslease.PaxosLeaseOptions;
import io.paxoslease.testing.HeldMembership;
import io.paxoslease.testing.LogCapture;
import io.paxoslease.testing.OtherAlgorithm;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Section 9: which generation a node with a store starts with. */
class StoredMembershipTest {

    private static final Duration MAX = Duration.ofSeconds(5);

    private final HeldMembership store = new HeldMembership();

    private static PaxosLeaseOptions.Builder options(String id, String... peers) {
        PaxosLeaseOptions.Builder options = PaxosLeaseOptions.builder(id).maxLeaseTime(MAX);
        Stream.of(peers).forEach(peer -> options.peer(peer, peer + ".example:7400"));
        return options;
    }

    private static PaxosLeaseOptions.Builder second(PaxosLeaseOptions.Builder options, String... previous) {
        Stream.of(previous).forEach(peer -> options.previousPeer(peer, peer + ".example:7400"));
        return options.generation(2);
    }

    private PaxosLeaseOptions resolve(PaxosLeaseOptions.Builder options) {
        return StoredMembership.resolve(options.membershipStore(store).build());
    }

    private static Map<String, InetSocketAddress> addresses(String... peers) {
        Map<String, InetSocketAddress> addresses = new LinkedHashMap<>();
        Stream.of(peers).forEach(peer -> addresses.put(peer, InetSocketAddress.createUnresolved(peer + ".stored", 1)));
        return addresses;
    }

    private static Membership first(String... peers) {
        return new Membership(GenerationOptions.first(), addresses(peers), MAX, 0.1, false);
    }

    private static Membership second(Membership first, String... peers) {
        GenerationOptions after = new GenerationOptions(2, new GenerationOptions.Previous(first.peers(), MAX, 0.1));
        return new Membership(after, addresses(peers), MAX, 0.1, false);
    }

    @Test
    void whatIsConfiguredIsStoredWhereNothingIs() {
        PaxosLeaseOptions a = resolve(options("a", "a", "b", "c"));
        assertThat(store.stored())
                .returns(GenerationOptions.first(), Membership::generation)
                .returns(a.peers(), Membership::peers);
        assertThat(resolve(options("b", "a", "b", "c")).peers()).isEqualTo(a.peers());
        assertThat(store.writes()).isOne();
    }

    /** Who runs the stored generation by its own configuration knows addresses as well as the store. */
    @Test
    void ofTheSameGenerationTheConfiguredAddressesCountAndAreStored() {
        store.put(first("a", "b", "c"));
        PaxosLeaseOptions a = resolve(options("a", "a", "b", "c"));
        assertThat(a.peers().get("b")).hasToString("b.example/<unresolved>:7400");
        assertThat(store.stored()).returns(a.peers(), Membership::peers);
    }

    @Test
    void aStoredSealIsKeptByWhoStoresItsAddresses() {
        Membership second = second(first("a", "b", "c"), "a", "b", "d");
        store.put(new Membership(
                second.generation(), second.peers(), second.maxLeaseTime(), second.clockDrift(), true, true));
        PaxosLeaseOptions a = resolve(second(options("a", "a", "b", "d"), "a", "b", "c"));
        assertThat(store.stored())
                .returns(a.peers(), Membership::peers)
                .returns(true, Membership::sealed)
                .returns(true, Membership::previousSealed);
    }

    @Test
    void theStoredGenerationRunsWhereAnOlderOneIsConfigured() {
        Membership stored = second(first("a", "b", "c"), "a", "b", "d");
        store.put(stored);
        try (LogCapture log = LogCapture.of(StoredMembership.class)) {
            PaxosLeaseOptions a = resolve(options("a", "a", "b", "c"));
            assertThat(a.peers()).isEqualTo(stored.peers());
            assertThat(a.generation()).isEqualTo(stored.generation());
            assertThat(String.join("\n", log.lines()))
                    .contains("configured with generation 1", "store of this test has generation 2", "[a, b, d]");
        }
        assertThat(resolve(options("c", "a", "b", "c")).allPeers()).containsKey("c");
        assertThat(store.writes()).isZero();
    }

    @Test
    void aChangeByConfigurationIsStored() {
        resolve(options("a", "a", "b", "c"));
        resolve(second(options("d", "a", "b", "d"), "a", "b", "c"));
        assertThat(store.stored())
                .returns(2, stored -> stored.generation().number())
                .returns(false, Membership::sealed)
                .returns(true, Membership::previousSealed);
        assertThat(resolve(options("a", "a", "b", "c")).peers()).containsOnlyKeys("a", "b", "d");
    }

    /** R5. */
    @Test
    void aChangeByConfigurationWaitsForTheStoredSeal() {
        Membership stored = second(first("a", "b", "c"), "a", "b", "d");
        store.put(stored);
        PaxosLeaseOptions.Builder third =
                second(options("a", "a", "b"), "a", "b", "d").generation(3);
        assertThatThrownBy(() -> resolve(third))
                .isInstanceOf(NodeStartException.class)
                .hasMessageContaining("does not say yet that generation 2 is sealed")
                .hasMessageContaining("Wait for the seal");
        PaxosLeaseOptions client = resolve(
                second(options("z", "a", "b"), "a", "b", "d").generation(3).mode(NodeMode.CLIENT));
        assertThat(client.generation().number()).as("it grants nothing").isEqualTo(3);
        assertThat(store.stored()).isEqualTo(stored);
        store.put(stored.whenSealed());
        resolve(third);
        assertThat(store.stored())
                .returns(3, after -> after.generation().number())
                .returns(true, Membership::previousSealed);
    }

    @Test
    void anotherContentIsRefusedAndBothAreShown() {
        store.put(first("a", "b", "c"));
        assertThatThrownBy(() -> resolve(options("a", "a", "b", "d")))
                .isInstanceOf(NodeStartException.class)
                .hasMessageContaining("another content of generation 1: [a, b, c]")
                .hasMessageContaining("[a, b, d]")
                .hasMessageContaining("generation 2");
    }

    @Test
    void aGenerationThatDoesNotFollowIsRefused() {
        store.put(first("a", "b", "c"));
        assertThatThrownBy(() -> resolve(second(options("a", "a", "b", "d"), "a", "b")))
                .isInstanceOf(NodeStartException.class)
                .hasMessageContaining("List the members of generation 1");
        assertThatThrownBy(() -> resolve(
                        second(options("a", "a", "b", "d"), "a", "b", "c").generation(3)))
                .isInstanceOf(NodeStartException.class)
                .hasMessageContaining("one by one")
                .hasMessageContaining("generation 2");
        assertThat(store.writes()).isZero();
    }

    @Test
    void aNodeThatTheStoreDoesNotListDoesNotStart() {
        store.put(second(first("a", "b", "c"), "a", "b", "d"));
        assertThatThrownBy(() -> resolve(options("e", "a", "b", "c", "e")))
                .isInstanceOf(NodeStartException.class)
                .hasMessageContaining("and this node is no member of it")
                .hasMessageContaining("changeMembers");
        assertThatThrownBy(() -> resolve(options("d", "a", "b", "c").mode(NodeMode.CLIENT)))
                .isInstanceOf(NodeStartException.class)
                .hasMessageContaining("it is a client");
    }

    @Test
    void aClientReadsAndStoresNothing() {
        assertThat(resolve(options("z", "a", "b", "c").mode(NodeMode.CLIENT)).peers())
                .hasSize(3);
        assertThat(store.stored()).isNull();
        store.put(second(first("a", "b", "c"), "a", "b", "d"));
        assertThat(resolve(options("z", "a", "b", "c").mode(NodeMode.CLIENT)).peers())
                .containsOnlyKeys("a", "b", "d");
    }

    @Test
    void whoIsBeatenReadsAgain() {
        Membership stored = second(first("a", "b", "c"), "a", "b", "d");
        store.isBeatenBy(stored);
        assertThat(resolve(options("a", "a", "b", "c")).generation()).isEqualTo(stored.generation());
    }

    @Test
    void aStoreThatFailsKeepsTheNodeFromStarting() {
        store.failWith("no such\ndisk");
        assertThatThrownBy(() -> resolve(options("a", "a", "b", "c")))
                .isInstanceOf(NodeStartException.class)
                .hasMessageContaining("cannot read")
                .hasMessageContaining("store of this test: no such")
                .hasMessageContaining("Correct that");
    }

    @Test
    void theLeaseTimeIsTheLongestLeaseAtMost() {
        store.put(new Membership(GenerationOptions.first(), addresses("a", "b"), MAX, 0.1, false));
        Membership shorter = new Membership(
                new GenerationOptions(2, new GenerationOptions.Previous(addresses("a", "b"), MAX, 0.1)),
                addresses("a", "b"),
                Duration.ofSeconds(1),
                0.1,
                false);
        store.put(shorter);
        assertThat(resolve(options("a", "a", "b")).leaseTime()).isEqualTo(Duration.ofSeconds(1));
    }

    @Test
    void aStoreIsForNodesThatListTheirPeersAndRunPaxosLease() {
        assertThatThrownBy(() -> resolve(PaxosLeaseOptions.builder("a")))
                .isInstanceOf(InvalidOptionException.class)
                .hasMessageContaining("store of this test")
                .hasMessageContaining("list the peers");
        assertThatThrownBy(() -> resolve(
                        PaxosLeaseOptions.builder("z").mode(NodeMode.CLIENT).contactPoint("lease.example:7400")))
                .isInstanceOf(InvalidOptionException.class)
                .hasMessageContaining("hears from its contact points");
        assertThatThrownBy(() -> resolve(options("a", "a", "b").algorithm(new OtherAlgorithm())))
                .isInstanceOf(InvalidOptionException.class)
                .hasMessageContaining("this node runs 'other'");
    }
}
