package io.paxoslease.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paxoslease.AlgorithmOptions;
import io.paxoslease.NodeStartException;
import io.paxoslease.PaxosLeaseOptions;
import io.paxoslease.spring.leader.RoleSettings;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.mock.env.MockEnvironment;

class PaxosLeasePropertiesTest {

    private static final String STANDALONE = "standalone=true";
    private static final List<String> THREE_PEERS =
            List.of("peers.a=127.0.0.1:7401", "peers.b=127.0.0.1:7402", "peers.c=127.0.0.1:7403");

    @Test
    void theDefaultsAreThoseOfTheLibrary() {
        PaxosLeaseOptions options = options(STANDALONE);
        PaxosLeaseOptions expected = PaxosLeaseOptions.builder("local").build();
        assertThat(options.nodeId()).isEqualTo("local");
        assertThat(options.peers()).isEmpty();
        assertThat(options.isCellOfOne()).isTrue();
        assertThat(options.cell()).isEqualTo("my.app");
        assertThat(options.leaseTime()).isEqualTo(expected.leaseTime()).isEqualTo(Duration.ofSeconds(3));
        assertThat(options.maxLeaseTime()).isEqualTo(expected.maxLeaseTime()).isEqualTo(Duration.ofSeconds(5));
        assertThat(options.clockDrift()).isEqualTo(expected.clockDrift()).isEqualTo(0.10);
        assertThat(options.bindHost()).isNull();
    }

    @Test
    void everyPropertyReachesTheNode() {
        PaxosLeaseOptions options = options(
                THREE_PEERS,
                "node-id=b",
                "cell=shop",
                "lease-time=700ms",
                "max-lease-time=900ms",
                "clock-drift=0.02",
                "bind-host=0.0.0.0");
        assertThat(options.nodeId()).isEqualTo("b");
        assertThat(options.peers()).containsOnlyKeys("a", "b", "c");
        assertThat(options.peers().get("c")).hasToString("127.0.0.1/<unresolved>:7403");
        assertThat(options.cell()).isEqualTo("shop");
        assertThat(options.leaseTime()).isEqualTo(Duration.ofMillis(700));
        assertThat(options.maxLeaseTime()).isEqualTo(Duration.ofMillis(900));
        assertThat(options.clockDrift()).isEqualTo(0.02);
        assertThat(options.bindHost()).isEqualTo("0.0.0.0");
    }

    @Test
    void aLongerLeaseTimeRaisesTheDefaultMaximum() {
        assertThat(options(STANDALONE, "lease-time=20s").maxLeaseTime()).isEqualTo(Duration.ofSeconds(20));
    }

    @Test
    void anIdOfOtherCharactersGoesInBrackets() {
        assertThat(options("node-id=Node_1", "peers[Node_1]=127.0.0.1:7401").peers())
                .containsOnlyKeys("Node_1");
    }

    @Test
    void aClientNeedsNoNodeId() {
        PaxosLeaseOptions client = options(THREE_PEERS, "mode=client");
        assertThat(client.isClient()).isTrue();
        assertThat(client.application()).isEqualTo("my.app");
        assertThat(client.nodeId()).startsWith("my.app@");
        assertThat(options(THREE_PEERS, "mode=auto", "node-id=b").isClient()).isFalse();
        assertThat(options(THREE_PEERS, "mode=auto", "node-id=x").isClient()).isTrue();
        assertThat(options(STANDALONE, "mode=client").isCellOfOne()).isTrue();
    }

    @Test
    void aClientMayHaveContactPointsInsteadOfPeers() {
        PaxosLeaseOptions client = options("mode=client", "contact-points=lease.default.svc:7400, 10.0.0.1:7400");
        assertThat(client.contactPoints())
                .extracting(InetSocketAddress::toString)
                .containsExactly("lease.default.svc/<unresolved>:7400", "10.0.0.1/<unresolved>:7400");
        assertThat(client.nodeId()).startsWith("my.app@");
        assertThat(options("mode=auto", "contact-points=h:1").isClient()).isTrue();
        assertThat(options(STANDALONE, "mode=client", "contact-points=h:1").isCellOfOne())
                .isTrue();
        assertThat(roles("mode=client", "contact-points=h:1", "roles.a.lease-time=20s"))
                .containsKey("a");
    }

