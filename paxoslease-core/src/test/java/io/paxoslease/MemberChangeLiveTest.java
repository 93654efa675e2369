package io.paxoslease;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paxoslease.monitor.MembershipStatus;
import io.paxoslease.monitor.NodeObserver;
import io.paxoslease.monitor.NodeStatus;
import io.paxoslease.testing.Eventually;
import io.paxoslease.testing.HeldMembership;
import io.paxoslease.testing.LogCapture;
import io.paxoslease.testing.TestCell;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Section 9, R2: the members of a cell over TCP change while it serves, by way of a store. */
@Tag("slow")
@Timeout(120)
class MemberChangeLiveTest {

    private static final Duration LEASE = Duration.ofSeconds(1);
    /** Does not end when a loaded machine stands still for most of a second. */
    private static final Duration OUTLASTS_A_STALL = Duration.ofSeconds(3);

    private static final AcquireOptions RENEWING = AcquireOptions.renewing();
    private static final List<String> THREE = List.of("a", "b", "c");
    private static final List<String> FIVE = List.of("a", "b", "c", "d", "e");

    private final HeldMembership store = new HeldMembership();
    private final TestCell cell = TestCell.of(LEASE, "a", "b", "c", "d", "e");
    private Duration leaseTime = LEASE;

    @AfterEach
    void stop() {
        cell.close();
    }

    private Map<String, String> addresses(List<String> ids) {
        Map<String, String> addresses = new LinkedHashMap<>(cell.addresses());
        addresses.keySet().retainAll(ids);
        return addresses;
    }

    private PaxosLeaseOptions.Builder options(String id, List<String> members) {
        return PaxosLeaseOptions.builder(id)
                .cell(cell.name())
                .leaseTime(leaseTime)
                .maxLeaseTime(leaseTime)
                .peers(addresses(members));
    }

    private PaxosLease start(String id, List<String> members) {
        return cell.start(options(id, members).membershipStore(store).build());
    }

    private PaxosLease startAll(List<String> members) {
        members.forEach(id -> start(id, members));
        members.forEach(this::awaitVote);
        return cell.node(members.get(0));
    }

    private void awaitVote(String id) {
        Eventually.until(id + " votes", () -> cell.node(id).monitor().status().state() == NodeStatus.State.SERVING);
    }

    private MembershipStatus membership(String id) {
        return Objects.requireNonNull(cell.node(id).monitor().status().membership());
    }

    private void awaitSeal(int generation, String id) {
        Eventually.until(
                id + " is at generation " + generation + " and knows of its seal",
                leaseTime.multipliedBy(10),
                () -> membership(id).sealed() == generation && membership(id).configured() == generation);
    }

    /** The peers that an observer hears of. */
    private static Set<String> told(PaxosLease node) {
        Set<String> peers = new ConcurrentSkipListSet<>();
        node.monitor().addObserver(new NodeObserver() {
            @Override
            public void peerAdded(String peer) {
                peers.add(peer);
            }
        });
        return peers;
    }

    @Test
    void threeMembersBecomeFiveAndThreeAgainWhileLeasesAreHeld() throws InterruptedException {
        leaseTime = OUTLASTS_A_STALL;
        PaxosLease a = startAll(THREE);
        PaxosLease client = cell.start(options("z", THREE).mode(NodeMode.CLIENT).build());
        Set<String> peersOfA = told(a);
        Set<String> peersOfClient = told(client);
        assertThat(peersOfA).containsExactly("b", "c");
        assertThat(peersOfClient).containsExactly("a", "b", "c");
        Lease ofA = a.tryAcquire("r", RENEWING).orElseThrow();
        Lease ofClient = client.tryAcquire("s", RENEWING).orElseThrow();

        Membership grown = a.admin().changeMembers(MembershipChange.to(addresses(FIVE)));
        assertThat(grown.generation().number()).isEqualTo(2);
        assertThat(store.stored()).isEqualTo(grown);
        start("d", FIVE);
        start("e", FIVE);
        FIVE.forEach(id -> awaitSeal(2, id));
        Eventually.until(
                "the options name five",
                () -> a.monitor().options().peers().keySet().equals(Set.copyOf(FIVE)));
        assertThat(peersOfA).containsExactly("b", "c", "d", "e");
        Eventually.until("the client knows five", () -> peersOfClient.equals(Set.copyOf(FIVE)));

        a.admin().changeMembers(MembershipChange.to(addresses(THREE)));
        THREE.forEach(id -> awaitSeal(3, id));
        Eventually.until("the client knows of the seal", () -> membership("z").sealed() == 3);
        List.of("d", "e").forEach(id -> cell.node(id).stop());
        assertThat(ofA.isHeld()).isTrue();
        assertThat(ofClient.isHeld()).isTrue();

        cell.node("c").stop();
        start("c", THREE); // with the file of generation 1
        awaitSeal(3, "c");
        awaitVote("c");
        assertThat(ofA.isHeld()).isTrue();
        assertThat(ofClient.isHeld()).isTrue();
    }

