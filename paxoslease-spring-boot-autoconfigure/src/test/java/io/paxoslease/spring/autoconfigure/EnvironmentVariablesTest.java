package io.paxoslease.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paxoslease.AlgorithmOptions;
import io.paxoslease.NodeStartException;
import io.paxoslease.PaxosLeaseOptions;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.PropertySourcesPlaceholdersResolver;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.convert.ApplicationConversionService;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.MutablePropertySources;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/** A node that is configured by environment variables alone, or beside a file. */
@ExtendWith(OutputCaptureExtension.class)
class EnvironmentVariablesTest {

    private static final String SOURCE = StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME;
    private static final String THREE = "app-0=10.0.0.1:7400, app-1=[2001:db8::7]:7400,Node_2=host:7400";

    private static PaxosLeaseOptions options(Map<String, Object> variables, Map<String, Object> file) {
        StandardEnvironment environment = new StandardEnvironment();
        MutablePropertySources sources = environment.getPropertySources();
        sources.replace(SOURCE, new SystemEnvironmentPropertySource(SOURCE, variables));
        sources.addLast(new MapPropertySource("application.yml", file));
        ApplicationConversionService conversion = new ApplicationConversionService();
        conversion.addConverter(new CommaSeparatedConverter());
        PaxosLeaseProperties properties = new Binder(
                        ConfigurationPropertySources.from(sources),
                        new PropertySourcesPlaceholdersResolver(sources),
                        conversion)
                .bindOrCreate("paxoslease", PaxosLeaseProperties.class);
        return new NodeOptions(new CellDetails(properties, null), List.of(), environment)
                .build(null, () -> AlgorithmOptions.PAXOSLEASE, () -> null);
    }

    private static PaxosLeaseOptions options(Map<String, Object> variables) {
        return options(variables, Map.of());
    }

    @Test
    void peersAreOneTextWithAnyIds() {
        PaxosLeaseOptions options = options(Map.of("PAXOSLEASE_PEERS", THREE, "PAXOSLEASE_NODE_ID", "Node_2"));

        assertThat(options.peers().keySet()).containsExactly("app-0", "app-1", "Node_2");
        assertThat(options.peers().get("app-0")).hasToString("10.0.0.1/<unresolved>:7400");
        assertThat(options.peers().get("app-1")).hasToString("2001:db8::7/<unresolved>:7400");
        assertThat(options.nodeId()).isEqualTo("Node_2");
    }

    @Test
    void previousPeersAreOneTextToo() {
        PaxosLeaseOptions options = options(Map.of(
                "PAXOSLEASE_PEERS", THREE,
                "PAXOSLEASE_PREVIOUS_PEERS", "app-0=10.0.0.1:7400,app-9=10.0.0.9:7400",
                "PAXOSLEASE_GENERATION", "2",
                "HOSTNAME", "app-9"));

        assertThat(Objects.requireNonNull(options.generation().previous())
                        .peers()
                        .keySet())
                .containsExactly("app-0", "app-9");
        assertThat(options.nodeId()).as("a member that leaves").isEqualTo("app-9");
    }

    @Test
    void contactPointsAreAList() {
        PaxosLeaseOptions options =
                options(Map.of("PAXOSLEASE_MODE", "client", "PAXOSLEASE_CONTACT_POINTS", "lease-0:7400,[::1]:7400"));

        assertThat(options.contactPoints()).hasSize(2);
        assertThat(options.contactPoints().get(1).getHostString()).isEqualTo("::1");
    }

    @Test
    void aTextInTheFileMayHaveLinesAndPlaceholders() {
        PaxosLeaseOptions options = options(
                Map.of("APP_PORT", "7401", "HOSTNAME", "b"),
                Map.of("paxoslease.peers", "a=10.0.0.1:${APP_PORT},\n  b = 10.0.0.2:${APP_PORT}\n"));

        assertThat(options.peers()).containsOnlyKeys("a", "b");
        assertThat(options.peers().get("b")).hasToString("10.0.0.2/<unresolved>:7401");
    }

    /** As for every other property: what comes first counts. */
    @Test
    void aVariableReplacesTheListOfTheFileAndAnEntryAddsToIt() {
        Map<String, Object> file = Map.of(
                "paxoslease.node-id",
                "a",
                "paxoslease.peers.a",
                "10.0.0.1:7400",
                "paxoslease.peers.b",
                "10.0.0.2:7400");

        assertThat(options(Map.of("PAXOSLEASE_PEERS", "a=10.0.1.1:7400,z=10.0.1.9:7400"), file)
                        .peers())
                .containsOnlyKeys("a", "z");
        assertThat(options(Map.of("PAXOSLEASE_PEERS_C", "10.0.0.3:7400"), file).peers())
                .containsOnlyKeys("a", "b", "c");
        assertThat(options(Map.of("PAXOSLEASE_PEERS", " "), file).peers()).containsOnlyKeys("a", "b");
        assertThat(options(
                                Map.of("PAXOSLEASE_PEERS_A", "10.0.0.1:7400"),
                                Map.of("paxoslease.node-id", "a", "paxoslease.peers", "b=10.0.0.2:7400"))
                        .peers())
                .containsOnlyKeys("a");
    }

