package io.paxoslease.transport.netty;

import io.netty.handler.ssl.NotSslRecordException;
import io.paxoslease.monitor.ConnectionRefusal;
import io.paxoslease.protocol.Printable;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertPathValidatorException.BasicReason;
import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * What a failure of TLS means, in words.
 *
 * @param reason the kind
 * @param text what to change
 */
record TlsFault(ConnectionRefusal reason, String text) {

    private static final int MAX_CAUSES = 20;
    private static final int MAX_DETAIL = 120;
    private static final String ALERT = "Received fatal alert: ";

    static boolean isTls(Throwable failure) {
        return causes(failure).stream().anyMatch(SSLException.class::isInstance);
    }

    /**
     * Finds the cause that says most.
     *
     * @param host which host the other side's certificate had to be made out to, or null
     * @return null when the other side has merely gone
     */
    static @Nullable TlsFault of(Throwable failure, @Nullable String host) {
        List<Throwable> causes = causes(failure);
        for (Throwable cause : causes) {
            TlsFault fault = ofCertificate(cause, host);
            if (fault != null) {
                return fault;
            }
        }
        for (Throwable cause : causes) {
            if (cause instanceof SSLException ssl) {
                return ofProtocol(ssl);
            }
        }
        return null;
    }

    private static @Nullable TlsFault ofCertificate(Throwable cause, @Nullable String host) {
        if (cause instanceof CertPathValidatorException path) {
            boolean time = path.getReason() == BasicReason.EXPIRED || path.getReason() == BasicReason.NOT_YET_VALID;
            return time ? expired() : untrusted(path);
        }
        if (cause instanceof CertificateExpiredException || cause instanceof CertificateNotYetValidException) {
            return expired();
        }
        if (cause instanceof CertPathBuilderException) {
            return untrusted(cause);
        }
        if (cause instanceof CertificateException && !(cause.getCause() instanceof Exception)) {
            String message = String.valueOf(cause.getMessage());
            boolean name = message.startsWith("No subject alternative") || message.startsWith("No name matching");
            return name ? wrongHost(host) : untrusted(cause);
        }
        return null;
    }

    private static TlsFault expired() {
        return new TlsFault(
                ConnectionRefusal.EXPIRED_CERTIFICATE,
                "its certificate has expired or is not valid yet: renew it, or correct the clock of either machine");
    }

    private static TlsFault untrusted(Throwable cause) {
        return new TlsFault(
                ConnectionRefusal.UNTRUSTED_CERTIFICATE,
                ("its certificate is not trusted here (%s): have it signed by a CA that every node trusts, or add its CA"
                                + " to the trust store of this node")
                        .formatted(detail(cause)));
    }

    private static TlsFault wrongHost(@Nullable String host) {
        return new TlsFault(
                ConnectionRefusal.HOST_NAME,
                ("its certificate is not made out to '%s': add that to its subject alternative names, or correct the"
                                + " address in the peers")
                        .formatted(host));
    }

    private static @Nullable TlsFault ofProtocol(SSLException ssl) {
        String message = String.valueOf(ssl.getMessage());
        if (ssl instanceof NotSslRecordException) {
            return new TlsFault(
                    ConnectionRefusal.NOT_TLS,
                    "it does not speak TLS, and this node does: set up TLS on every node of the cell or on none" + "");
        }
        int alert = message.indexOf(ALERT); // after the alert's name in parentheses, since Java 24
        if (alert >= 0) {
            return new TlsFault(
                    ConnectionRefusal.BY_PEER,
                    "it refuses this node in the TLS handshake (%s): its log says why"
                            .formatted(clean(message.substring(alert + ALERT.length()))));
        }
        if (message.contains("Empty client certificate chain")) {
            return new TlsFault(
                    ConnectionRefusal.NO_CERTIFICATE,
                    "it shows no certificate of a CA that this node trusts: every node needs a private key with such a"
                            + " certificate in its key store");
        }
        if (ssl.getClass().getSimpleName().contains("Closed")
                || message.toLowerCase(Locale.ROOT).contains("connection closed")) {
            return null;
        }
        return new TlsFault(
                ConnectionRefusal.TLS_FAILED,
                "the TLS handshake failed (%s): enable a common protocol and cipher suite on every node"
                        .formatted(detail(ssl)));
    }

    private static String detail(Throwable cause) {
        return clean(String.valueOf(cause.getMessage()));
    }

    /** It is written to the log, and may be the other side's words. */
    private static String clean(String text) {
        String one = Printable.name(text);
        return one.length() <= MAX_DETAIL ? one : one.substring(0, MAX_DETAIL) + "…";
    }

    private static List<Throwable> causes(Throwable failure) {
        List<Throwable> causes = new ArrayList<>();
        for (Throwable t = failure; t != null && causes.size() < MAX_CAUSES; t = t.getCause()) {
            causes.add(t);
        }
        return causes;
    }
}