    @Test
    void contactPointsHaveTheirPlace() {
        assertRefused("paxoslease.contact-points", "Are for clients", List.of("contact-points=h:1"), "node-id=a");
        assertRefused(
                "paxoslease.contact-points",
                "Stand beside a list of peers",
                THREE_PEERS,
                "mode=client",
                "contact-points=h:1");
        assertRefused(
                "paxoslease.contact-points",
                "Is no address for a contact point; write host:port",
                List.of(),
                "mode=client",
                "contact-points=lease.default.svc");
        assertRefused(
                "paxoslease.peers", "or give the client paxoslease.contact-points instead", List.of(), "mode=client");
    }

    @Test
    void aMemberAdmitsAsManyClientsAsItIsTold() {
        assertThat(options(THREE_PEERS, "node-id=b").maxClients()).isEqualTo(10_000);
        assertThat(options(THREE_PEERS, "node-id=b", "clients.max=7").maxClients())
                .isEqualTo(7);
        assertThat(options(THREE_PEERS, "node-id=b", "clients.enabled=false", "clients.max=7")
                        .maxClients())
                .isZero();
        assertThat(options(THREE_PEERS, "node-id=b").maxClientsPerSource()).isEqualTo(5_000);
        assertThat(options(THREE_PEERS, "node-id=b", "clients.max-per-source=9").maxClientsPerSource())
                .isEqualTo(9);
    }

    @Test
    void anEmptyNodeIdCountsAsMissing() {
        assertThat(options(STANDALONE, "node-id=").nodeId()).isEqualTo("local");
    }

    @Test
    void anEmptyBindHostCountsAsMissing() {
        assertThat(options(STANDALONE, "bind-host=").bindHost()).isNull();
    }

    @Test
    void withoutPeersANodeMustBeDeclaredStandalone() {
        assertMissing(
                "paxoslease.peers", "'paxoslease.standalone=true' makes this instance a cell of its own", List.of());
        assertMissing("paxoslease.peers", "List every instance", List.of(), "node-id=a");
    }

    @Test
    void aStandaloneNodeIgnoresItsPeers() {
        PaxosLeaseOptions options = options(THREE_PEERS, STANDALONE, "node-id=b");
        assertThat(options.isCellOfOne()).isTrue();
        assertThat(options.nodeId()).isEqualTo("b");
        assertThat(options(THREE_PEERS, STANDALONE).nodeId()).isEqualTo("local");
    }

    @Test
    void configuredRolesHaveTheirSettings() {
        assertThat(roles(
                        "roles.a.eligible=false",
                        "roles.b.lease-time=4s",
                        "roles.b.cool-down=0s",
                        "roles.b.preference=n2,n1"))
                .isEqualTo(Map.of(
                        "a",
                                new RoleSettings(
                                        false, null, Duration.ofSeconds(1), null, Duration.ofSeconds(10), List.of()),
                        "b",
                                new RoleSettings(
                                        true,
                                        Duration.ofSeconds(4),
                                        Duration.ZERO,
                                        null,
                                        Duration.ofSeconds(10),
                                        List.of("n2", "n1"))));
        assertThat(roles()).isEmpty();
    }

    @Test
    void thePreferenceOfARoleNamesEachNodeOnce() {
        assertRoleRefused("paxoslease.roles.a.preference", "each once", "roles.a.preference=n1,n2,n1");
        assertRoleRefused("paxoslease.roles.a.preference", "node ids", "roles.a.preference=n 1");
    }

    @Test
    void theLeaseTimeOfARoleHasBounds() {
        assertRoleRefused(
                "paxoslease.roles.a.lease-time",
                "at most 'paxoslease.max-lease-time', which is 5000 ms",
                "roles.a.lease-time=6s");
        assertRoleRefused("paxoslease.roles.a.lease-time", "at least 100 ms", "roles.a.lease-time=99ms");
        assertRoleRefused("paxoslease.roles.a.cool-down", "zero or more", "roles.a.cool-down=-1s");
        assertRoleRefused("paxoslease.roles.a.cool-down", "at most a day", "roles.a.cool-down=25h");
        assertThat(roles("roles.a.lease-time=6s", "lease-time=6s")).containsKey("a");
        assertThat(roles("roles.a.lease-time=6s", "max-lease-time=7s")).containsKey("a");
    }

