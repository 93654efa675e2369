package io.paxoslease.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.AlgorithmOptions;
import io.paxoslease.NodeStartException;
import io.paxoslease.PaxosLease;
import io.paxoslease.PaxosLeaseOptions;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** An application with connection details is a client of their cell, whatever its properties say. */
@ExtendWith(OutputCaptureExtension.class)
class ConnectionDetailsTest {

    /** Where no member listens. */
    private final String contactPoint =
            Objects.requireNonNull(new TestCell(1).peers().get("n1"));

    private final ApplicationContextRunner bare = PaxosLeaseTestSupport.runnerWithoutProperties();

    private record Details(String getCell, List<String> getContactPoints) implements PaxosLeaseConnectionDetails {}

    private ApplicationContextRunner with(String cell, String... contactPoints) {
        return with(bare, "details", cell, contactPoints);
    }

    private static ApplicationContextRunner with(
            ApplicationContextRunner runner, String bean, String cell, String... contactPoints) {
        return runner.withBean(
                bean, PaxosLeaseConnectionDetails.class, () -> new Details(cell, List.of(contactPoints)));
    }

    @Test
    void withoutAnyPropertyItIsAClient(CapturedOutput output) {
        with("shop", contactPoint).run(context -> {
            PaxosLeaseOptions options =
                    context.getBean(PaxosLease.class).monitor().options();
            assertThat(options.isClient()).isTrue();
            assertThat(options.cell()).isEqualTo("shop");
            assertThat(options.contactPoints())
                    .extracting(InetSocketAddress::getPort)
                    .containsExactly(Integer.valueOf(contactPoint.substring(contactPoint.indexOf(':') + 1)));
            assertThat(output)
                    .containsOnlyOnce("This application is a client of cell 'shop' at [" + contactPoint
                            + "], by its connection details (" + Details.class.getName() + ")")
                    .doesNotContain("not used");
        });
    }

    @Test
    void withoutOtherDetailsThePropertiesHaveThem() {
        bare.withPropertyValues("paxoslease.standalone=true", "paxoslease.cell=shop")
                .run(context -> {
                    PaxosLeaseConnectionDetails details = context.getBean(PaxosLeaseConnectionDetails.class);
                    assertThat(details).isInstanceOf(PropertiesPaxosLeaseConnectionDetails.class);
                    assertThat(details.getCell()).isEqualTo("shop");
                    assertThat(details.getContactPoints()).isEmpty();
                    assertThat(context.getBean(PaxosLease.class)
                                    .monitor()
                                    .options()
                                    .cell())
                            .isEqualTo("shop");
                });
        with("bank", contactPoint).run(context -> assertThat(context).hasSingleBean(PaxosLeaseConnectionDetails.class));
    }

    @Test
    void theyTakePrecedenceOverTheProperties(CapturedOutput output) {
        with("shop", contactPoint)
                .withPropertyValues(
                        "paxoslease.peers=a=127.0.0.1:1,b=127.0.0.1:2,c=127.0.0.1:3",
                        "paxoslease.node-id=a",
                        "paxoslease.mode=auto",
                        "paxoslease.cell=bank",
                        "paxoslease.generation=7",
                        "paxoslease.membership-store.file=/no/such/file",
                        "paxoslease.lease-time=800ms")
                .run(context -> {
                    PaxosLeaseOptions options =
                            context.getBean(PaxosLease.class).monitor().options();
                    assertThat(options.isClient()).isTrue();
                    assertThat(options.peers()).isEmpty();
                    assertThat(options.nodeId()).isNotEqualTo("a");
                    assertThat(options.cell()).isEqualTo("shop");
                    assertThat(options.leaseTime().toMillis()).isEqualTo(800);
                    assertThat(output)
                            .containsOnlyOnce(
                                    "; not used: paxoslease.peers, paxoslease.cell, paxoslease.node-id, paxoslease.membership-store");
                });
    }

    @Test
    void theyTakePrecedenceOverAStoreAStandaloneNodeAndOtherContactPoints(CapturedOutput output) {
        with("shop", contactPoint)
                .withPropertyValues(
                        "paxoslease.standalone=true",
                        "paxoslease.algorithm=storage",
                        "paxoslease.contact-points=127.0.0.1:1")
                .run(context -> {
                    PaxosLeaseOptions options =
                            context.getBean(PaxosLease.class).monitor().options();
                    assertThat(options.isClient()).isTrue();
                    assertThat(options.algorithm()).isEqualTo(AlgorithmOptions.PAXOSLEASE);
                    assertThat(options.contactPoints()).hasSize(1);
                    assertThat(output)
                            .contains(
                                    "not used: paxoslease.contact-points, paxoslease.standalone, paxoslease.algorithm");
                });
    }

    /** The cell may grant longer leases than this application knows. */
    @Test
    void aRoleMayHaveALongerLeaseThanTheDefaultMaximum() {
        with("shop", contactPoint)
                .withPropertyValues("paxoslease.roles.billing.lease-time=20s")
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void anApplicationThatIsStandaloneInTestsOnlyIsToldOfNothing(CapturedOutput output) {
        with("shop", contactPoint)
                .withInitializer(context -> StandaloneByDefault.apply(context.getEnvironment(), "in this test"))
                .run(context -> {
                    assertThat(context.getBean(PaxosLease.class)
                                    .monitor()
                                    .options()
                                    .isClient())
                            .isTrue();
                    assertThat(output).doesNotContain("not used").doesNotContain("No cell is configured");
                });
    }

    @Test
    void severalBeansAreOneCell() {
        with(with("shop", contactPoint), "more", "shop", contactPoint, "localhost:1")
                .run(context -> assertThat(context.getBean(PaxosLease.class)
                                .monitor()
                                .options()
                                .contactPoints())
                        .hasSize(2));
    }

    @Test
    void beansOfTwoCellsAreRefused() {
        assertRefused(
                with(with("shop", contactPoint), "more", "bank", contactPoint),
                "The connection details name more than one cell: [shop, bank]",
                "give all its members the same paxoslease.cell");
    }

    @Test
    void noContactPointIsRefused() {
        assertRefused(with("shop"), "name no contact point", "Return 'host:port' of at least one member");
    }

    @Test
    void whatIsNoAddressIsRefusedByItsNameAndNotByThatOfAProperty() {
        assertRefused(
                with("shop", "lease.default.svc"),
                "The connection details have an invalid contact point: 'lease.default.svc' is no address",
                "Return another one");
        assertRefused(with("my shop\n", contactPoint), "have an invalid name of a cell", "Return another one");
    }

    private static void assertRefused(ApplicationContextRunner runner, String reason, String action) {
        runner.run(context -> {
            NodeStartException failure = refusal(context.getStartupFailure());
            assertThat(failure).hasMessageContainingAll(reason, Details.class.getName());
            assertThat(failure.action()).contains(action);
        });
    }

    private static NodeStartException refusal(@Nullable Throwable failure) {
        if (failure instanceof NodeStartException refusal) {
            return refusal;
        }
        return refusal(Objects.requireNonNull(failure, "not refused").getCause());
    }
}
