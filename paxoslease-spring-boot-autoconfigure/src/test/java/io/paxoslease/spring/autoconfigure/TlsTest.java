package io.paxoslease.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import io.paxoslease.NodeStartException;
import io.paxoslease.PaxosLease;
import io.paxoslease.monitor.PeerStatus;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** TLS between nodes from an SSL bundle. */
@Tag("slow")
@Tag("jdk")
@ExtendWith(OutputCaptureExtension.class)
class TlsTest {

    private final TestCell cell = new TestCell(2);
    private final ApplicationContextRunner runner =
            PaxosLeaseTestSupport.runner().withConfiguration(AutoConfigurations.of(SslAutoConfiguration.class));

    private final Path directory;
    private final X509Bundle ca;

    TlsTest(@TempDir Path directory) throws Exception {
        this.directory = directory;
        this.ca = new CertificateBuilder()
                .ecp256()
                .subject("CN=cell")
                .setIsCertificateAuthority(true)
                .buildSelfSigned();
    }

    @BeforeEach
    void writeFiles() throws Exception {
        Files.writeString(directory.resolve("ca.pem"), ca.getCertificatePEM());
        for (String node : cell.nodes()) {
            writeKey(node, node);
        }
    }

    private void writeKey(String file, String name) throws Exception {
        X509Bundle certificate = new CertificateBuilder()
                .ecp256()
                .subject("CN=" + name)
                .addSanDnsName(name)
                .addSanIpAddress("127.0.0.1")
                .buildIssuedBy(ca);
        Files.writeString(directory.resolve(file + ".key"), certificate.getPrivateKeyPEM());
        Files.writeString(directory.resolve(file + ".pem"), certificate.getCertificatePEM());
    }

    @Test
    void nodesTalkTlsWithABundle() {
        node("n1", "paxoslease.ssl.verify-node-id=true")
                .run(one -> node("n2", "paxoslease.ssl.verify-node-id=true").run(two -> {
                    awaitConnected(one.getBean(PaxosLease.class));
                    awaitConnected(two.getBean(PaxosLease.class));
                    assertThat(one.getBean(PaxosLease.class).monitor().options().tls())
                            .isNotNull();
                }));
    }

    @Test
    void anUpdatedBundleIsUsed(CapturedOutput output) {
        node(
                        "n1",
                        "spring.ssl.bundle.pem.cell.reload-on-update=true",
                        "spring.ssl.bundle.watch.file.quiet-period=100ms")
                .run(context -> {
                    writeKey("n1", "n1");
                    Awaitility.await().untilAsserted(() -> assertThat(output)
                            .contains("SSL bundle 'cell' was updated: node 'n1' uses the new version from now on"));
                    assertThat(context.getBean(PaxosLease.class).monitor().isRunning())
                            .isTrue();
                });
    }

    @Test
    void aBundleThatDoesNotExistIsNamed() {
        node("n1", "paxoslease.ssl.bundle=sell").run(context -> assertThat(
                        failure(Objects.requireNonNull(context.getStartupFailure())))
                .isEqualTo("paxoslease.ssl.bundle There is no SSL bundle of that name, only [cell]. Define it under"
                        + " 'spring.ssl.bundle.pem.sell' or 'spring.ssl.bundle.jks.sell'."));
    }

    @Test
    void aBundleWithoutAKeyIsRefused() {
        node(
                        "n1",
                        "paxoslease.ssl.bundle=trust",
                        "spring.ssl.bundle.pem.trust.truststore.certificate=" + file("ca.pem"))
                .run(context -> assertThat(failure(Objects.requireNonNull(context.getStartupFailure())))
                        .startsWith("paxoslease.ssl.bundle The bundle has no private key with a certificate"));
    }

    @Test
    void aBundleWithoutTrustIsRefused() {
        node(
                        "n1",
                        "paxoslease.ssl.bundle=key",
                        "spring.ssl.bundle.pem.key.keystore.certificate=" + file("n1.pem"),
                        "spring.ssl.bundle.pem.key.keystore.private-key=" + file("n1.key"))
                .run(context -> assertThat(failure(Objects.requireNonNull(context.getStartupFailure())))
                        .startsWith("paxoslease.ssl.bundle The bundle names no CA of its own, and would trust everyone"
                                + " with a certificate of a public CA"));
    }

    @Test
    void aCertificateOfAnotherNodeIsRefusedAtTheStart() throws Exception {
        writeKey("n1", "n2");
        node("n1", "paxoslease.ssl.verify-node-id=true").run(context -> assertThat(
                        failure(Objects.requireNonNull(context.getStartupFailure())))
                .startsWith("paxoslease.ssl.bundle The bundle has a certificate that does not name this node, 'n1'"));
    }

    @Test
    void tlsCanBeSwitchedOff() {
        node("n1", "paxoslease.ssl.enabled=false").run(context -> assertThat(
                        context.getBean(PaxosLease.class).monitor().options().tls())
                .isNull());
    }

    @Test
    void tlsWithoutABundleIsRefused() {
        node("n1", "paxoslease.ssl.bundle=", "paxoslease.ssl.enabled=true")
                .run(context -> assertThat(failure(Objects.requireNonNull(context.getStartupFailure())))
                        .startsWith("paxoslease.ssl.bundle Is required if 'paxoslease.ssl.enabled' is true"));
    }

    @ParameterizedTest
    @CsvSource({
        "true, '''n1'' at 127.0.0.1 is refused: it speaks TLS, and this node does not'",
        "false, '''n1'' at 127.0.0.1 is refused: it does not speak TLS, and this node does'"
    })
    void tlsOnOneSideOnlyStopsTheStartOfTheOther(boolean first, String why) {
        node("n1", "paxoslease.ssl.enabled=" + first)
                .run(one -> node("n2", "paxoslease.ssl.enabled=" + !first).run(two -> assertThat(two)
                        .hasFailed()
                        .getFailure()
                        .rootCause()
                        .isInstanceOf(NodeStartException.class)
                        .hasMessageContaining(why + ": set up TLS on every node of the cell or on none")));
    }

    private ApplicationContextRunner node(String id, String... properties) {
        return runner.withPropertyValues(cell.propertiesOf(id))
                .withPropertyValues(
                        "paxoslease.ssl.bundle=cell",
                        "spring.ssl.bundle.pem.cell.keystore.certificate=" + file(id + ".pem"),
                        "spring.ssl.bundle.pem.cell.keystore.private-key=" + file(id + ".key"),
                        "spring.ssl.bundle.pem.cell.truststore.certificate=" + file("ca.pem"))
                .withPropertyValues(properties);
    }

    private String file(String name) {
        return "file:" + directory.resolve(name);
    }

    private static void awaitConnected(PaxosLease node) {
        Awaitility.await().until(() -> node.monitor().status().peers().stream().allMatch(PeerStatus::connected));
    }

    private static String failure(Throwable failure) {
        return Stream.iterate(failure, cause -> cause != null, Throwable::getCause)
                .filter(InvalidConfigurationPropertyValueException.class::isInstance)
                .map(InvalidConfigurationPropertyValueException.class::cast)
                .map(invalid -> invalid.getName() + " " + invalid.getReason())
                .findFirst()
                .orElse("no such failure: " + failure);
    }
}
