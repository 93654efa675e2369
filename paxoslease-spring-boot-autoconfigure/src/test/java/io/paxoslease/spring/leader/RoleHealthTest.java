package io.paxoslease.spring.leader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.paxoslease.PaxosLease;
import io.paxoslease.spring.autoconfigure.PaxosLeaseTestSupport;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.actuate.autoconfigure.endpoint.EndpointAutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.health.autoconfigure.actuate.endpoint.HealthEndpointAutoConfiguration;
import org.springframework.boot.health.autoconfigure.registry.HealthContributorRegistryAutoConfiguration;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.integration.leader.DefaultCandidate;

/** Roles that require a health group, in whole applications. */
@Timeout(60)
@ExtendWith(OutputCaptureExtension.class)
class RoleHealthTest {

    private final AtomicReference<Status> ledger = new AtomicReference<>(Status.UP);
    private final ApplicationContextRunner plain = PaxosLeaseTestSupport.runner()
            .withPropertyValues(
                    "paxoslease.roles.billing.requires-health-group=ledgers",
                    "paxoslease.roles.billing.health-timeout=500ms");
    private final ApplicationContextRunner withHealth = plain.withConfiguration(AutoConfigurations.of(
            EndpointAutoConfiguration.class,
            HealthContributorRegistryAutoConfiguration.class,
            HealthEndpointAutoConfiguration.class));
    private final ApplicationContextRunner runner = withHealth
            .withInitializer(context -> context.getBeanFactory().registerSingleton("ledgerStatus", ledger))
            .withUserConfiguration(Ledger.class);

    @Test
    void theRoleIsGivenUpWhileTheGroupIsDown(CapturedOutput output) {
        runner.withPropertyValues("management.endpoint.health.group.ledgers.include=ledger")
                .run(context -> {
                    LeaderElections elections = context.getBean(LeaderElections.class);
                    await().until(() -> elections.isLeader("billing"));
                    ledger.set(Status.DOWN);
                    await().until(() -> !elections.contests("billing") && !elections.isLeader("billing"));
                    await().until(() -> output.getOut().contains("no longer leads role 'billing' (UNHEALTHY)"));
                    ledger.set(Status.UP);
                    await().until(() -> elections.isLeader("billing"));
                    elections.stop();
                    assertThat(elections.contests("billing")).isFalse();
                    assertThat(output.getOut()).contains("no longer leads role 'billing' (STOPPED)");
                    elections.start();
                    await().until(() -> elections.isLeader("billing"));
                });
    }

    /**
     * Reported of the leader election of fabric8's Kubernetes client (issue 6020): a check of readiness that did not return kept an instance
     * from leading for good.
     */
    @Test
    void checksThatHangForEverDoNotBarTheirInstance() {
        HangingLedger hanging = new HangingLedger(ledger);
        withHealth
                .withBean("ledger", HealthIndicator.class, () -> hanging)
                .withPropertyValues("management.endpoint.health.group.ledgers.include=ledger")
                .run(context -> {
                    LeaderElections elections = context.getBean(LeaderElections.class);
                    await().until(() -> elections.isLeader("billing"));
                    ledger.set(Status.DOWN);
                    hanging.nextToHang.release(2);
                    await().until(() -> hanging.hung.get() == 2 && !elections.contests("billing"));
                    ledger.set(Status.UP);
                    await().until(() -> elections.isLeader("billing"));
                    assertThat(hanging.hung).hasValue(2);
                    hanging.end.countDown();
                });
    }

    /** One of the same phase may be started before the elections. */
    @Test
    void afterAStopAnInitiatorWaitsForTheFirstCheck() {
        runner.withUserConfiguration(Initiators.class)
                .withPropertyValues("management.endpoint.health.group.ledgers.include=ledger")
                .run(context -> {
                    LeaderElections elections = context.getBean(LeaderElections.class);
                    PaxosLeaseLeaderInitiator initiator = context.getBean(PaxosLeaseLeaderInitiator.class);
                    await().until(initiator::isLeader);
                    initiator.stop();
                    elections.stop();
                    initiator.start();
                    assertThat(elections.contests("billing")).isFalse();
                    elections.start();
                    await().until(initiator::isLeader);
                });
    }

    /** Such a status is down to a load balancer, which asks for the group by HTTP. */
    @Test
    void aGroupIsUpIfItsProbeSucceeds() {
        runner.withPropertyValues("management.endpoint.health.group.ledgers.include=ledger")
                .run(context -> {
                    HealthGroups groups = context.getBean(HealthGroups.class);
                    assertThat(groups.isUp("ledgers")).isTrue();
                    ledger.set(Status.UNKNOWN);
                    assertThat(groups.isUp("ledgers")).isTrue();
                    ledger.set(Status.OUT_OF_SERVICE);
                    assertThat(groups.isUp("ledgers")).isFalse();
                    assertThat(groups.isUp("others")).isFalse();
                });
    }

    @Test
    void aGroupThatDoesNotExistStopsTheStart() {
        runner.withPropertyValues("management.endpoint.health.group.other.include=ledger")
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .isInstanceOf(InvalidConfigurationPropertyValueException.class)
                        .hasMessageContaining("paxoslease.roles.billing.requires-health-group")
                        .hasMessageContaining("[other]")
                        .hasMessageContaining("management.endpoint.health.group.ledgers.include"));
    }

    @Test
    void anApplicationWithoutHealthDoesNotStart() {
        plain.run(context -> assertThat(context)
                .getFailure()
                .rootCause()
                .isInstanceOf(InvalidConfigurationPropertyValueException.class)
                .hasMessageContaining("paxoslease.roles.billing.requires-health-group")
                .hasMessageContaining("spring-boot-starter-actuator"));
    }

    @Test
    void theTimeoutHasBounds() {
        runner.withPropertyValues("paxoslease.roles.billing.health-timeout=499ms")
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .hasMessageContaining("paxoslease.roles.billing.health-timeout")
                        .hasMessageContaining("500 ms"));
    }

    @Configuration(proxyBeanMethods = false)
    static class Initiators {

        @Bean
        PaxosLeaseLeaderInitiator initiator(PaxosLease node) {
            return new PaxosLeaseLeaderInitiator(node, new DefaultCandidate("a", "billing"));
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Ledger {

        @Bean
        HealthIndicator ledgerHealthIndicator(AtomicReference<Status> ledgerStatus) {
            return () -> Health.status(ledgerStatus.get()).build();
        }
    }

    /** Some of its checks ignore interrupts and do not return until the test ends. */
    private static final class HangingLedger implements HealthIndicator {

        final Semaphore nextToHang = new Semaphore(0);
        final AtomicInteger hung = new AtomicInteger();
        final CountDownLatch end = new CountDownLatch(1);
        private final AtomicReference<Status> status;

        HangingLedger(AtomicReference<Status> status) {
            this.status = status;
        }

        @Override
        public Health health() {
            if (nextToHang.tryAcquire()) {
                hung.incrementAndGet();
                await().forever().until(() -> end.getCount() == 0);
            }
            return Health.status(status.get()).build();
        }
    }
}
