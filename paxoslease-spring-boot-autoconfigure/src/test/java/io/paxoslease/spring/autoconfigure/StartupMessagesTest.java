package io.paxoslease.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.PaxosLease;
import io.paxoslease.spring.fencing.JdbcRuns;
import io.paxoslease.spring.runs.RunLog;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.integration.support.locks.DefaultLockRegistry;
import org.springframework.integration.support.locks.ExpirableLockRegistry;
import org.springframework.integration.support.locks.LockRegistry;
import org.springframework.integration.support.locks.PassThruLockRegistry;
import org.springframework.integration.support.locks.RenewableLockRegistry;

/** What a user is told whose application does not start because of its configuration. */
class StartupMessagesTest {

    /** Needs a node. */
    record Report(PaxosLease node) {}

    record Import(LockRegistry<?> locks) {}

    record QualifiedImport(@Qualifier("bills") LockRegistry<?> locks) {}

    private final ApplicationContextRunner runner =
            PaxosLeaseTestSupport.runner().withConfiguration(AutoConfigurations.of(SslAutoConfiguration.class));

    private static FailureAnalysis refusal(ApplicationContextRunner application) {
        FailureAnalysis[] analysis = new FailureAnalysis[1];
        AtomicReference<ConfigurableApplicationContext> failed = new AtomicReference<>();
        application
                .withInitializer(failed::set)
                .run(context -> analysis[0] = FailureAnalyses.of(context.getStartupFailure(), failed.get()));
        return Objects.requireNonNull(analysis[0]);
    }

    @Test
    void aTypingErrorIsNamedWithTheNearestProperties() {
        assertThat(refusal(runner.withPropertyValues("paxoslease.lese-time=3s")))
                .satisfies(refusal -> assertThat(refusal.getDescription())
                        .startsWith("There is no such property:")
                        .contains("paxoslease.lese-time")
                        .doesNotContain("Bindable"))
                .extracting(FailureAnalysis::getAction)
                .isEqualTo("Instead of 'paxoslease.lese-time', write 'paxoslease.lease-time'.");
        assertThat(refusal(runner.withPropertyValues("paxoslease.roles.reports.cool-dwn=3s"))
                        .getAction())
                .isEqualTo(
                        "Instead of 'paxoslease.roles.reports.cool-dwn', write 'paxoslease.roles.reports.cool-down'.");
        assertThat(refusal(runner.withPropertyValues("paxoslease.locks.idel-retention=3s"))
                        .getAction())
                .isEqualTo("Instead of 'paxoslease.locks.idel-retention', write 'paxoslease.locks.idle-retention'.");
        assertThat(refusal(runner.withPropertyValues("paxoslease.roles.reports.health-group=db"))
                        .getAction())
                .startsWith(
                        "Instead of 'paxoslease.roles.reports.health-group', write 'paxoslease.roles.reports.requires-health-group'");
        assertThat(refusal(runner.withPropertyValues("paxoslease.something-else=3s"))
                        .getAction())
                .isEqualTo("Remove 'paxoslease.something-else': no property has a similar name.");
    }

    @Test
    void aNodeThatIsNeededAndSwitchedOffIsToldByItsProperty() {
        FailureAnalysis refusal =
                refusal(runner.withPropertyValues("paxoslease.enabled=false").withBean(Report.class));
        assertThat(refusal.getDescription())
                .isEqualTo("A bean of the type io.paxoslease.PaxosLease is required, and there is none, because"
                        + " 'paxoslease.enabled' is false.");
        assertThat(refusal.getAction()).contains("ObjectProvider<PaxosLease>", "paxoslease.standalone=true");
    }

    @Test
    void aLockRegistryThatIsNeededAndSwitchedOffIsToldByItsProperty() {
        FailureAnalysis refusal =
                refusal(runner.withPropertyValues("paxoslease.enabled=false").withBean(Import.class));
        assertThat(refusal.getDescription())
                .isEqualTo(
                        "A bean of the type org.springframework.integration.support.locks.LockRegistry is required, and"
                                + " there is none, because 'paxoslease.enabled' is false.");
    }

    @ParameterizedTest
    @ValueSource(classes = {LockRegistry.class, RenewableLockRegistry.class, ExpirableLockRegistry.class})
    void everyTypeOfOurLockRegistryIsToldByTheProperty(Class<?> type) {
        assertThat(refusal(switchedOffAndNeeding(type)).getDescription())
                .startsWith("A bean of the type " + type.getName() + " is required, and there is none, because");
    }

    @ParameterizedTest
    @ValueSource(classes = {DefaultLockRegistry.class, PassThruLockRegistry.class, JdbcRuns.class, RunLog.class})
    void aBeanThatOnlyTheApplicationCanHaveIsNotExplainedByTheProperty(Class<?> type) {
        assertThat(refusal(switchedOffAndNeeding(type)).getDescription())
                .contains("required a bean of type '" + type.getName() + "' that could not be found.");
    }

    @Test
    void aChoiceAmongBeansOfTheApplicationIsNotExplainedByTheProperty() {
        assertThat(refusal(switchedOffAndNeeding(LockRegistry.class)
                                .withBean("orders", DefaultLockRegistry.class)
                                .withBean("bills", DefaultLockRegistry.class))
                        .getDescription())
                .contains("required a single bean, but 2 were found");
        assertThat(refusal(runner.withPropertyValues("paxoslease.enabled=false")
                                .withBean("orders", DefaultLockRegistry.class)
                                .withBean(QualifiedImport.class))
                        .getDescription())
                .contains("required a bean of type '" + LockRegistry.class.getName() + "' that could not be found.");
    }

