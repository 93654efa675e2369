package io.paxoslease.spring.actuate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.paxoslease.NodeMode;
import io.paxoslease.NodeStartException;
import io.paxoslease.PaxosLease;
import io.paxoslease.monitor.NodeStatus;
import io.paxoslease.spring.autoconfigure.PaxosLeaseConnectionDetails;
import io.paxoslease.spring.autoconfigure.TestCell;
import io.paxoslease.spring.leader.LeaderElections;
import io.paxoslease.spring.lock.PaxosLeaseLock;
import io.paxoslease.spring.lock.PaxosLeaseLockRegistry;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;
import org.springframework.context.ApplicationContextException;
import org.springframework.context.ConfigurableApplicationContext;

/** Applications that are clients of a cell whose members lead nothing, over loopback; one configuration for all. */
@Tag("slow")
@SuppressWarnings("LockNotBeforeTry") // what happens between lock and unlock is what is tested
class ClientApplicationsTest {

    private final TestCell cell = new TestCell(3);
    private final List<ConfigurableApplicationContext> members = new ArrayList<>();
    private final List<ConfigurableApplicationContext> clients = new ArrayList<>();

    @BeforeEach
    void start() {
        cell.nodes().forEach(node -> members.add(start(node, "paxoslease.roles.leader.eligible=false")));
        clients.add(start("web-1"));
        clients.add(start("web-2"));
    }

    @AfterEach
    void stop() {
        clients.forEach(ConfigurableApplicationContext::close);
        members.forEach(ConfigurableApplicationContext::close);
    }

    private ConfigurableApplicationContext start(String node, String... more) {
        String[] all = Stream.concat(
                        Stream.of(cell.propertiesOf(node)),
                        Stream.concat(
                                Stream.of("paxoslease.mode=auto", "spring.application.name=my shop"), Stream.of(more)))
                .toArray(String[]::new);
        return new SpringApplicationBuilder(ThreeNodeCellTest.App.class)
                .web(WebApplicationType.NONE)
                .properties("spring.main.banner-mode=off")
                .properties(all)
                .run();
    }

    private Optional<ConfigurableApplicationContext> leader() {
        return clients.stream()
                .filter(each -> each.getBean(LeaderElections.class).isLeader("leader"))
                .findFirst();
    }

    @Test
    void aClientLeadsAndHandsOverToAnother() {
        await().until(() -> leader().isPresent());
        ConfigurableApplicationContext first = leader().orElseThrow();
        assertThat(first.getBean(ThreeNodeCellTest.Job.class).run()).isEqualTo("ran");
        assertThat(members.get(0).getBean(ThreeNodeCellTest.Job.class).run()).isNull();
        first.close();
        clients.remove(first);
        await().until(() -> leader().isPresent());
        assertThat(leader().orElseThrow().getBean(ThreeNodeCellTest.Job.class).run())
                .isEqualTo("ran");
    }

    @Test
    void clientsAndMembersLockEachOtherOut() throws Exception {
        PaxosLeaseLock ofClient =
                clients.get(0).getBean(PaxosLeaseLockRegistry.class).obtain("stock");
        PaxosLeaseLock ofMember =
                members.get(0).getBean(PaxosLeaseLockRegistry.class).obtain("stock");
        ofClient.lock();
        assertThat(ofMember.tryLock()).isFalse();
        long token = ofClient.fencingToken();
        ofClient.unlock();
        assertThat(ofMember.tryLock(20, TimeUnit.SECONDS)).isTrue();
        assertThat(ofMember.fencingToken()).isGreaterThan(token);
        ofMember.unlock();
    }

    private ConfigurableApplicationContext startWithContactPoints(String cellName, String... addresses) {
        return new SpringApplicationBuilder(ThreeNodeCellTest.App.class)
                .web(WebApplicationType.NONE)
                .properties(
                        "spring.main.banner-mode=off",
                        "paxoslease.standalone=false",
                        "paxoslease.mode=client",
                        "paxoslease.cell=" + cellName,
                        "paxoslease.contact-points=" + String.join(",", addresses))
                .run();
    }

    private String cellName() {
        return members.get(0).getBean(PaxosLease.class).monitor().options().cell();
    }

    @Test
    void anApplicationWithContactPointsFindsTheMembers() throws Exception {
        ConfigurableApplicationContext client = startWithContactPoints(
                cellName(), Objects.requireNonNull(cell.peers().get("n2")));
        clients.add(client);
        PaxosLeaseLock lock = client.getBean(PaxosLeaseLockRegistry.class).obtain("stock");
        assertThat(lock.tryLock(20, TimeUnit.SECONDS)).isTrue();
        assertThat(clients.get(0)
                        .getBean(PaxosLeaseLockRegistry.class)
                        .obtain("stock")
                        .tryLock())
                .isFalse();
        lock.unlock();
        PaxosLease node = client.getBean(PaxosLease.class);
        await().until(() -> node.monitor().status().reachable() == 3);
        SimpleMeterRegistry meters = new SimpleMeterRegistry();
        new PaxosLeaseMetrics(node, () -> null).bindTo(meters);
        assertThat(meters.get("paxoslease.peer.connected")
                        .tag("peer", "n3")
                        .gauge()
                        .value())
                .isEqualTo(1);
        LeasesDescriptor shown = LeasesEndpoint.of(node).leases(null, null);
        assertThat(shown.node().maxLeaseTimeMillis()).isEqualTo(2_000);
        assertThat(shown.peers())
                .extracting(LeasesDescriptor.PeerDescriptor::id)
                .containsExactly("n1", "n2", "n3");
    }

