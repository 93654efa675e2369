package io.paxoslease.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.paxoslease.PaxosLease;
import io.paxoslease.spring.leader.LeaderContext;
import io.paxoslease.spring.leader.LeaderElections;
import io.paxoslease.spring.leader.PaxosLeaseLeaderInitiator;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.EventListener;
import org.springframework.integration.annotation.InboundChannelAdapter;
import org.springframework.integration.annotation.Poller;
import org.springframework.integration.annotation.Role;
import org.springframework.integration.leader.AbstractCandidate;
import org.springframework.integration.leader.Context;
import org.springframework.integration.leader.event.AbstractLeaderEvent;
import org.springframework.integration.leader.event.OnGrantedEvent;
import org.springframework.integration.leader.event.OnRevokedEvent;
import org.springframework.integration.support.SmartLifecycleRoleController;

/** Applications as Boot configures them where spring-boot-integration is there, each a cell of one. */
@Tag("slow")
@Tag("jdk")
class LeaderIntegrationTest {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withUserConfiguration(App.class)
            .withPropertyValues("paxoslease.standalone=true", "paxoslease.roles.billing.eligible=true");

    @Test
    void anEndpointInTheRoleRunsWhileThisNodeLeadsIt() {
        runner.run(context -> {
            SmartLifecycleRoleController controller = context.getBean(SmartLifecycleRoleController.class);
            LeaderElections elections = context.getBean(LeaderElections.class);
            Endpoint endpoint = context.getBean(Endpoint.class);
            for (int round = 0; round < 2; round++) {
                await().until(() -> controller.allEndpointsRunning("billing"));
                endpoint.polledBy.clear();
                await().until(() -> !endpoint.polledBy.isEmpty());
                elections.resign("billing");
                await().until(() -> controller.noEndpointsRunning("billing"));
            }
            await().until(() -> controller.allEndpointsRunning("billing"));
            context.stop();
            assertThat(controller.noEndpointsRunning("billing")).isTrue();
        });
    }

    @Test
    void aNodeThatIsNotEligibleNeverRunsTheEndpoint() {
        runner.withPropertyValues("paxoslease.roles.billing.eligible=false", "paxoslease.roles.other.eligible=true")
                .run(context -> {
                    LeaderElections elections = context.getBean(LeaderElections.class);
                    await().until(() -> elections.isLeader("other"));
                    assertThat(elections.roles()).containsExactly("billing", "other");
                    assertThat(elections.isLeader("billing")).isFalse();
                    assertThat(context.getBean(PaxosLease.class).monitor().status("role:billing"))
                            .isEmpty();
                    assertThat(context.getBean(SmartLifecycleRoleController.class)
                                    .noEndpointsRunning("billing"))
                            .isTrue();
                    assertThat(context.getBean(Endpoint.class).polledBy).isEmpty();
                });
    }

    @Test
    void aPlainListenerIsToldOfGrantsAndRevocations() {
        runner.withUserConfiguration(Listener.class).run(context -> {
            Queue<AbstractLeaderEvent> events = context.getBean(Listener.class).events;
            await().until(() -> events.size() == 1);
            AbstractLeaderEvent granted = events.remove();
            assertThat(granted).isInstanceOf(OnGrantedEvent.class);
            assertThat(granted.getRole()).isEqualTo("billing");
            LeaderContext leader = (LeaderContext) granted.getContext();
            assertThat(leader.isLeader()).isTrue();
            assertThat(leader.leaderId()).contains("local");

            leader.yield();
            await().until(() -> !events.isEmpty());
            AbstractLeaderEvent revoked = events.remove();
            assertThat(revoked).isInstanceOf(OnRevokedEvent.class);
            assertThat(revoked.getContext()).isSameAs(leader);
        });
    }

    @Test
    void oneNodeMayLeadSeveralRolesAndLoseOneOfThem() {
        runner.withPropertyValues("paxoslease.roles.mail.cool-down=1h", "paxoslease.roles.report.eligible=true")
                .run(context -> {
                    LeaderElections elections = context.getBean(LeaderElections.class);
                    List<String> all = List.of("billing", "mail", "report");
                    await().until(() -> all.stream().allMatch(elections::isLeader));
                    elections.resign("mail");
                    assertThat(all.stream().filter(elections::isLeader)).containsExactly("billing", "report");
                });
    }

    @Test
    void anInitiatorBeanOfTheApplicationsOwnStandsForItsRole() {
        runner.withUserConfiguration(OwnInitiator.class).run(context -> {
            Billing candidate = context.getBean(Billing.class);
            PaxosLeaseLeaderInitiator initiator = context.getBean(PaxosLeaseLeaderInitiator.class);
            await().until(() -> candidate.calls.contains("granted"));
            assertThat(initiator.isLeader()).isTrue();
            assertThat(context.getBean(LeaderElections.class).isLeader("billing"))
                    .isTrue();
            await().until(() ->
                    context.getBean(SmartLifecycleRoleController.class).allEndpointsRunning("billing"));
            context.stop();
            assertThat(candidate.calls).containsExactly("granted", "revoked");
        });
    }

    @Test
    void anInitiatorBeanIsKeptOutToo() {
        runner.withUserConfiguration(OwnInitiator.class)
                .withPropertyValues("paxoslease.roles.billing.eligible=false", "paxoslease.roles.other.eligible=true")
                .run(context -> {
                    await().until(() -> context.getBean(LeaderElections.class).isLeader("other"));
                    PaxosLeaseLeaderInitiator initiator = context.getBean(PaxosLeaseLeaderInitiator.class);
                    assertThat(initiator.isRunning()).isFalse();
                    initiator.start();
                    assertThat(initiator.isRunning()).isFalse();
                    assertThat(context.getBean(PaxosLease.class).monitor().status("role:billing"))
                            .isEmpty();
                    assertThat(context.getBean(Billing.class).calls).isEmpty();
                });
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class App {

        @Bean
        Endpoint endpoint() {
            return new Endpoint();
        }
    }

    /** Polled while it is started, for which the role's controller cares. */
    static class Endpoint {

        final Queue<String> polledBy = new ConcurrentLinkedQueue<>();

        @InboundChannelAdapter(channel = "nullChannel", autoStartup = "false", poller = @Poller(fixedDelay = "20"))
        @Role("billing")
        public String poll() {
            polledBy.add(Thread.currentThread().getName());
            return "an invoice";
        }
    }

    static class Listener {

        final Queue<AbstractLeaderEvent> events = new ConcurrentLinkedQueue<>();

        @EventListener(OnGrantedEvent.class)
        void granted(OnGrantedEvent event) {
            events.add(event);
        }

        @EventListener(OnRevokedEvent.class)
        void revoked(OnRevokedEvent event) {
            events.add(event);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnInitiator {

        @Bean
        Billing candidate() {
            return new Billing();
        }

        @Bean
        PaxosLeaseLeaderInitiator initiator(PaxosLease node, Billing candidate) {
            return new PaxosLeaseLeaderInitiator(node, candidate);
        }
    }

    static class Billing extends AbstractCandidate {

        final List<String> calls = new CopyOnWriteArrayList<>();

        Billing() {
            super("any", "billing");
        }

        @Override
        public void onGranted(Context context) {
            calls.add("granted");
        }

        @Override
        public void onRevoked(Context context) {
            calls.add("revoked");
        }
    }
}
