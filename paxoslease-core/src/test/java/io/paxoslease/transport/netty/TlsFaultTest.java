package io.paxoslease.transport.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.monitor.ConnectionRefusal;
import java.security.cert.CertificateException;
import java.util.Objects;
import javax.net.ssl.SSLHandshakeException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is said of a failure of TLS. Since Java 24 a message of the JDK may begin with the alert's name in parentheses. */
class TlsFaultTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Received fatal alert: certificate_unknown",
                "(certificate_unknown) Received fatal alert: certificate_unknown"
            })
    void anAlertIsTheOtherSidesRefusal(String message) {
        assertThat(TlsFault.of(new SSLHandshakeException(message), null))
                .isEqualTo(new TlsFault(
                        ConnectionRefusal.BY_PEER,
                        "it refuses this node in the TLS handshake (certificate_unknown): its log says why"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"Empty client certificate chain", "(certificate_required) Empty client certificate chain"})
    void anEmptyChainIsAMissingCertificate(String message) {
        assertThat(reason(new SSLHandshakeException(message))).isEqualTo(ConnectionRefusal.NO_CERTIFICATE);
    }

    @ParameterizedTest
    @ValueSource(strings = {"\r\nWARN forged", "\u0000", "\u202eforged", "\u2028forged"})
    void whatTheOtherSideWroteStaysInOneLine(String words) {
        String text = Objects.requireNonNull(TlsFault.of(new CertificateException("x" + words), null))
                .text();
        assertThat(text).doesNotContain(words).contains("x\\u");
    }

    @Test
    void aLongDetailIsCut() {
        String text = Objects.requireNonNull(TlsFault.of(new CertificateException("x".repeat(10_000)), null))
                .text();
        assertThat(text).hasSizeLessThan(500);
    }

    private static ConnectionRefusal reason(Throwable failure) {
        return Objects.requireNonNull(TlsFault.of(failure, null)).reason();
    }
}