    @Test
    void entriesAreInTheOrderOfTheirIds() {
        Map<String, Object> variables = new LinkedHashMap<>();
        for (String id : List.of("WEB", "MAIL", "APP", "CACHE", "DB")) {
            variables.put("PAXOSLEASE_PEERS_" + id, id + ":7400");
        }
        variables.put("HOSTNAME", "web");

        assertThat(options(variables).peers().keySet()).containsExactly("app", "cache", "db", "mail", "web");
    }

    /** Of a Kubernetes service that is called paxoslease-peers. */
    @Test
    void variablesOfAServiceDoNotGetIntoATextOfPeers() {
        PaxosLeaseOptions options = options(Map.of(
                "PAXOSLEASE_PEERS", THREE,
                "PAXOSLEASE_PEERS_SERVICE_HOST", "10.1.2.3",
                "HOSTNAME", "app-0"));

        assertThat(options.peers().keySet()).containsExactly("app-0", "app-1", "Node_2");
    }

    @Test
    void aTextThatIsNoListIsRefused() {
        for (String wrong : List.of("10.0.0.1:7400", "a=h:1,,b=h:2", "=h:1", "a=h:1,a=h:2")) {
            assertThatThrownBy(() -> options(Map.of("PAXOSLEASE_PEERS", wrong)))
                    .isInstanceOfSatisfying(BindException.class, failure -> assertThat(failure.getProperty())
                            .asString()
                            .contains("paxoslease.peers"))
                    .rootCause()
                    .hasMessage(
                            "The peers must be a list such as 'a=10.0.0.1:7400,b=10.0.0.2:7400', each once, not '%s'",
                            wrong);
        }
        assertThatThrownBy(() -> options(Map.of("PAXOSLEASE_PEERS", "a"), Map.of("paxoslease.peers.a", "h:1")))
                .isInstanceOfSatisfying(
                        InvalidConfigurationPropertyValueException.class,
                        refusal -> assertThat(refusal.getName()).isEqualTo("paxoslease.peers"));
        assertThatThrownBy(() -> options(Map.of("PAXOSLEASE_PEERS", "a=::1:7400", "HOSTNAME", "a")))
                .hasMessageContaining(
                        "Is no address for 'a'; write host:port, for instance 10.0.0.7:7400 or [2001:db8::7]:7400");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "app-1=h:1,app-2=h:2,app-12=h:3 | HOSTNAME          | app-2             | app-2",
                "app-1=h:1,app-2=h:2,app-12=h:3 | HOSTNAME          | app-2.example.org | app-2",
                "a.example.org=h:1,a=h:2        | HOSTNAME          | a.example.org     | a.example.org",
                "WEB1=h:1,WEB2=h:2              | COMPUTERNAME      | WEB2              | WEB2",
                "app-1=h:1,app-2=h:2,app-12=h:3 | CF_INSTANCE_INDEX | 2                 | app-2",
                "0=h:1,1=h:2,2=h:3              | CF_INSTANCE_INDEX | 1                 | 1"
            })
    void aMemberIsCalledAsItsHostOrNumbered(String peers, String variable, String value, String id) {
        assertThat(options(Map.of("PAXOSLEASE_PEERS", peers, variable, value)).nodeId())
                .isEqualTo(id);
        assertThat(options(Map.of("PAXOSLEASE_PEERS", peers, variable, value, "PAXOSLEASE_MODE", "auto"))
                        .isClient())
                .isFalse();
    }

    @Test
    void aConfiguredIdComesFirst() {
        assertThat(options(Map.of("PAXOSLEASE_PEERS", THREE, "HOSTNAME", "app-0", "PAXOSLEASE_NODE_ID", "app-1"))
                        .nodeId())
                .isEqualTo("app-1");
    }

    @Test
    void aHostOrANumberThatTellsOfNoMemberIsRefusedWithWhatWasLookedFor() {
        assertMissing(
                Map.of("PAXOSLEASE_PEERS", THREE, "HOSTNAME", "4f1c.example.org"),
                "one of [app-0, app-1, Node_2] and another on every node (by default it is the host's name, which is [4f1c.example.org, 4f1c] here)");
        assertMissing(
                Map.of("PAXOSLEASE_PEERS", "app-0=h:1,web-0=h:2", "HOSTNAME", "x", "CF_INSTANCE_INDEX", "0"),
                "(by default it is the host's name, which is [x] here, or the id that ends with -0, after CF_INSTANCE_INDEX)");
    }

    private static void assertMissing(Map<String, Object> variables, String reason) {
        assertThatThrownBy(() -> options(variables))
                .isInstanceOf(NodeStartException.class)
                .hasMessageStartingWith("The configuration property 'paxoslease.node-id' is missing.")
                .hasMessageContaining(reason);
    }

    @Test
    void anApplicationReadsSuchATextOfItself(CapturedOutput output) {
        PaxosLeaseTestSupport.runner()
                .withInitializer(context -> context.getEnvironment()
                        .getPropertySources()
                        .addFirst(new SystemEnvironmentPropertySource(
                                "test-" + SOURCE, Map.of("PAXOSLEASE_PEERS", THREE))))
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThat(output).contains("paxoslease.peers is ignored, because paxoslease.standalone is true");
                });
    }
}