    private record Details(String getCell, List<String> getContactPoints) implements PaxosLeaseConnectionDetails {}

    /** As a container of a test, or Docker Compose, would bring them. */
    @Test
    void anApplicationWithConnectionDetailsAloneLocksOthersOut() throws Exception {
        Details details = new Details(
                cellName(), List.of(Objects.requireNonNull(cell.peers().get("n2"))));
        ConfigurableApplicationContext client = new SpringApplicationBuilder(ThreeNodeCellTest.App.class)
                .web(WebApplicationType.NONE)
                .properties("spring.main.banner-mode=off")
                .initializers(context -> context.getBeanFactory().registerSingleton("details", details))
                .run();
        clients.add(client);
        PaxosLeaseLock lock = client.getBean(PaxosLeaseLockRegistry.class).obtain("stock");
        assertThat(lock.tryLock(20, TimeUnit.SECONDS)).isTrue();
        PaxosLeaseLock another =
                clients.get(0).getBean(PaxosLeaseLockRegistry.class).obtain("stock");
        assertThat(another.tryLock()).isFalse();
        lock.unlock();
    }

    @Test
    void anApplicationWhoseContactPointsAreOfAnotherCellDoesNotStart() {
        assertThatExceptionOfType(ApplicationContextException.class)
                .isThrownBy(() -> startWithContactPoints(
                        "elsewhere", Objects.requireNonNull(cell.peers().get("n1"))))
                .havingCause()
                .isInstanceOf(NodeStartException.class)
                .withMessageContaining("do not say who the members of its cell are")
                .withMessageContaining("refused this client: cell 'elsewhere' meets cell")
                .withMessageContaining("set the same paxoslease.cell as there");
    }

    /** The members may start later: the health of the application is unknown until then, and says why. */
    @Test
    void withoutAMemberTheApplicationStartsAndItsHealthIsUnknown() throws Exception {
        String unused;
        try (ServerSocket free = TestCell.freePort()) {
            unused = "127.0.0.1:" + free.getLocalPort();
        }
        ConfigurableApplicationContext client = startWithContactPoints(cellName(), unused);
        clients.add(client);
        PaxosLease node = client.getBean(PaxosLease.class);
        await().until(() -> node.monitor().peers().get(0).problem() != null);
        Health health = new PaxosLeaseHealthIndicator(node.monitor(), HealthStatuses.DEFAULT).health();
        assertThat(health.getStatus()).isEqualTo(Status.UNKNOWN);
        assertThat(health.getDetails()).containsEntry("state", NodeStatus.State.JOINING);
        assertThat(health.getDetails().get("missing"))
                .asString()
                .contains("contact point " + unused + " cannot be reached");
        assertThat(client.getBean(PaxosLeaseLockRegistry.class).obtain("stock").tryLock())
                .isFalse();
    }

    @Test
    void clientsAreSeenAsWhatTheyAre() {
        PaxosLease member = members.get(0).getBean(PaxosLease.class);
        PaxosLease client = clients.get(0).getBean(PaxosLease.class);
        await().until(() -> member.monitor().clients().orElseThrow().connected() == 2);
        assertThat(member.monitor().clients().orElseThrow().byApplication()).isEqualTo(Map.of("my-shop", 2));
        LeasesDescriptor.NodeDescriptor shown =
                LeasesEndpoint.of(client).leases(null, null).node();
        assertThat(shown.mode()).isEqualTo(NodeMode.CLIENT);
        assertThat(shown.clients()).isNull();
        assertThat(shown.majority()).isEqualTo(2);
        await().until(() -> client.monitor().status().reachable() == 3);
        assertThat(new PaxosLeaseHealthIndicator(client.monitor(), HealthStatuses.DEFAULT)
                        .health()
                        .getDetails())
                .containsEntry("mode", NodeMode.CLIENT)
                .containsEntry("reachable", 3)
                .containsEntry("majority", 2)
                .doesNotContainKeys("missing", "clients");
        assertThat(new PaxosLeaseHealthIndicator(member.monitor(), HealthStatuses.DEFAULT)
                        .health()
                        .getDetails())
                .containsEntry("clients", 2)
                .doesNotContainKey("mode");
        SimpleMeterRegistry meters = new SimpleMeterRegistry();
        new PaxosLeaseMetrics(member, () -> null).bindTo(meters);
        assertThat(meters.get("paxoslease.clients.connected").gauge().value()).isEqualTo(2);
        SimpleMeterRegistry ofClient = new SimpleMeterRegistry();
        new PaxosLeaseMetrics(client, () -> null).bindTo(ofClient);
        assertThat(ofClient.find("paxoslease.clients.connected").gauge()).isNull();
        assertThat(ofClient.getMeters())
                .allSatisfy(meter -> assertThat(meter.getId().getTag("node")).isEqualTo("my-shop"));
        await().until(() -> ofClient.get("paxoslease.reachable.members").gauge().value() == 3);
        assertThat(ofClient.get("paxoslease.majority.members").gauge().value()).isEqualTo(2);
    }
}
