package io.paxoslease.spring.actuate;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.PaxosLease;
import io.paxoslease.monitor.NodeStatus;
import io.paxoslease.testing.InMemoryCell;
import java.time.Duration;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.actuate.autoconfigure.endpoint.EndpointAutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.availability.ApplicationAvailabilityAutoConfiguration;
import org.springframework.boot.availability.ApplicationAvailability;
import org.springframework.boot.availability.ApplicationAvailabilityBean;
import org.springframework.boot.availability.AvailabilityChangeEvent;
import org.springframework.boot.availability.LivenessState;
import org.springframework.boot.availability.ReadinessState;
import org.springframework.boot.health.actuate.endpoint.HealthEndpoint;
import org.springframework.boot.health.autoconfigure.actuate.endpoint.AvailabilityProbesAutoConfiguration;
import org.springframework.boot.health.autoconfigure.actuate.endpoint.HealthEndpointAutoConfiguration;
import org.springframework.boot.health.autoconfigure.registry.HealthContributorRegistryAutoConfiguration;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

/** A rolling restart goes on to the next member when the one before is ready: that must not be before it votes. */
@Timeout(60)
class MemberAvailabilityTest {

    /** 1.22 times the default of the longest lease, and a little. */
    private static final Duration QUARANTINE = Duration.ofMillis(6_150);

    private final InMemoryCell cell = InMemoryCell.of("a", "b", "c");

    @AfterEach
    void close() {
        cell.close();
    }

    private ApplicationContextRunner runner(PaxosLease node) {
        return new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        ApplicationAvailabilityAutoConfiguration.class,
                        EndpointAutoConfiguration.class,
                        HealthContributorRegistryAutoConfiguration.class,
                        HealthEndpointAutoConfiguration.class,
                        AvailabilityProbesAutoConfiguration.class,
                        PaxosLeaseAvailabilityAutoConfiguration.class,
                        PaxosLeaseHealthAutoConfiguration.class))
                .withBean(PaxosLease.class, () -> node, bean -> bean.setDestroyMethodName(""));
    }

    private void restart(String node) {
        cell.crash(node);
        cell.restart(node);
    }

    /** As Spring Boot does once the runners have returned. */
    private static void accept(ApplicationContext context) {
        AvailabilityChangeEvent.publish(context, LivenessState.CORRECT);
        AvailabilityChangeEvent.publish(context, ReadinessState.ACCEPTING_TRAFFIC);
    }

    private static Status status(ApplicationContext context, String... path) {
        return Objects.requireNonNull(context.getBean(HealthEndpoint.class).healthForPath(path))
                .getStatus();
    }

    private static ReadinessState readiness(ApplicationContext context) {
        return context.getBean(ApplicationAvailability.class).getReadinessState();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aMemberIsReadyWhenItVotes(boolean withComponent) {
        restart("a");
        runner(cell.node("a"))
                .withPropertyValues("management.health.leases.enabled=" + withComponent)
                .run(context -> {
                    accept(context);
                    assertThat(status(context, "readiness")).isEqualTo(Status.OUT_OF_SERVICE);
                    assertThat(status(context)).isEqualTo(Status.OUT_OF_SERVICE);
                    assertThat(status(context, "liveness")).isEqualTo(Status.UP);

                    cell.advance(QUARANTINE);

                    assertThat(status(context, "readiness")).isEqualTo(Status.UP);
                    assertThat(status(context)).isEqualTo(Status.UP);
                });
    }

    @Test
    void aGroupOfTheApplicationThatHasTheReadinessStateWaitsToo() {
        restart("a");
        runner(cell.node("a"))
                .withPropertyValues(
                        "management.endpoint.health.group.readiness.include=readinessState",
                        "management.endpoint.health.group.traffic.include=readinessState")
                .run(context -> {
                    accept(context);
                    assertThat(status(context, "readiness")).isEqualTo(Status.OUT_OF_SERVICE);
                    assertThat(status(context, "traffic")).isEqualTo(Status.OUT_OF_SERVICE);
                });
    }

    /** The first of a roll-out, one by one: the next one is started when it is ready, and there is no majority before that. */
    @Test
    void aMemberThatIsAloneIsReadyAfterItsQuarantine() {
        cell.crash("b");
        cell.crash("c");
        restart("a");
        runner(cell.node("a")).run(context -> {
            accept(context);
            assertThat(readiness(context)).isEqualTo(ReadinessState.REFUSING_TRAFFIC);
            cell.advance(QUARANTINE);
            assertThat(readiness(context)).isEqualTo(ReadinessState.ACCEPTING_TRAFFIC);
            assertThat(status(context, "leases")).isEqualTo(Status.UNKNOWN);
        });
    }

    @Test
    void itWaitsAgainAfterARestartInTheSameProcess() {
        runner(cell.node("a")).run(context -> {
            accept(context);
            assertThat(readiness(context)).isEqualTo(ReadinessState.ACCEPTING_TRAFFIC);
            cell.node("a").stop();
            cell.node("a").start();
            assertThat(readiness(context)).isEqualTo(ReadinessState.REFUSING_TRAFFIC);
            cell.advance(QUARANTINE);
            assertThat(readiness(context)).isEqualTo(ReadinessState.ACCEPTING_TRAFFIC);
        });
    }

    /** A cell of one that admits no clients has nothing to forget, as in tests. */
    @Test
    void aNodeThatIsNotQuarantinedIsReadyAtOnce() {
        PaxosLease client = cell.addClient("orders");
        client.stop();
        client.start();
        runner(client).run(context -> {
            accept(context);
            assertThat(readiness(context)).isEqualTo(ReadinessState.ACCEPTING_TRAFFIC);
        });
        try (InMemoryCell one = InMemoryCell.of("a")) {
            one.crash("a");
            one.restart("a");
            runner(one.node("a")).run(context -> {
                accept(context);
                assertThat(one.node("a").monitor().status().state()).isEqualTo(NodeStatus.State.SERVING);
                assertThat(readiness(context)).isEqualTo(ReadinessState.ACCEPTING_TRAFFIC);
            });
        }
    }

    @Test
    void theApplicationCanRefuseTrafficForLonger() {
        restart("a");
        runner(cell.node("a")).run(context -> {
            accept(context);
            AvailabilityChangeEvent.publish(context, ReadinessState.REFUSING_TRAFFIC);
            cell.advance(QUARANTINE);
            assertThat(readiness(context)).isEqualTo(ReadinessState.REFUSING_TRAFFIC);
        });
    }

    @Test
    void anAvailabilityOfTheApplicationReplacesIt() {
        runner(cell.node("a"))
                .withBean("own", ApplicationAvailabilityBean.class)
                .run(context -> assertThat(context).doesNotHaveBean(MemberAvailability.class));
    }
}
