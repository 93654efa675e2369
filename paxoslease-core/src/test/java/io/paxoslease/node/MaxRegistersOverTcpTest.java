package io.paxoslease.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.Membership;
import io.paxoslease.MembershipChange;
import io.paxoslease.NodeMode;
import io.paxoslease.PaxosLease;
import io.paxoslease.PaxosLeaseException;
import io.paxoslease.PaxosLeaseOptions;
import io.paxoslease.monitor.NodeStatus;
import io.paxoslease.testing.Eventually;
import io.paxoslease.testing.Futures;
import io.paxoslease.testing.HeldMembership;
import io.paxoslease.testing.TestCell;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Registers of cells over TCP: members that start again or change. */
@Tag("slow")
@Timeout(120)
class MaxRegistersOverTcpTest {

    private static final Duration SOON = Duration.ofSeconds(20);
    private static final List<String> MEMBERS = List.of("a", "b", "c");

    private TestCell cell = TestCell.of(Duration.ofSeconds(1), "a", "b", "c");

    @AfterEach
    void stop() {
        cell.close();
    }

    private static void raise(PaxosLease node, long value) throws InterruptedException {
        Futures.get(node.registers().raise("slot", value).thenApply(done -> true));
    }

    private static long received(PaxosLease node, String type) {
        return node.monitor().messagesReceived().getOrDefault(type, 0L);
    }

    private PaxosLease client(PaxosLeaseOptions.Builder options) {
        return cell.start(options.mode(NodeMode.CLIENT).cell(cell.name()).build());
    }

    @Test
    void membersThatStartAgainAreToldByTheClientThatRaisedIt() throws InterruptedException {
        MEMBERS.forEach(cell::start);
        cell.awaitServing();
        PaxosLease z = client(cell.options("z"));
        cell.awaitServing();
        raise(z, 7);
        MEMBERS.forEach(id -> cell.node(id).stop());
        Map<String, Long> before = new HashMap<>();
        MEMBERS.forEach(id -> before.put(id, received(cell.node(id), "raiseregister")));
        MEMBERS.forEach(id -> cell.node(id).start());
        cell.awaitServing();
        for (String id : MEMBERS) {
            Eventually.until(
                    id + " is told", () -> received(cell.node(id), "raiseregister") > before.getOrDefault(id, 0L));
            assertThat(cell.node(id).registers().read("slot"))
                    .succeedsWithin(SOON)
                    .isEqualTo(OptionalLong.of(7));
        }
    }

    /** The client does not know yet where the members are. */
    @Test
    void aRequestWaitsUntilTheClientHasJoined() throws InterruptedException {
        String contact = Objects.requireNonNull(cell.addresses().get("a"));
        PaxosLease late = client(PaxosLeaseOptions.builder("y").contactPoint(contact));
        CompletableFuture<OptionalLong> tooEarly = late.registers().read("slot");
        assertThat(tooEarly)
                .failsWithin(SOON)
                .withThrowableOfType(ExecutionException.class)
                .withCauseExactlyInstanceOf(PaxosLeaseException.class)
                .withMessageContaining(
                        "Register 'slot' was not reached: no contact point has said yet who the members are");
        CompletableFuture<Void> ended = late.registers().raise("slot", 1);
        late.stop();
        assertThat(ended)
                .failsWithin(SOON)
                .withThrowableOfType(ExecutionException.class)
                .withMessageContaining("This PaxosLease node is not running");

        MEMBERS.forEach(cell::start);
        cell.awaitServing();
        PaxosLease z = client(
                PaxosLeaseOptions.builder("z").leaseTime(Duration.ofSeconds(5)).contactPoint(contact));
        raise(z, 7);
        assertThat(cell.node("b").registers().read("slot")).succeedsWithin(SOON).isEqualTo(OptionalLong.of(7));
    }

    @Test
    void membersThatAChangeBringsAreTold() throws InterruptedException {
        cell = TestCell.of(Duration.ofSeconds(3), "a", "b", "c", "d", "e");
        HeldMembership store = new HeldMembership();
        MEMBERS.forEach(id -> start(id, MEMBERS, store));
        cell.awaitServing();
        PaxosLease a = cell.node("a");
        raise(a, 7);
        Membership changed = a.admin().changeMembers(MembershipChange.to(addresses(List.of("c", "d", "e"))));
        assertThat(changed.generation().number()).isEqualTo(2);
        for (String id : List.of("d", "e")) {
            start(id, List.of("c", "d", "e"), store);
        }
        for (String id : List.of("d", "e")) {
            PaxosLease node = cell.node(id);
            Eventually.until(id + " serves", () -> node.monitor().status().state() == NodeStatus.State.SERVING);
            Eventually.until(id + " is told", () -> received(node, "knownregisters") > 0);
            assertThat(node.registers().read("slot")).succeedsWithin(SOON).isEqualTo(OptionalLong.of(7));
        }
    }

    private Map<String, String> addresses(List<String> ids) {
        Map<String, String> addresses = new LinkedHashMap<>(cell.addresses());
        addresses.keySet().retainAll(ids);
        return addresses;
    }

    private void start(String id, List<String> members, HeldMembership store) {
        cell.start(PaxosLeaseOptions.builder(id)
                .cell(cell.name())
                .leaseTime(Duration.ofSeconds(3))
                .maxLeaseTime(Duration.ofSeconds(3))
                .peers(addresses(members))
                .membershipStore(store)
                .build());
    }
}