    /** R6: a new member was started with a wrong file, and without the store; all have met it, and ask both lists of its content by then. */
    @Test
    void aStoredChangeGoesOnBesideANodeWithAWrongFile() throws InterruptedException {
        leaseTime = OUTLASTS_A_STALL;
        PaxosLease a = startAll(THREE);
        Lease lease = a.tryAcquire("r", RENEWING).orElseThrow();
        PaxosLeaseOptions.Builder wrong = options("e", List.of("a", "b", "e")).generation(2);
        addresses(THREE).forEach(wrong::previousPeer);
        cell.start(wrong.build());
        THREE.forEach(id -> Eventually.until(
                id + " asks both lists", () -> membership(id).members().contains("e")));

        List<String> members = List.of("a", "b", "d");
        a.admin().changeMembers(MembershipChange.to(addresses(members)));
        start("d", members);
        members.forEach(id -> awaitSeal(2, id));
        awaitVote("d");
        assertThat(membership("a").members()).containsExactly("a", "b", "d");
        assertThat(lease.isHeld()).isTrue();
    }

    /** Each content is in a store of its own: the one that is sealed stays, and the log says what to do about the other. */
    @Test
    void aMemberWhoseStoreHasAnotherContentThanWhatIsSealedSaysSo() {
        HeldMembership own = new HeldMembership();
        cell.start(options("a", THREE).membershipStore(own).build());
        List.of("b", "c").forEach(id -> start(id, THREE));
        THREE.forEach(this::awaitVote);
        List<String> members = List.of("b", "c", "d");
        cell.node("b").admin().changeMembers(MembershipChange.to(addresses(members)));
        start("d", members);
        members.forEach(id -> awaitSeal(2, id));
        Eventually.until("a hears of the seal", () -> membership("a").sealed() == 2);

        try (LogCapture log = LogCapture.ofNode()) {
            Membership first = Objects.requireNonNull(own.stored());
            own.put(first.followedBy(MembershipChange.to(addresses(List.of("a", "b")))));
            log.await(
                    "generation 2 is stored in the store of this test, and the cell has sealed another content of it: ");
        }
    }

    @Test
    void aChangeIsRefusedWhileTheLastOneIsNotSealed() {
        PaxosLease a = startAll(THREE);
        a.admin().changeMembers(MembershipChange.to(addresses(List.of("a", "d", "e"))));
        assertThatThrownBy(() -> a.admin().changeMembers(MembershipChange.to(addresses(FIVE))))
                .isInstanceOfSatisfying(MembershipChangeException.class, refused -> assertThat(refused.reason())
                        .isEqualTo(MembershipChangeException.Reason.UNDER_WAY))
                .hasMessageContaining("Generation 2 is stored, and node 'a' is at generation 1");
    }

    /** The store was lost, and a member with another configuration has stored its own: the seal of one content says nothing of the other. */
    @Test
    void aChangeIsRefusedWhereTheStoreHasAnotherContent() {
        PaxosLease a = startAll(List.of("a"));
        Membership first = Objects.requireNonNull(store.stored());
        Membership other = first.followedBy(MembershipChange.to(addresses(THREE)));
        store.put(new Membership(
                first.generation(), other.peers(), first.maxLeaseTime(), first.clockDrift(), first.sealed()));
        assertThatThrownBy(() -> a.admin().changeMembers(MembershipChange.to(addresses(FIVE))))
                .isInstanceOfSatisfying(MembershipChangeException.class, refused -> assertThat(refused.reason())
                        .isEqualTo(MembershipChangeException.Reason.UNDER_WAY))
                .hasMessageContaining("Another content of generation 1 is stored than node 'a' runs");
    }

    @Test
    void ofTwoChangesAtOnceOneIsRefused() {
        PaxosLease a = startAll(List.of("a"));
        Membership other =
                Objects.requireNonNull(store.stored()).followedBy(MembershipChange.to(addresses(List.of("a", "b"))));
        store.isBeatenBy(other);
        assertThatThrownBy(() -> a.admin().changeMembers(MembershipChange.to(addresses(THREE))))
                .isInstanceOfSatisfying(MembershipChangeException.class, refused -> assertThat(refused.reason())
                        .isEqualTo(MembershipChangeException.Reason.CONFLICT))
                .hasMessageContaining("Another node has stored another change");
        assertThat(store.stored()).isEqualTo(other);
    }

    @Test
    void aSealThatIsStoredMeanwhileIsNoOtherChange() {
        PaxosLease a = startAll(List.of("a"));
        a.admin().changeMembers(MembershipChange.to(addresses(List.of("a", "b"))));
        start("b", List.of("a", "b"));
        awaitStoredSeal(2);
        Membership sealed = Objects.requireNonNull(store.stored());
        awaitSeal(2, "a");
        store.put(new Membership(
                sealed.generation(),
                sealed.peers(),
                sealed.maxLeaseTime(),
                sealed.clockDrift(),
                false,
                sealed.previousSealed()));
        store.isBeatenBy(sealed);
        assertThat(a.admin()
                        .changeMembers(MembershipChange.to(addresses(THREE)))
                        .generation()
                        .number())
                .isEqualTo(3);
    }

