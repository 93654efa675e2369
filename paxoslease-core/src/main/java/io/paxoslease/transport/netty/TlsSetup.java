package io.paxoslease.transport.netty;

import io.netty.handler.ssl.SslHandler;
import io.paxoslease.monitor.ConnectionRefusal;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Printable;
import io.paxoslease.transport.Rejection;
import java.net.InetSocketAddress;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSessionContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;
import org.jspecify.annotations.Nullable;

/**
 * Mutual TLS with one set of keys and one context, made on the thread that sets it up. No session is resumed: each connection
 * shows its certificate afresh. Immutable.
 */
public final class TlsSetup {

    private static final List<String> PROTOCOLS = List.of("TLSv1.3", "TLSv1.2");

    /** Above the seven days for which a ticket may be used at most (RFC 8446, 4.6.1): the JDK then issues none. */
    private static final int NO_TICKETS_SECONDS = 8 * 24 * 3_600;

    private final SSLContext context;
    private final String[] protocols;
    private final String[] ciphers;
    private final boolean verifyNodeIds;
    private final X509Certificate own;

    /**
     * @param protocols which versions are spoken, TLSv1.2 and TLSv1.3; none for both
     * @param ciphers which cipher suites; none for those of the JDK that are {@linkplain CipherSuites safe}
     * @param verifyNodeIds whether a certificate must name the node that shows it
     * @throws IllegalArgumentException saying what is wrong, and what to change
     */
    public TlsSetup(
            List<KeyManager> keys,
            List<TrustManager> trust,
            List<String> protocols,
            List<String> ciphers,
            boolean verifyNodeIds) {
        this.protocols = (protocols.isEmpty() ? PROTOCOLS : protocols).toArray(String[]::new);
        this.verifyNodeIds = verifyNodeIds;
        if (!PROTOCOLS.containsAll(protocols)) {
            throw new IllegalArgumentException(
                    "enables %s, and only TLSv1.2 and TLSv1.3 are safe: enable these, or leave the protocols out"
                            .formatted(protocols));
        }
        checkTrust(trust.toArray(TrustManager[]::new));
        this.context = context(keys, trust);
        this.ciphers =
                CipherSuites.chosen(ciphers, context.getDefaultSSLParameters().getCipherSuites());
        X509Certificate certificate = OwnCertificate.of(keys, engine(context.createSSLEngine()));
        if (certificate == null) {
            throw new IllegalArgumentException(
                    "has no private key with a certificate, and every node must show one: add this node's key and"
                            + " certificate to the key store");
        }
        this.own = certificate;
    }

    private static void checkTrust(TrustManager[] trust) {
        Set<X509Certificate> issuers = issuers(trust);
        if (trust.length == 0 || (!issuers.isEmpty() && issuers.equals(issuers(defaultTrust())))) {
            throw new IllegalArgumentException(
                    "names no CA of its own, and would trust everyone with a certificate of a public CA: add the"
                            + " certificate of the cell's private CA to the trust store");
        }
    }

    private static Set<X509Certificate> issuers(TrustManager[] managers) {
        Set<X509Certificate> issuers = new HashSet<>();
        for (TrustManager manager : managers) {
            if (manager instanceof X509TrustManager x509) {
                issuers.addAll(Arrays.asList(x509.getAcceptedIssuers()));
            }
        }
        return issuers;
    }

    private static TrustManager[] defaultTrust() {
        try {
            TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            factory.init((KeyStore) null);
            return factory.getTrustManagers();
        } catch (GeneralSecurityException none) {
            return new TrustManager[0];
        }
    }

    /** For a connection that was accepted: whoever made it must show a certificate. */
    SSLEngine accepting() {
        SSLEngine engine = engine(context.createSSLEngine());
        engine.setUseClientMode(false);
        engine.setNeedClientAuth(true);
        return engine;
    }

    /** For a connection to that host, which the peer's certificate must be made out to. */
    SSLEngine connecting(InetSocketAddress host) {
        SSLEngine engine = engine(context.createSSLEngine(host.getHostString(), host.getPort()));
        engine.setUseClientMode(true);
        SSLParameters parameters = engine.getSSLParameters();
        parameters.setEndpointIdentificationAlgorithm("HTTPS");
        engine.setSSLParameters(parameters);
        return engine;
    }

    private static SSLContext context(List<KeyManager> keys, List<TrustManager> trust) {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(keys.toArray(KeyManager[]::new), trust.toArray(TrustManager[]::new), null);
            for (SSLSessionContext sessions :
                    List.of(context.getServerSessionContext(), context.getClientSessionContext())) {
                sessions.setSessionTimeout(NO_TICKETS_SECONDS);
                sessions.setSessionCacheSize(1);
            }
            return context;
        } catch (GeneralSecurityException e) {
            throw unusable(e);
        }
    }

    private SSLEngine engine(SSLEngine engine) {
        try {
            engine.setEnabledProtocols(protocols);
            engine.setEnabledCipherSuites(ciphers);
            return engine;
        } catch (IllegalArgumentException e) {
            throw unusable(e);
        }
    }

    private static IllegalArgumentException unusable(Exception e) {
        return new IllegalArgumentException("cannot be used: " + Printable.text(e.getMessage()), e);
    }

    /** Where tickets are switched off the JDK would resume it from memory instead. */
    static void completed(SslHandler handler) {
        handler.engine().getSession().invalidate();
    }

    /** Whether a certificate must name the node that shows it. */
    public boolean verifiesNodeIds() {
        return verifyNodeIds;
    }

    /** Why the certificate that was shown is not that node's; null when it is, or need not be. */
    @Nullable
    Rejection judge(SslHandler handler, String cell, NodeId id) {
        if (!verifyNodeIds) {
            return null;
        }
        String names = "none";
        try {
            if (handler.engine().getSession().getPeerCertificates()[0] instanceof X509Certificate certificate) {
                if (CertificateNames.include(certificate, cell, id)) {
                    return null;
                }
                names = CertificateNames.of(certificate).toString();
            }
        } catch (SSLPeerUnverifiedException e) {
            // It names no node.
        }
        return new Rejection(
                ConnectionRefusal.NODE_ID_MISMATCH,
                ("the certificate that '%s' shows does not name it, its names are %s: give every node its own"
                                + " certificate, with a DNS entry '%s' or a URI entry 'paxoslease://%s/%s'")
                        .formatted(id, Printable.name(names), id, cell, id));
    }

    /** Whether this node may show its certificate to others that verify node ids. */
    public boolean names(String cell, NodeId node) {
        return !verifyNodeIds || CertificateNames.include(own, cell, node);
    }

    /** The names in this node's certificate, for a message. */
    public String names() {
        return CertificateNames.of(own).toString();
    }

    /** What is wrong with the validity of this node's certificate now; null when nothing is. */
    public @Nullable String validityProblem() {
        try {
            own.checkValidity();
            return null;
        } catch (CertificateExpiredException e) {
            return "has expired";
        } catch (CertificateNotYetValidException e) {
            return "is not valid yet";
        }
    }
}
