package io.paxoslease.spring.actuate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.paxoslease.PaxosLease;
import io.paxoslease.monitor.LeaseStatus;
import io.paxoslease.spring.autoconfigure.PaxosLeaseTestSupport;
import io.paxoslease.spring.autoconfigure.TestCell;
import io.paxoslease.spring.leader.LeaderElections;
import io.paxoslease.spring.leader.OnLeader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/** Three applications elect a leader; nothing but one property differs between the algorithms. */
@Tag("slow")
@Tag("jdk")
class AlgorithmTest {

    private static final String ROLE = "role:billing";

    private final Path directory;
    private final TestCell cell = new TestCell(3);
    private final List<ConfigurableApplicationContext> applications = new ArrayList<>();

    AlgorithmTest(@TempDir Path directory) {
        this.directory = directory;
    }

    @AfterEach
    void close() {
        applications.forEach(ConfigurableApplicationContext::close);
    }

    @Configuration(proxyBeanMethods = false)
    @Import({Billing.class, PaxosLeaseTestSupport.All.class})
    static class Application {}

    static class Billing {

        @OnLeader("billing")
        @Nullable
        String bill() {
            return "billed";
        }
    }

    private ConfigurableApplicationContext start(String node, String algorithm) {
        List<String> arguments = new ArrayList<>(List.of(
                "--paxoslease.algorithm=" + algorithm,
                "--paxoslease.node-id=" + node,
                "--paxoslease.lease-time=1s",
                "--paxoslease.max-lease-time=1s",
                "--paxoslease.flease.clock-bound=200ms",
                "--paxoslease.storage.directories=" + directory,
                "--paxoslease.storage.access-bound=50ms",
                "--management.endpoints.web.exposure.include=leases",
                "--management.endpoint.leases.access=unrestricted",
                "--management.endpoints.jmx.exposure.include=leases",
                "--spring.jmx.enabled=true",
                "--spring.jmx.unique-names=true"));
        cell.peers().forEach((id, address) -> arguments.add("--paxoslease.peers." + id + "=" + address));
        return new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.NONE)
                .bannerMode(org.springframework.boot.Banner.Mode.OFF)
                .logStartupInfo(false)
                .run(arguments.toArray(String[]::new));
    }

    private @Nullable ConfigurableApplicationContext leader() {
        List<ConfigurableApplicationContext> leading = applications.stream()
                .filter(each -> each.getBean(LeaderElections.class).isLeader("billing"))
                .toList();
        assertThat(leading).hasSizeLessThan(2);
        return leading.isEmpty() ? null : leading.get(0);
    }

    private ConfigurableApplicationContext awaitLeader() {
        return Objects.requireNonNull(await().until(this::leader, Objects::nonNull));
    }

    private static @Nullable LeaseDescriptor lease(ConfigurableApplicationContext application) {
        return application.getBean(LeasesEndpoint.class).lease(ROLE);
    }

    private static String nodeId(ConfigurableApplicationContext application) {
        return application.getBean(PaxosLease.class).monitor().options().nodeId();
    }

    private static boolean showsAsHolder(ConfigurableApplicationContext application, String node, boolean certain) {
        LeaseDescriptor lease = lease(application);
        return lease != null
                && lease.owner() != null
                && lease.owner().nodeId().equals(node)
                && lease.owner().certain() == certain;
    }

    @ParameterizedTest
    @ValueSource(strings = {"paxoslease", "flease", "storage"})
    void onlyTheLeaderRunsEveryoneShowsItAndAnotherGoesOnWhenItEnds(String algorithm) {
        cell.nodes().forEach(node -> applications.add(start(node, algorithm)));
        ConfigurableApplicationContext leader = awaitLeader();
        assertThat(leader.getBean(Billing.class).bill()).isEqualTo("billed");
        String name = nodeId(leader);
        assertThat(Objects.requireNonNull(lease(leader)).state()).isEqualTo(LeaseStatus.State.HELD);
        for (ConfigurableApplicationContext other : applications) {
            boolean leads = other == leader;
            if (!leads) {
                assertThat(other.getBean(Billing.class).bill()).isNull();
            }
            boolean certain = leads || algorithm.equals("flease");
            await().until(() -> showsAsHolder(other, name, certain));
        }
        leader.close();
        applications.remove(leader);
        assertThat(nodeId(awaitLeader())).isNotEqualTo(name);
    }
}