    private ApplicationContextRunner switchedOffAndNeeding(Class<?> type) {
        return runner.withPropertyValues("paxoslease.enabled=false")
                .withInitializer(context -> ((GenericApplicationContext) context)
                        .registerBean("needing", InitializingBean.class, () -> () -> context.getBean(type)));
    }

    /** Types differ in what they make of it: nothing, an error of the binder, the default instead of the value of a file. */
    @ParameterizedTest
    @CsvSource({
        "PAXOSLEASE_NODE_ID, paxoslease.node-id",
        "PAXOSLEASE_PEERS, paxoslease.peers",
        "PAXOSLEASE_PEERS_A, paxoslease.peers",
        "PAXOSLEASE_ENABLED, paxoslease.enabled",
        "PAXOSLEASE_CLOCK_DRIFT, paxoslease.clock-drift",
        "PAXOSLEASE_LEASE_TIME, paxoslease.lease-time",
        "PAXOSLEASE_LEASETIME, paxoslease.lease-time",
        "PAXOSLEASE_MODE, paxoslease.mode",
        "PAXOSLEASE_CONTACT_POINTS, paxoslease.contact-points",
        "PAXOSLEASE_SSL_BUNDLE, paxoslease.ssl.bundle",
        "PAXOSLEASE_ROLES_REPORTS_COOL_DOWN, paxoslease.roles.*.cool-down"
    })
    void anEmptyEnvironmentVariableIsNamedWithItsProperty(String variable, String property) {
        FailureAnalysis refusal =
                refusal(withVariables(runner.withPropertyValues("paxoslease.lease-time=3s"), Map.of(variable, "")));
        assertThat(refusal.getDescription())
                .isEqualTo("A setting must not be empty:%n%n    environment variable %s, which sets %s"
                        .formatted(variable, property));
        assertThat(refusal.getAction())
                .isEqualTo("Give it a value, or remove it: then the value of a file applies, or the default.");
    }

    /** Otherwise there would be no node, as if it were false. */
    @Test
    void anEmptySwitchIsNamedWhereverItIs() {
        assertThat(refusal(runner.withPropertyValues("paxoslease.enabled=")).getDescription())
                .endsWith("    property paxoslease.enabled");
    }

    @Test
    void otherEmptyVariablesMayBeSetByOtherPrograms() {
        withVariables(runner, Map.of("PAXOSLEASE_SERVICE_HOST", "", "PAXOSLEASE", "", "PAXOSLEASED_PEERS", ""))
                .run(context ->
                        assertThat(context.getBeansOfType(PaxosLease.class)).hasSize(1));
    }

    private static ApplicationContextRunner withVariables(
            ApplicationContextRunner application, Map<String, Object> variables) {
        String source = StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME;
        return application.withInitializer(context -> context.getEnvironment()
                .getPropertySources()
                .replace(source, new SystemEnvironmentPropertySource(source, variables)));
    }

    @Test
    void anUnreadableBundleIsNamedWithItsFile(@TempDir Path directory) throws Exception {
        Path key = Files.writeString(directory.resolve("n1.key"), "no key");
        Path certificate = Files.writeString(directory.resolve("n1.pem"), "no certificate");
        ApplicationContextRunner member = runner.withPropertyValues(new TestCell(2).propertiesOf("n1"))
                .withPropertyValues(
                        "paxoslease.ssl.bundle=cell",
                        "spring.ssl.bundle.pem.cell.keystore.private-key=file:" + key,
                        "spring.ssl.bundle.pem.cell.keystore.certificate=file:" + certificate,
                        "spring.ssl.bundle.pem.cell.truststore.certificate=file:" + certificate);
        assertThat(refusal(member).getDescription())
                .contains("paxoslease.ssl.bundle")
                .contains("The bundle cannot be read: ");
        Files.delete(certificate);
        assertThat(refusal(member).getDescription()).contains(certificate.toString());
    }

    @Test
    void peersMayBeAList() throws Exception {
        String[] lists = {"peers: ['n1=%s', 'n2=%s']", "peers: [{n1: '%s'}, {n2: '%s'}]"};
        TestCell cell = new TestCell(2);
        for (String list : lists) {
            String yaml = "paxoslease: {node-id: n1, standalone: false, "
                    + list.formatted(cell.peers().get("n1"), cell.peers().get("n2")) + "}";
            PaxosLeaseTestSupport.runnerWithoutProperties()
                    .withInitializer(context -> {
                        try {
                            new YamlPropertySourceLoader()
                                    .load("yaml", new ByteArrayResource(yaml.getBytes(StandardCharsets.UTF_8)))
                                    .forEach(context.getEnvironment().getPropertySources()::addFirst);
                        } catch (IOException e) {
                            throw new UncheckedIOException(e);
                        }
                    })
                    .run(context -> assertThat(context.getBean(PaxosLease.class)
                                    .monitor()
                                    .options()
                                    .peers())
                            .as(list)
                            .containsOnlyKeys("n1", "n2"));
        }
    }
}
