package io.paxoslease;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.paxoslease.testing.OtherAlgorithm;
import java.net.InetSocketAddress;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What a node is to its cell, as configured. */
class ClientOptionsTest {

    private static final Map<String, String> PEERS = Map.of("a", "ha:1", "b", "hb:1", "c", "hc:1");

    private static PaxosLeaseOptions.Builder client() {
        return PaxosLeaseOptions.builder().mode(NodeMode.CLIENT).peers(PEERS);
    }

    private static void assertRefused(PaxosLeaseOptions.Builder builder, String option, String said) {
        assertThatExceptionOfType(InvalidOptionException.class)
                .isThrownBy(builder::build)
                .satisfies(e -> assertThat(e.option()).isEqualTo(option))
                .withMessageContaining(said);
    }

    @Test
    void aSmallHeapHasRoomForFewerClients() {
        assertThat(OptionChecks.defaultMaxClients(64L << 20)).isEqualTo(2_048);
        assertThat(OptionChecks.defaultMaxClients(1L << 40)).isEqualTo(PaxosLeaseOptions.DEFAULT_MAX_CLIENTS);
    }

    /** One machine does not take the places of all, unless there are few. */
    @Test
    void halfOfTheClientsMayComeFromOneSourceUnlessItIsSet() {
        assertThat(PaxosLeaseOptions.builder("a").peers(PEERS).build().maxClientsPerSource())
                .isEqualTo(5_000);
        assertThat(PaxosLeaseOptions.builder("a")
                        .peers(PEERS)
                        .maxClients(100)
                        .build()
                        .maxClientsPerSource())
                .isEqualTo(64);
        assertThat(PaxosLeaseOptions.builder("a")
                        .peers(PEERS)
                        .maxClients(7)
                        .build()
                        .maxClientsPerSource())
                .isEqualTo(7);
        assertThat(PaxosLeaseOptions.builder("a")
                        .peers(PEERS)
                        .maxClients(0)
                        .build()
                        .maxClientsPerSource())
                .isZero();
        assertThat(PaxosLeaseOptions.builder("a")
                        .peers(PEERS)
                        .maxClientsPerSource(9)
                        .build()
                        .maxClientsPerSource())
                .isEqualTo(9);
        assertRefused(
                PaxosLeaseOptions.builder("a").peers(PEERS).maxClientsPerSource(0),
                "maxClientsPerSource",
                "from 1 to 100000");
    }

    /** A client ignores the number, since it admits no clients; an impossible number is still refused. */
    @Test
    void aClientsNumberOfClientsIsChecked() {
        assertThat(client().maxClients(7).build().maxClients()).isZero();
        assertRefused(client().maxClients(-1), "maxClients", "from 0 to 100000");
        assertRefused(
                PaxosLeaseOptions.builder().mode(NodeMode.AUTO).peers(PEERS).maxClients(100_001),
                "maxClients",
                "from 0 to 100000");
    }

    @Test
    void aClientNeedsNoIdAndGetsOneOfItsOwn() {
        PaxosLeaseOptions one = client().application("orders").build();
        PaxosLeaseOptions other = client().application("orders").build();

        assertThat(one.nodeId()).matches("orders@.+-[a-z2-7]{6}").isNotEqualTo(other.nodeId());
        assertThat(one.isClient()).isTrue();
        assertThat(one.isCellOfOne()).isFalse();
        assertThat(one.maxClients()).isZero();
        assertThat(client().build().nodeId()).startsWith("client@");
    }

    /** With one member, too, it leads nothing by itself. */
    @Test
    void aClientOfOneMemberIsNoCellOfOne() {
        assertThat(PaxosLeaseOptions.builder("z")
                        .mode(NodeMode.CLIENT)
                        .peer("a", "ha:1")
                        .build()
                        .isCellOfOne())
                .isFalse();
    }

    @Test
    void aLongApplicationIsCutInTheId() {
        String id = client().application("é".repeat(60)).build().nodeId();
        assertThat(id).startsWith("é".repeat(30) + "@");
    }

    @Test
    void inAutoAPeerIsAMemberAndAnyOtherNodeAClient() {
        PaxosLeaseOptions member =
                PaxosLeaseOptions.builder("b").mode(NodeMode.AUTO).peers(PEERS).build();
        PaxosLeaseOptions client = PaxosLeaseOptions.builder("lease-7")
                .mode(NodeMode.AUTO)
                .peers(PEERS)
                .bindHost("0.0.0.0")
                .build();
        PaxosLeaseOptions unnamed =
                PaxosLeaseOptions.builder().mode(NodeMode.AUTO).peers(PEERS).build();

        assertThat(member.mode()).isEqualTo(NodeMode.MEMBER);
        assertThat(member.maxClients()).isEqualTo(PaxosLeaseOptions.DEFAULT_MAX_CLIENTS);
        assertThat(client.mode()).isEqualTo(NodeMode.CLIENT);
        assertThat(client.nodeId()).isEqualTo("lease-7");
        assertThat(client.bindHost()).isNull();
        assertThat(unnamed.isClient()).isTrue();
    }

