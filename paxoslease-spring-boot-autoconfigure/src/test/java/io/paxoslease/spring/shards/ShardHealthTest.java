package io.paxoslease.spring.shards;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.paxoslease.shards.ShardGroup;
import io.paxoslease.shards.ShardGroupStatus;
import io.paxoslease.spring.autoconfigure.PaxosLeaseTestSupport;
import io.paxoslease.testing.InMemoryCell;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
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

/** Groups that require a health group. */
@Timeout(60)
@ExtendWith(OutputCaptureExtension.class)
class ShardHealthTest {

    private final AtomicReference<Status> ledger = new AtomicReference<>(Status.DOWN);
    private final AtomicInteger checks = new AtomicInteger();
    private final ApplicationContextRunner runner = PaxosLeaseTestSupport.runner()
            .withConfiguration(AutoConfigurations.of(
                    EndpointAutoConfiguration.class,
                    HealthContributorRegistryAutoConfiguration.class,
                    HealthEndpointAutoConfiguration.class))
            .withBean("ledger", HealthIndicator.class, () -> this::health)
            .withPropertyValues(
                    "paxoslease.shards.invoices.count=3", "paxoslease.shards.invoices.requires-health-group=ledgers");

    private Health health() {
        checks.incrementAndGet();
        return Health.status(ledger.get()).build();
    }

    @Test
    void theGroupStartsWhenItsHealthGroupIsUp(CapturedOutput output) {
        runner.withPropertyValues("management.endpoint.health.group.ledgers.include=ledger")
                .run(context -> {
                    ShardGroup invoices = context.getBean(ShardGroups.class).get("invoices");
                    await().until(() -> checks.get() > 1);
                    assertThat(invoices.isRunning()).isFalse();
                    assertThat(output).contains("The health group 'ledgers' is not up yet");
                    assertThat(invoices.status().free()).as("known to be free").isZero();
                    assertThat(invoices.status().shards().get(0).reason())
                            .isEqualTo("this instance does not participate");
                    ledger.set(Status.UP);
                    await().until(() -> invoices.owned().size() == 3);
                    assertThat(output)
                            .contains(
                                    "The health group 'ledgers' is up: this instance may own shards of group 'invoices'");
                    context.getBean(ShardGroupsLifecycle.class).stop();
                    assertThat(invoices.isRunning()).isFalse();
                });
    }

    @Test
    void aHealthGroupThatDoesNotExistStopsTheStart() {
        runner.withPropertyValues("management.endpoint.health.group.other.include=ledger")
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .isInstanceOf(InvalidConfigurationPropertyValueException.class)
                        .hasMessageContaining("paxoslease.shards.invoices.requires-health-group")
                        .hasMessageContaining("management.endpoint.health.group.ledgers.include"));
    }

    /** In simulated time. */
    @Test
    void anInstanceWhoseHealthGroupIsDownGivesItsShardsUp(CapturedOutput output) {
        AtomicBoolean isUp = new AtomicBoolean(true);
        try (InMemoryCell cell = InMemoryCell.of("a")) {
            ShardGroup group = ShardGroup.builder(cell.node("a"), "invoices", 3).build();
            ShardHealth health = new ShardHealth(group, "ledgers", isUp::get, Duration.ofMillis(1));
            health.start();
            await().until(() -> advanced(cell, () -> group.owned().size() == 3));
            isUp.set(false);
            await().until(() -> advanced(cell, () -> group.status().state() == ShardGroupStatus.State.STANDBY));
            await().until(() -> advanced(cell, () -> group.owned().isEmpty()));
            assertThat(output).containsOnlyOnce("gives up those that it owns after ten seconds");
            isUp.set(true);
            await().until(() -> advanced(cell, () -> group.owned().size() == 3));
            health.stop();
            isUp.set(false);
            cell.advance(Duration.ofMinutes(1));
            assertThat(group.owned()).hasSize(3);
            group.close();
        }
    }

    private static boolean advanced(InMemoryCell cell, BooleanSupplier condition) {
        cell.advance(Duration.ofSeconds(1));
        return condition.getAsBoolean();
    }
}
