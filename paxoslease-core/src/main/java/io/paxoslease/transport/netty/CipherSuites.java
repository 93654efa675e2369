package io.paxoslease.transport.netty;

import io.paxoslease.protocol.Printable;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;

/**
 * Which cipher suites are spoken: those that encrypt and authenticate in one (AES-GCM, ChaCha20), with keys made for the
 * connection alone. Those that chain blocks (CBC) have leaked plain text time and again, and with a key exchange by RSA a key
 * that is stolen later opens what was recorded.
 */
final class CipherSuites {

    private static final List<String> CIPHERS = List.of("_GCM_", "_CHACHA20_");
    private static final List<String> KEY_EXCHANGES = List.of("TLS_ECDHE_", "TLS_DHE_", "TLS_AES_", "TLS_CHACHA20_");

    private CipherSuites() {}

    /**
     * The suites to enable.
     *
     * @param named by the user; none for all safe ones
     * @param enabledByTheJdk what is enabled unless suites are named
     * @throws IllegalArgumentException naming those that are not safe, and what to change
     */
    static String[] chosen(List<String> named, String[] enabledByTheJdk) {
        List<String> unsafe =
                named.stream().filter(Predicate.not(CipherSuites::isSafe)).toList();
        if (!unsafe.isEmpty()) {
            throw new IllegalArgumentException(
                    "enables the cipher suites %s, which are not safe: name suites with ECDHE or DHE and GCM or CHACHA20, or leave the ciphers out"
                            .formatted(Printable.text(unsafe)));
        }
        return named.isEmpty()
                ? Arrays.stream(enabledByTheJdk).filter(CipherSuites::isSafe).toArray(String[]::new)
                : named.toArray(String[]::new);
    }

    private static boolean isSafe(String suite) {
        return CIPHERS.stream().anyMatch(suite::contains)
                && KEY_EXCHANGES.stream().anyMatch(suite::startsWith);
    }
}