    private static Map<String, RoleSettings> roles(String... settings) {
        return properties(List.of(STANDALONE), settings).toRoleSettings();
    }

    private static void assertRoleRefused(String property, String reason, String setting) {
        assertThatThrownBy(() -> roles(setting))
                .isInstanceOfSatisfying(InvalidConfigurationPropertyValueException.class, refusal -> {
                    assertThat(refusal.getName()).isEqualTo(property);
                    assertThat(refusal.getReason()).contains(reason);
                });
    }

    @Test
    void peersWithoutANodeIdAreRefused() {
        assertMissing("paxoslease.node-id", "Set it to this node's id, which is one of [a, b, c]", THREE_PEERS);
    }

    @Test
    void aNodeThatIsNoPeerIsRefused() {
        assertRefused("paxoslease.peers", "Does not list this node, 'd'; list every member", THREE_PEERS, "node-id=d");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "10.0.0.7              | Is no address for 'a'; write host:port",
                "10.0.0.7:http         | Is no address for 'a'; write host:port",
                "http://10.0.0.7:7400  | Is no address for 'a'; write host:port",
                "10.0.0.7:70000        | The port of 'a' must be from 1 to 65535",
                "10.0.0.7:0            | The port of 'a' must be from 1 to 65535"
            })
    void aMalformedAddressIsRefused(String address, String reason) {
        assertRefused("paxoslease.peers", reason, List.of(), "node-id=a", "peers.a=" + address);
    }

    @Test
    void twoNodesWithOneAddressAreRefused() {
        assertRefused(
                "paxoslease.peers",
                "Is the address of both",
                List.of(),
                "node-id=a",
                "peers.a=10.0.0.7:7400",
                "peers.b=10.0.0.7:7400");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "lease-time=50ms     | paxoslease.lease-time     | Must be at least 100 ms",
                "lease-time=0s       | paxoslease.lease-time     | Must be at least 100 ms",
                "max-lease-time=2s   | paxoslease.lease-time     | Is above the maximum lease time, PT2S",
                "max-lease-time=30h  | paxoslease.max-lease-time | Must be at most PT24H",
                "clock-drift=0       | paxoslease.clock-drift    | Must be from 0.0001 to 0.5",
                "clock-drift=0.9     | paxoslease.clock-drift    | Must be from 0.0001 to 0.5",
                "cell=two words      | paxoslease.cell           | Must be at most 128 bytes of UTF-8 without white space",
                "node-id=two words   | paxoslease.node-id        | Must be at most 128 bytes of UTF-8 without white space"
            })
    void aValueOutOfBoundsIsRefused(String setting, String property, String reason) {
        assertRefused(property, reason, List.of(STANDALONE), setting);
    }

    private static void assertRefused(String property, String reason, List<String> peers, String... settings) {
        assertThatThrownBy(() -> options(peers, settings))
                .isInstanceOfSatisfying(InvalidConfigurationPropertyValueException.class, failure -> {
                    assertThat(failure.getName()).isEqualTo(property);
                    assertThat(failure.getReason()).contains(reason).endsWith(".");
                });
    }

    private static void assertMissing(String property, String action, List<String> peers, String... settings) {
        assertThatThrownBy(() -> options(peers, settings)).isInstanceOfSatisfying(NodeStartException.class, failure -> {
            assertThat(failure).hasMessageStartingWith("The configuration property '" + property + "' is missing.");
            assertThat(failure.action()).contains(action).endsWith(".");
        });
    }

    private static PaxosLeaseOptions options(String... settings) {
        return options(List.of(), settings);
    }

    private static PaxosLeaseOptions options(List<String> peers, String... settings) {
        MockEnvironment environment = new MockEnvironment().withProperty("spring.application.name", "my.app");
        return new NodeOptions(new CellDetails(properties(peers, settings), null), List.of(), environment)
                .build(null, () -> AlgorithmOptions.PAXOSLEASE, () -> null);
    }

    private static PaxosLeaseProperties properties(List<String> peers, String... settings) {
        StandardEnvironment environment = new StandardEnvironment();
        TestPropertyValues.of(Stream.concat(peers.stream(), Stream.of(settings)).map("paxoslease."::concat))
                .applyTo(environment);
        return Binder.get(environment).bindOrCreate("paxoslease", PaxosLeaseProperties.class);
    }
}
