package io.paxoslease.transport.netty;

import io.netty.handler.ssl.SslHandler;
import io.paxoslease.monitor.ConnectionRefusal;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Printable;
import io.paxoslease.transport.Rejection;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the certificate that a client shows says of it.
 *
 * @param namesIt whether it names the client: so no other client can have its id meanwhile
 * @param mismatch why the client may not have that id, since the certificate names others; null when it may
 * @param fingerprint tells certificates apart
 */
record ClientCertificate(boolean namesIt, @Nullable Rejection mismatch, String fingerprint) {

    private static final int FINGERPRINT_BYTES = 16;

    static @Nullable ClientCertificate of(SslHandler handler, String cell, NodeId id) {
        X509Certificate shown = TlsSetup.shown(handler);
        return shown == null ? null : of(shown, cell, id);
    }

    static ClientCertificate of(X509Certificate certificate, String cell, NodeId id) {
        List<String> clients = CertificateNames.ofClients(certificate, cell);
        boolean isOfOthers = !clients.isEmpty() && !clients.contains(id.name());
        return new ClientCertificate(
                clients.contains(id.name()) || CertificateNames.include(certificate, cell, id),
                isOfOthers ? mismatch(cell, id, clients) : null,
                fingerprint(certificate));
    }

    private static Rejection mismatch(String cell, NodeId id, List<String> clients) {
        return new Rejection(
                ConnectionRefusal.NODE_ID_MISMATCH,
                "the certificate that client '%s' shows names other clients, %s: give it a certificate with the URI entry 'paxoslease://%s/client/%s', or with no entry of this form"
                        .formatted(id, Printable.name(clients), cell, id));
    }

    private static String fingerprint(X509Certificate certificate) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(certificate.getEncoded());
            return HexFormat.of().formatHex(Arrays.copyOf(digest, FINGERPRINT_BYTES));
        } catch (GeneralSecurityException everyPlatformHasIt) {
            throw new IllegalStateException(everyPlatformHasIt);
        }
    }
}