    @Test
    void inAutoTheHostsNameIsTheId() {
        String label = NodeNames.firstLabel(NodeNames.host());
        PaxosLeaseOptions member = PaxosLeaseOptions.builder()
                .mode(NodeMode.AUTO)
                .peers(Map.of(label, "ha:1", "b", "hb:1"))
                .build();
        assertThat(member.nodeId()).isEqualTo(label);
        assertThat(member.isClient()).isFalse();
        assertThat(NodeNames.firstLabel("lease-0.lease.default.svc")).isEqualTo("lease-0");
        assertThat(NodeNames.firstLabel(".x")).isEqualTo(".x");
    }

    @Test
    void whatAClientCannotBeIsSaid() {
        assertRefused(
                PaxosLeaseOptions.builder("a").mode(NodeMode.CLIENT).peers(PEERS), "nodeId", "is the id of a member");
        assertRefused(PaxosLeaseOptions.builder("z").mode(NodeMode.CLIENT), "peers", "must list the members");
        assertRefused(client().bindHost("0.0.0.0"), "bindHost", "listens nowhere");
        assertRefused(client().algorithm(new OtherAlgorithm()), "mode", "this node runs 'other'");
        assertRefused(client().application("a b"), "application", "white space");
    }

    @Test
    void aMemberThatIsNotListedIsToldOfClients() {
        assertRefused(
                PaxosLeaseOptions.builder("z").peers(PEERS),
                "peers",
                "or set the mode to 'client' or 'auto' if this node must not vote");
        assertRefused(PaxosLeaseOptions.builder().peers(PEERS), "nodeId", "must not be empty");
    }

    @Test
    void onlyListedMembersHaveClientsAndACellOfOneOnlyIfItIsTold() {
        PaxosLeaseOptions.Builder alone = PaxosLeaseOptions.builder("a").peer("a", "ha:1");
        assertThat(alone.build().maxClients()).isZero();
        assertThat(alone.build().isCellOfOne()).isTrue();
        assertThat(alone.maxClients(1).build().isCellOfOne()).isFalse();
        assertRefused(PaxosLeaseOptions.builder("a").maxClients(1), "maxClients", "only listed members of a cell");
        assertRefused(PaxosLeaseOptions.builder("a").peers(PEERS).maxClients(-1), "maxClients", "from 0 to 100000");
        assertThat(PaxosLeaseOptions.builder("a")
                        .peers(PEERS)
                        .algorithm(new OtherAlgorithm())
                        .build()
                        .maxClients())
                .isZero();
        assertThat(PaxosLeaseOptions.builder("a")
                        .peers(PEERS)
                        .maxClients(0)
                        .build()
                        .maxClients())
                .isZero();
    }

    private static PaxosLeaseOptions.Builder contacting(String point) {
        return PaxosLeaseOptions.builder().mode(NodeMode.CLIENT).contactPoint(point);
    }

    @Test
    void aClientMayHaveContactPointsInsteadOfPeers() {
        PaxosLeaseOptions client = contacting("lease.default.svc:7400").build();

        assertThat(client.contactPoints())
                .containsExactly(InetSocketAddress.createUnresolved("lease.default.svc", 7400));
        assertThat(client.peers()).isEmpty();
        assertThat(client.isCellOfOne()).isFalse();
        assertThat(contacting("[fd00::1]:7400").build().contactPoints().get(0).getHostString())
                .isEqualTo("fd00::1");
        assertThat(PaxosLeaseOptions.builder()
                        .mode(NodeMode.AUTO)
                        .contactPoint("ha:1")
                        .build()
                        .isClient())
                .isTrue();
    }

    @Test
    void twoListsAreRefused() {
        assertRefused(contacting("ha:1").peers(PEERS), "contactPoints", "stand beside a list of peers");
    }

    @Test
    void aMemberHasNoContactPoints() {
        assertRefused(PaxosLeaseOptions.builder().contactPoint("ha:1"), "contactPoints", "or set the mode to 'client'");
        assertRefused(PaxosLeaseOptions.builder("a").contactPoint("ha:1"), "contactPoints", "are for clients");
        assertRefused(
                PaxosLeaseOptions.builder("a").peers(PEERS).contactPoint("ha:1"), "contactPoints", "are for clients");
    }

    @Test
    void aClientThatIsToldNothingIsRefused() {
        assertRefused(
                PaxosLeaseOptions.builder().mode(NodeMode.CLIENT), "peers", "or give the client contactPoints instead");
    }

    @Test
    void contactPointsAreAddresses() {
        assertThatExceptionOfType(InvalidOptionException.class)
                .isThrownBy(() -> contacting("lease.default.svc"))
                .withMessageContaining("contactPoints")
                .withMessageContaining("is no address for a contact point; write host:port");
        PaxosLeaseOptions.Builder many = contacting("h:1");
        for (int i = 2; i <= 64; i++) {
            many.contactPoint("h:" + i);
        }
        assertRefused(many, "contactPoints", "at most 63");
    }
}
