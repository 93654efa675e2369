package io.paxoslease.samples.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.AcquireOptions;
import io.paxoslease.Lease;
import io.paxoslease.PaxosLease;
import io.paxoslease.PaxosLeaseOptions;
import io.paxoslease.monitor.PeerStatus;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Pods whose names the cluster's DNS learns late, as those of a new stateful set. */
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class LateNamesTest {

    private final Map<String, Integer> ports = new LinkedHashMap<>();
    private final Map<String, PaxosLease> pods = new LinkedHashMap<>();
    /** The names that the DNS knows. */
    private final Set<String> known = ConcurrentHashMap.newKeySet();

    @BeforeEach
    void startPods() throws IOException {
        for (int i = 0; i < 3; i++) {
            try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
                ports.put("app-" + i, free.getLocalPort());
            }
        }
        for (String pod : ports.keySet()) {
            PaxosLease node = PaxosLease.create(options(pod));
            pods.put(pod, node);
            node.start();
        }
    }

    @AfterEach
    void stopPods() {
        pods.values().forEach(PaxosLease::close);
    }

    @Test
    void noNodeLeadsBeforeNamesResolveAndOneDoesAsSoonAsTwoFindEachOther() throws Exception {
        PaxosLease first = Objects.requireNonNull(pods.get("app-0"));
        Awaitility.await()
                .until(() -> first.monitor().status().peers().stream().allMatch(LateNamesTest::doesNotResolve));
        var acquired = first.acquire("report", AcquireOptions.renewing());
        assertThat(acquired).isNotDone();

        known.add(host("app-1"));

        Lease lease = acquired.get(1, TimeUnit.MINUTES);
        assertThat(lease.isHeld()).isTrue();
        assertThat(first.monitor().status().peers())
                .filteredOn(LateNamesTest::doesNotResolve)
                .hasSize(1);

        ports.keySet().forEach(each -> known.add(host(each)));

        Awaitility.await().until(() -> pods.values().stream()
                .allMatch(pod -> pod.monitor().status().peers().stream().allMatch(PeerStatus::connected)));
    }

    private static boolean doesNotResolve(PeerStatus peer) {
        return peer.problem() != null && peer.problem().contains("does not resolve");
    }

    private PaxosLeaseOptions options(String pod) {
        PaxosLeaseOptions.Builder builder = PaxosLeaseOptions.builder(pod)
                .leaseTime(Duration.ofMillis(500))
                .maxLeaseTime(Duration.ofMillis(500))
                .bindHost("127.0.0.1")
                .resolver(this::resolve);
        ports.forEach((name, port) -> builder.peer(name, host(name) + ":" + port));
        return builder.build();
    }

    private static String host(String pod) {
        return pod + ".app.default.svc.cluster.local";
    }

    private InetSocketAddress resolve(InetSocketAddress asked) {
        return known.contains(asked.getHostString())
                ? new InetSocketAddress(InetAddress.getLoopbackAddress(), asked.getPort())
                : asked;
    }
}
