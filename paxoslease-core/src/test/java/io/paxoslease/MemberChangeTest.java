package io.paxoslease;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.monitor.MembershipStatus;
import io.paxoslease.monitor.NodeStatus;
import io.paxoslease.monitor.PeerStatus;
import io.paxoslease.testing.Eventually;
import io.paxoslease.testing.TestCell;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Section 9: the members of a cell over TCP change by generations, one restart after the other. */
@Tag("slow")
class MemberChangeTest {

    /** Does not end when a loaded machine stands still for most of a second. */
    private static final Duration LEASE = Duration.ofSeconds(3);

    private static final AcquireOptions RENEWING = AcquireOptions.renewing();
    private static final List<String> THREE = List.of("a", "b", "c");
    private static final List<String> FIVE = List.of("a", "b", "c", "d", "e");

    private final TestCell cell = TestCell.of(LEASE, "a", "b", "c", "d", "e", "f", "x");

    @AfterEach
    void stop() {
        cell.close();
    }

    private Map<String, String> addresses(List<String> ids) {
        Map<String, String> addresses = new LinkedHashMap<>(cell.addresses());
        addresses.keySet().retainAll(ids);
        return addresses;
    }

    private PaxosLeaseOptions.Builder options(String id) {
        return PaxosLeaseOptions.builder(id).cell(cell.name()).leaseTime(LEASE).maxLeaseTime(LEASE);
    }

    private PaxosLease startFirst(String id, List<String> members) {
        return cell.start(options(id).peers(addresses(members)).build());
    }

    private PaxosLease startSecond(String id, List<String> members, List<String> previous) {
        return cell.start(options(id)
                .peers(addresses(members))
                .generation(2)
                .previousPeers(addresses(previous))
                .build());
    }

    /** Stops the nodes that run, starts all with the marks, and waits until they vote. */
    private void move(List<String> ids, List<String> members, List<String> previous) {
        ids.stream().filter(previous::contains).forEach(id -> cell.node(id).stop());
        ids.forEach(id -> startSecond(id, members, previous));
        ids.forEach(this::awaitVote);
    }

    private void moveEach(List<String> ids, List<String> members, List<String> previous) {
        ids.forEach(id -> move(List.of(id), members, previous));
    }

    private void awaitVote(String id) {
        Eventually.until(
                id + " votes",
                LEASE.multipliedBy(10),
                () -> cell.node(id).monitor().status().state() == NodeStatus.State.SERVING);
    }

    private void awaitSeal(String id) {
        Eventually.until(id + " knows of the seal", LEASE.multipliedBy(10), () -> {
            MembershipStatus membership = cell.node(id).monitor().status().membership();
            return membership != null && membership.sealed() == 2;
        });
    }

    @Test
    void aLeaseIsHeldWhileThreeMembersBecomeFive() throws InterruptedException {
        THREE.forEach(id -> startFirst(id, THREE));
        THREE.forEach(this::awaitVote);
        PaxosLease a = cell.node("a");
        Lease lease = a.tryAcquire("r", RENEWING).orElseThrow();

        move(List.of("d", "e"), FIVE, THREE);
        moveEach(List.of("c", "b"), FIVE, THREE);
        FIVE.forEach(this::awaitSeal);
        assertThat(lease.isHeld()).isTrue();
        assertThat(cell.node("d")
                        .tryAcquire(
                                "r", RENEWING.toBuilder().maxWait(Duration.ZERO).build()))
                .isEmpty();

        lease.release();
        a.stop();
        cell.node("b").stop();
        Lease later = cell.node("d").tryAcquire("r", RENEWING).orElseThrow();
        assertThat(later.fencingToken()).as("c, d and e are three of five").isGreaterThan(lease.fencingToken());
    }

