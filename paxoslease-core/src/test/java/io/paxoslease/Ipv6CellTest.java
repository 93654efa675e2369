package io.paxoslease;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.paxoslease.monitor.PeerStatus;
import io.paxoslease.testing.Eventually;
import io.paxoslease.testing.FreePorts;
import io.paxoslease.testing.LogCapture;
import io.paxoslease.transport.netty.NettyTransport;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A cell whose members are called by IPv6 addresses. */
@Tag("slow")
@Tag("jdk")
class Ipv6CellTest {

    private static final Duration LEASE_TIME = Duration.ofMillis(300);

    @BeforeAll
    static void needsIpv6() {
        assumeTrue(hasIpv6(), "this machine has no ::1");
    }

    private static boolean hasIpv6() {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getAllByName("::1")[0])) {
            return socket.isBound();
        } catch (IOException none) {
            return false;
        }
    }

    @Test
    void leasesAreGrantedAndAddressesShownAsTheyAreConfigured() {
        Map<String, String> peers = new LinkedHashMap<>();
        peers.put("a", "[::1]:" + FreePorts.next());
        peers.put("b", "[::1]:" + FreePorts.next());
        try (LogCapture log = LogCapture.of(NettyTransport.class);
                PaxosLease a = started("a", peers);
                PaxosLease b = started("b", peers)) {
            Lease lease = a.acquire("r", AcquireOptions.renewing()).join();
            assertThat(lease.isHeld()).isTrue();
            assertThat(b.monitor().peers()).extracting(PeerStatus::address).containsExactly(peers.get("a"));
            Eventually.until(
                    "both are logged", () -> log.count("INFO Connected to peer 'b' at " + peers.get("b")) == 1);
        }
    }

    private static PaxosLease started(String id, Map<String, String> peers) {
        PaxosLease node = PaxosLease.create(PaxosLeaseOptions.builder(id)
                .peers(peers)
                .cell("ipv6")
                .leaseTime(LEASE_TIME)
                .maxLeaseTime(LEASE_TIME)
                .build());
        node.start();
        return node;
    }
}
