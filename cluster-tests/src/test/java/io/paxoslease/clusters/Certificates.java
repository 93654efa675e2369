package io.paxoslease.clusters;

import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import java.util.List;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;

/** A private certificate authority, and a certificate for each node that names its alias on the containers' network. */
final class Certificates {

    static final String DIRECTORY = "/tls";

    private static final int ANSWER_MILLIS = 10_000;

    private final X509Bundle authority;

    private Certificates(X509Bundle authority) {
        this.authority = authority;
    }

    static Certificates ofNewAuthority() {
        try {
            return new Certificates(new CertificateBuilder()
                    .ecp256()
                    .subject("CN=PaxosLease cluster tests")
                    .setIsCertificateAuthority(true)
                    .buildSelfSigned());
        } catch (Exception e) {
            throw new IllegalStateException("cannot make a certificate authority", e);
        }
    }

    /**
     * A new directory with what that node needs.
     *
     * @param alias the name of several nodes, that it is called by, too
     */
    Path directoryFor(String node, String alias) {
        try {
            X509Bundle own = alias.isEmpty() ? issue(node) : issue(node, alias);
            Path directory = Files.createTempDirectory(Files.createDirectories(Path.of("target", "tls")), node);
            Files.writeString(directory.resolve("node.pem"), own.getCertificatePathPEM());
            Files.writeString(directory.resolve("node.key"), own.getPrivateKeyPEM());
            Files.writeString(directory.resolve("ca.pem"), authority.getCertificatePEM());
            return directory;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Connects as a member would, and answers with the names in the certificate that is shown. */
    List<String> namesShownBy(String host, int port) {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(
                    issue("visitor").toKeyManagerFactory().getKeyManagers(),
                    new TrustManager[] {authority.toTrustManager()},
                    null);
            try (SSLSocket socket = (SSLSocket) context.getSocketFactory().createSocket(host, port)) {
                socket.setSoTimeout(ANSWER_MILLIS);
                socket.startHandshake();
                X509Certificate shown = (X509Certificate) socket.getSession().getPeerCertificates()[0];
                return shown.getSubjectAlternativeNames().stream()
                        .map(each -> each.get(1).toString())
                        .toList();
            }
        } catch (IOException | GeneralSecurityException e) {
            throw new AssertionError("no TLS at %s:%d".formatted(host, port), e);
        }
    }

    private X509Bundle issue(String... names) {
        try {
            CertificateBuilder builder = new CertificateBuilder()
                    .ecp256()
                    .subject("CN=" + names[0])
                    .addExtendedKeyUsageServerAuth()
                    .addExtendedKeyUsageClientAuth();
            for (String name : names) {
                builder.addSanDnsName(name);
            }
            return builder.buildIssuedBy(authority);
        } catch (Exception e) {
            throw new IllegalStateException("cannot make a certificate for " + names[0], e);
        }
    }

    /** What an application is told to use them. */
    static List<String> options() {
        String bundle = "--spring.ssl.bundle.pem.cell.";
        return List.of(
                bundle + "keystore.certificate=file:" + DIRECTORY + "/node.pem",
                bundle + "keystore.private-key=file:" + DIRECTORY + "/node.key",
                bundle + "truststore.certificate=file:" + DIRECTORY + "/ca.pem",
                "--paxoslease.ssl.bundle=cell",
                "--paxoslease.ssl.verify-node-id=true");
    }
}