    @Test
    void aSealThatCannotBeStoredIsReportedAndStoredLater() {
        PaxosLease a = startAll(List.of("a"));
        a.admin().changeMembers(MembershipChange.to(addresses(List.of("a", "b"))));
        store.failWritesWith("read only");
        try (LogCapture log = LogCapture.ofNode()) {
            start("b", List.of("a", "b"));
            Eventually.until("the problem is logged", () -> log.lines().stream()
                    .anyMatch(line ->
                            line.contains("the seal of generation 2 cannot be written to the store of this test")
                                    && line.contains("read only")));
        }
        store.failWritesWith(null);
        awaitStoredSeal(2);
    }

    /** The member that knew that generation 2 is sealed has stored the next one, and is gone; so is the list before. */
    @Test
    void aMemberThatHasNotHeardOfASealMovesOnByTheStore() {
        cell.start(options("a", List.of("a"))
                .generation(2)
                .previousPeer("e", Objects.requireNonNull(cell.addresses().get("e")))
                .membershipStore(store)
                .build());
        Membership second = Objects.requireNonNull(store.stored());
        assertThat(second.sealed()).isFalse();
        store.put(second.whenSealed().followedBy(MembershipChange.to(addresses(List.of("a", "b")))));
        start("b", List.of("a", "b"));
        awaitSeal(3, "a");
    }

    /** Of the members before only one starts again: they are no majority, but the store knows that theirs is not needed any more. */
    @Test
    void aCellThatStopsAsAWholeAfterTheSealStartsWithoutThoseThatHaveLeft() {
        PaxosLease a = startAll(THREE);
        List<String> members = List.of("c", "d", "e");
        a.admin().changeMembers(MembershipChange.to(addresses(members)));
        start("d", members);
        start("e", members);
        awaitStoredSeal(2);
        FIVE.forEach(id -> cell.node(id).stop());
        members.forEach(id -> start(id, members));
        members.forEach(this::awaitVote);
        assertThat(cell.node("d").acquire("r", RENEWING).join().isHeld()).isTrue();
    }

    private void awaitStoredSeal(int generation) {
        Eventually.until("the seal of generation " + generation + " is stored", () -> {
            Membership stored = Objects.requireNonNull(store.stored());
            return stored.generation().number() == generation && stored.sealed();
        });
    }

    @Test
    void aChangeThatCannotWorkIsRefusedBeforeItIsStored() {
        PaxosLease a = startAll(List.of("a"));
        Membership before = store.stored();
        assertThatThrownBy(() -> a.admin().changeMembers(MembershipChange.to(addresses(List.of("a")))))
                .isInstanceOf(InvalidOptionException.class)
                .hasMessageContaining("are the members of generation 1 already");
        assertThatThrownBy(() -> a.admin().changeMembers(MembershipChange.to(Map.of("a", "h:1", "b", "h:1"))))
                .isInstanceOf(InvalidOptionException.class)
                .hasMessageContaining("give each node its own");
        assertThatThrownBy(() -> a.admin()
                        .changeMembers(MembershipChange.builder(addresses(THREE))
                                .maxLeaseTime(Duration.ofSeconds(9))
                                .build()))
                .isInstanceOf(InvalidOptionException.class)
                .hasMessageContaining("restart one node after the other");
        store.failWith("no disk");
        assertThatThrownBy(() -> a.admin().changeMembers(MembershipChange.to(addresses(THREE))))
                .isInstanceOfSatisfying(MembershipChangeException.class, refused -> assertThat(refused.reason())
                        .isEqualTo(MembershipChangeException.Reason.STORE))
                .hasMessageContaining("no disk");
        store.failWith(null);
        assertThat(store.stored()).isEqualTo(before);
    }

    @Test
    void aNodeWithoutAStoreSaysWhatToConfigure() {
        PaxosLease a = cell.start(options("a", THREE).build());
        assertThatThrownBy(() -> a.admin().changeMembers(MembershipChange.to(addresses(FIVE))))
                .isInstanceOfSatisfying(MembershipChangeException.class, refused -> assertThat(refused.reason())
                        .isEqualTo(MembershipChangeException.Reason.NO_STORE))
                .hasMessageContaining("next generation");
    }

    /** The store is down for a while: leases go on, and the change once it can be read. */
    @Test
    void aStoreThatIsDownHoldsUpTheChangeAndNoLease() throws InterruptedException {
        leaseTime = OUTLASTS_A_STALL;
        PaxosLease a = startAll(List.of("a"));
        Lease lease = a.tryAcquire("r", RENEWING).orElseThrow();
        a.admin().changeMembers(MembershipChange.to(addresses(List.of("a", "b"))));
        Membership grown = Objects.requireNonNull(store.stored());
        start("b", List.of("a", "b"));
        store.failWith("no disk");
        assertThatThrownBy(() -> start("c", THREE)).isInstanceOf(NodeStartException.class);
        assertThat(lease.isHeld()).isTrue();
        assertThat(store.stored()).isEqualTo(grown);
        store.failWith(null);
        awaitSeal(2, "a");
        awaitSeal(2, "b");
        assertThat(lease.isHeld()).isTrue();
    }
}
