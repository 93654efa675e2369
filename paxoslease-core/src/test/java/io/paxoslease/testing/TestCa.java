package io.paxoslease.testing;

import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import io.paxoslease.TlsOptions;
import java.net.URI;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.time.Duration;
import java.time.Instant;
import java.util.function.UnaryOperator;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** A private certificate authority, and the certificates that it signs. */
public final class TestCa {

    private static final char[] PASSWORD = "secret".toCharArray();
    private static final Duration DAY = Duration.ofDays(1);

    private final X509Bundle ca;

    public TestCa(String name) {
        ca = built(() -> new CertificateBuilder()
                .ecp256()
                .subject("CN=" + name)
                .setIsCertificateAuthority(true)
                .buildSelfSigned());
    }

    /** Valid now, for the loopback address and a name. */
    public X509Bundle certificate(String name) {
        return certificate(builder -> builder.addSanDnsName(name).addSanIpAddress("127.0.0.1"));
    }

    public X509Bundle certificate(UnaryOperator<CertificateBuilder> names) {
        return built(() -> names.apply(new CertificateBuilder()
                        .ecp256()
                        .subject("CN=node")
                        .notBefore(Instant.now().minus(DAY))
                        .notAfter(Instant.now().plus(DAY)))
                .buildIssuedBy(ca));
    }

    /** It was valid until yesterday. */
    public X509Bundle expired(String name) {
        return certificate(builder -> builder.addSanDnsName(name)
                .addSanIpAddress("127.0.0.1")
                .notBefore(Instant.now().minus(DAY.multipliedBy(3)))
                .notAfter(Instant.now().minus(DAY)));
    }

    public X509Bundle withUri(String uri) {
        return certificate(builder -> builder.addSanUriName(URI.create(uri)).addSanIpAddress("127.0.0.1"));
    }

    /** The trust of a node that accepts what these authorities sign. */
    public static TrustManagerFactory trust(TestCa... authorities) {
        return built(() -> {
            KeyStore store = KeyStore.getInstance("PKCS12");
            store.load(null, null);
            for (int i = 0; i < authorities.length; i++) {
                store.setCertificateEntry("ca" + i, authorities[i].ca.getCertificate());
            }
            return trust(store);
        });
    }

    private static TrustManagerFactory trust(KeyStore store) throws GeneralSecurityException {
        TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init(store);
        return factory;
    }

    public static KeyManagerFactory keys(X509Bundle certificate) {
        return built(() -> {
            KeyManagerFactory factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            factory.init(certificate.toKeyStore(PASSWORD), PASSWORD);
            return factory;
        });
    }

    /** A node that shows that certificate, and accepts what this authority signs. */
    public TlsOptions.Builder tls(X509Bundle certificate) {
        return TlsOptions.builder(keys(certificate), trust(this));
    }

    /** For a client by hand. */
    public SSLContext tlsContext(X509Bundle certificate, TestCa... trusted) {
        return built(() -> {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(keys(certificate).getKeyManagers(), trust(trusted).getTrustManagers(), null);
            return context;
        });
    }

    private interface Construction<T> {
        T make() throws Exception;
    }

    private static <T> T built(Construction<T> construction) {
        try {
            return construction.make();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}