    /** The client is started with the marks before members restart. */
    @Test
    void aMemberThatIsLeftOutAndAClientGoOnWithTheNewList() throws InterruptedException {
        THREE.forEach(id -> startFirst(id, THREE));
        THREE.forEach(this::awaitVote);
        Lease ofC = cell.node("c").tryAcquire("s", RENEWING).orElseThrow();
        List<String> next = List.of("a", "b", "d");
        move(List.of("d"), next, THREE);
        PaxosLease client = cell.start(options("z")
                .mode(NodeMode.CLIENT)
                .peers(addresses(next))
                .generation(2)
                .previousPeers(addresses(THREE))
                .build());
        Eventually.until("the client is connected", () -> client.monitor().peers().stream()
                .allMatch(PeerStatus::connected));
        Lease ofClient = client.tryAcquire("r", RENEWING).orElseThrow();

        moveEach(List.of("a", "b"), next, THREE);
        List.of("a", "b", "c", "d", "z").forEach(this::awaitSeal);
        assertThat(ofClient.isHeld()).isTrue();
        assertThat(ofC.isHeld()).isTrue();
        ofC.release();
        ofClient.release();
        assertThat(cell.node("c").tryAcquire("r", RENEWING)).isPresent();
    }

    /** Clients have the old list, or contact points among the old members, and nobody tells them of the new ones but members. */
    @Test
    void clientsGoOnWhileAllMembersMoveToOtherHosts() throws InterruptedException {
        List<String> next = List.of("d", "e", "f");
        THREE.forEach(id -> startFirst(id, THREE));
        THREE.forEach(this::awaitVote);
        PaxosLease listing = cell.start(
                options("y").mode(NodeMode.CLIENT).peers(addresses(THREE)).build());
        PaxosLease asking = cell.start(options("z")
                .mode(NodeMode.CLIENT)
                .contactPoint(Objects.requireNonNull(cell.addresses().get("a")))
                .build());
        Lease ofListing = listing.tryAcquire("r", RENEWING).orElseThrow();
        Lease ofAsking = asking.tryAcquire("s", RENEWING).orElseThrow();

        move(next, next, THREE);
        for (PaxosLease each : List.of(listing, asking)) {
            Eventually.until("it knows the new members", () -> each.monitor().peers().stream()
                    .filter(PeerStatus::connected)
                    .map(PeerStatus::nodeId)
                    .toList()
                    .containsAll(next));
        }
        assertThat(listing.monitor().peers().stream()
                        .filter(peer -> peer.nodeId().equals("d")))
                .extracting(PeerStatus::address)
                .containsExactly(cell.addresses().get("d"));
        moveEach(THREE, next, THREE);
        List.of("d", "e", "f", "y", "z").forEach(this::awaitSeal);
        THREE.forEach(id -> cell.node(id).stop());
        PaxosLease late = cell.start(options("x")
                .mode(NodeMode.CLIENT)
                .contactPoint(Objects.requireNonNull(cell.addresses().get("d")))
                .build());
        Eventually.until("it joins after the seal", () -> late.monitor().peers().stream()
                .filter(PeerStatus::connected)
                .map(PeerStatus::nodeId)
                .toList()
                .containsAll(next));
        assertThat(late.tryAcquire("t", RENEWING)).isPresent();

        assertThat(ofListing.isHeld()).isTrue();
        assertThat(ofAsking.isHeld()).isTrue();
        ofListing.release();
        assertThat(asking.tryAcquire("r", RENEWING).orElseThrow().fencingToken())
                .isGreaterThan(ofListing.fencingToken());
        assertThat(listing.monitor().peers()).extracting(PeerStatus::nodeId).containsExactlyElementsOf(next);
    }

    /** R6: the file of one differs from that of the others. */
    @Test
    void anotherContentOfTheSameGenerationIsRefusedAndBothAreShown() {
        THREE.forEach(id -> startFirst(id, THREE));
        THREE.forEach(this::awaitVote);
        cell.node("b").stop();
        startSecond("b", List.of("a", "b", "d"), THREE);
        awaitVote("b");
        startSecond("x", List.of("a", "b", "x"), THREE);
        Eventually.until("x is refused", () -> cell.node("x").monitor().peers().stream()
                .anyMatch(peer -> peer.nodeId().equals("b")
                        && String.valueOf(peer.problem()).contains("two contents")));
        assertThat(cell.node("x").monitor().status().state()).isNotEqualTo(NodeStatus.State.SERVING);
        assertThat(cell.node("b").monitor().status().state()).isEqualTo(NodeStatus.State.SERVING);
    }
}
