package io.paxoslease.transport.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.paxoslease.testing.TestCa;
import java.net.InetSocketAddress;
import java.util.List;
import javax.net.ssl.SSLEngine;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a TLS set-up speaks, and what it does not. */
class TlsSetupTest {

    private static final TestCa ca = new TestCa("cell");

    @Test
    void onlyAuthenticatedEncryptionWithKeysOfTheMomentIsSpoken() {
        for (SSLEngine engine : engines(setup(List.of()))) {
            assertThat(engine.getEnabledCipherSuites())
                    .isNotEmpty()
                    .allMatch(suite -> suite.contains("_GCM_") || suite.contains("_CHACHA20_"))
                    .noneMatch(suite -> suite.startsWith("TLS_RSA_"))
                    .contains("TLS_AES_256_GCM_SHA384", "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384");
        }
    }

    @Test
    void suitesThatAreNamedAreSpoken() {
        List<String> named = List.of("TLS_AES_128_GCM_SHA256", "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256");
        for (SSLEngine engine : engines(setup(named))) {
            assertThat(engine.getEnabledCipherSuites()).containsExactlyElementsOf(named);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA",
                "TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA384",
                "TLS_RSA_WITH_AES_128_GCM_SHA256",
                "TLS_ECDH_ECDSA_WITH_AES_128_GCM_SHA256",
                "TLS_ECDH_anon_WITH_AES_128_CBC_SHA"
            })
    void aWeakSuiteIsRefusedByItsName(String suite) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> setup(List.of("TLS_AES_256_GCM_SHA384", suite)))
                .withMessage(
                        "enables the cipher suites [%s], which are not safe: name suites with ECDHE or DHE and GCM or"
                                        .formatted(suite)
                                + " CHACHA20, or leave the ciphers out");
    }

    private static List<SSLEngine> engines(TlsSetup setup) {
        return List.of(setup.accepting(), setup.connecting(InetSocketAddress.createUnresolved("localhost", 1)));
    }

    private static TlsSetup setup(List<String> ciphers) {
        return new TlsSetup(
                List.of(TestCa.keys(ca.certificate("a")).getKeyManagers()),
                List.of(TestCa.trust(ca).getTrustManagers()),
                List.of(),
                ciphers,
                false);
    }
}
