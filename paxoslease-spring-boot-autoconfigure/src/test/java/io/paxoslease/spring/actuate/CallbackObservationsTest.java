package io.paxoslease.spring.actuate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.tck.TestObservationRegistry;
import io.micrometer.observation.tck.TestObservationRegistryAssert;
import io.paxoslease.monitor.NodeObserver;
import io.paxoslease.spring.autoconfigure.PaxosLeaseTestSupport;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

class CallbackObservationsTest {

    private final TestObservationRegistry registry = TestObservationRegistry.create();
    private final CallbackObservations observations = new CallbackObservations(registry, null);

    @Test
    void aRoleIsALowCardinalityKey() throws InterruptedException {
        observations.around(NodeObserver.Kind.GRANTED, "billing", () -> assertThat(registry.getCurrentObservation())
                .isNotNull());

        TestObservationRegistryAssert.assertThat(registry)
                .hasSingleObservationThat()
                .hasNameEqualTo("paxoslease.callback")
                .hasContextualNameEqualTo("granted billing")
                .hasLowCardinalityKeyValue("kind", "granted")
                .hasLowCardinalityKeyValue("role", "billing")
                .hasBeenStarted()
                .hasBeenStopped()
                .doesNotHaveError();
    }

    @Test
    void theNameOfALeaseIsAHighCardinalityKey() throws InterruptedException {
        observations.around(NodeObserver.Kind.LOST, "lock:4711", () -> {});

        TestObservationRegistryAssert.assertThat(registry)
                .hasSingleObservationThat()
                .hasLowCardinalityKeyValue("kind", "lost")
                .hasHighCardinalityKeyValue("resource", "lock:4711")
                .doesNotHaveLowCardinalityKeyValueWithKey("resource");
    }

    @Test
    void theGroupOfAShardIsALowCardinalityKey() throws InterruptedException {
        observations.around(NodeObserver.Kind.SHARD_CALL, "invoices/3", () -> {});

        TestObservationRegistryAssert.assertThat(registry)
                .hasSingleObservationThat()
                .hasContextualNameEqualTo("shard_call invoices/3")
                .hasLowCardinalityKeyValue("kind", "shard_call")
                .hasLowCardinalityKeyValue("group", "invoices")
                .hasHighCardinalityKeyValue("shard", "invoices/3")
                .doesNotHaveLowCardinalityKeyValueWithKey("role");
    }

    @Test
    void aConventionOfTheApplicationNamesThem() {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(PaxosLeaseTestSupport.autoConfigurations()))
                .withConfiguration(AutoConfigurations.of(PaxosLeaseObservationAutoConfiguration.class))
                .withPropertyValues("paxoslease.standalone=true")
                .withBean(ObservationRegistry.class, () -> registry)
                .withBean(LeaseCallbackObservationConvention.class, Renamed::new)
                .run(context -> {
                    context.getBean(CallbackObservations.class).around(NodeObserver.Kind.GRANTED, "billing", () -> {});
                    TestObservationRegistryAssert.assertThat(registry)
                            .hasAnObservation(observed -> observed.hasNameEqualTo("leases")
                                    .hasContextualNameEqualTo("granted billing")
                                    .hasLowCardinalityKeyValue("role", "billing"));
                });
    }

    private static final class Renamed extends DefaultLeaseCallbackObservationConvention {

        @Override
        public String getName() {
            return "leases";
        }
    }

    @Test
    void ofManyRolesTheFirstAreKeys() throws InterruptedException {
        for (int i = 0; i <= FewNames.MOST; i++) {
            observations.around(NodeObserver.Kind.GRANTED, "tenant-" + i, () -> {});
        }
        TestObservationRegistryAssert.assertThat(registry)
                .hasNumberOfObservationsEqualTo(FewNames.MOST + 1)
                .hasNumberOfObservationsWithNameEqualTo("paxoslease.callback", FewNames.MOST + 1)
                .hasAnObservation(context -> context.hasContextualNameEqualTo("granted tenant-999")
                        .hasLowCardinalityKeyValue("role", "tenant-999"))
                .hasAnObservation(context -> context.hasContextualNameEqualTo("granted tenant-1000")
                        .hasLowCardinalityKeyValue("role", "none"));
    }

    @Test
    void whatACallbackThrowsIsNotedAndThrownOn() {
        InterruptedException interrupt = new InterruptedException("leadership ended");

        assertThat(catchThrowable(() -> observations.around(NodeObserver.Kind.GRANTED, "billing", () -> {
                    throw interrupt;
                })))
                .isSameAs(interrupt);
        TestObservationRegistryAssert.assertThat(registry)
                .hasSingleObservationThat()
                .hasError(interrupt);
    }
}
