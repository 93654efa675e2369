package io.paxoslease.transport.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.protocol.NodeId;
import java.net.InetSocketAddress;
import java.util.Map;
import org.junit.jupiter.api.Test;

class MemberAddressesTest {

    private static final NodeId A = new NodeId("a");
    private static final NodeId D = new NodeId("d");

    private final MemberAddresses addresses = new MemberAddresses(Map.of(A, at(1)));

    private static InetSocketAddress at(int port) {
        return InetSocketAddress.createUnresolved("host", port);
    }

    @Test
    void whatIsConfiguredStands() {
        addresses.learn(Map.of(A, at(2)));
        addresses.reached(A, at(2));
        assertThat(addresses.of(A)).isEqualTo(at(1));
        assertThat(addresses.after(A, at(1))).isEqualTo(at(1));
    }

    @Test
    void eachAddressThatWasToldIsTriedInTurn() {
        addresses.learn(Map.of(D, at(1)));
        assertThat(addresses.after(D, at(1))).isEqualTo(at(1));
        addresses.learn(Map.of(D, at(2)));
        addresses.learn(Map.of(D, at(1)));
        assertThat(addresses.of(D)).isEqualTo(at(1));
        assertThat(addresses.after(D, at(1))).isEqualTo(at(2));
        assertThat(addresses.after(D, at(2))).isEqualTo(at(1));
    }

    @Test
    void othersAreToldWhereItWasReached() {
        addresses.learn(Map.of(D, at(1)));
        addresses.learn(Map.of(D, at(2)));
        addresses.reached(D, at(2));
        assertThat(addresses.all()).isEqualTo(Map.of(A, at(1), D, at(2)));
        assertThat(addresses.corrected(Map.of(A, at(3), D, at(1)))).isEqualTo(Map.of(A, at(3), D, at(2)));
    }

    @Test
    void ofManyAddressesTheOldestAreForgottenUnlessTheMemberWasReachedThere() {
        for (int port = 1; port <= 10; port++) {
            addresses.learn(Map.of(D, at(port)));
        }
        assertThat(addresses.after(D, at(10)))
                .as("where it may have been reached")
                .isEqualTo(at(1));
        assertThat(addresses.after(D, at(1))).isEqualTo(at(4));
    }

    @Test
    void aMemberThatHasLeftMayBeElsewhereWhenItIsOneAgain() {
        addresses.leaves(A);
        assertThat(addresses.of(A)).isNull();
        assertThat(addresses.all()).as("for those who ask for the list before").isEqualTo(Map.of(A, at(1)));
        addresses.learn(Map.of(A, at(2)));
        assertThat(addresses.of(A)).isEqualTo(at(2));
        assertThat(addresses.after(A, at(1))).isEqualTo(at(2));
    }
}
