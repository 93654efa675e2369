package io.paxoslease.transport.netty;

import io.netty.handler.ssl.SslHandler;
import io.paxoslease.monitor.ConnectionRefusal;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Printable;
import io.paxoslease.transport.Rejection;
import java.net.InetSocketAddress;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.Principal;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSessionContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedKeyManager;
import javax.net.ssl.X509KeyManager;
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

    private static final List<String> KEY_TYPES = List.of("EC", "RSA", "EdDSA", "RSASSA-PSS", "DSA");

    private static final List<String> CIPHERS = List.of("_GCM_", "_CHACHA20_");
    private static final List<String> KEY_EXCHANGES = List.of("TLS_ECDHE_", "TLS_DHE_", "TLS_AES_", "TLS_CHACHA20_");

    private final SSLContext context;
    private final String[] protocols;
    private final String[] ciphers;
    private final boolean verifyNodeIds;
    private final X509Certificate own;

    /**
     * @param protocols which versions are spoken, TLSv1.2 and TLSv1.3; none for both
     * @param ciphers which cipher suites; none for those of the JDK that are safe
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
        this.ciphers = chosen(ciphers, context.getDefaultSSLParameters().getCipherSuites());
        X509Certificate certificate = certificate(keys, engine(context.createSSLEngine()));
        if (certificate == null) {
            throw new IllegalArgumentException(
                    "has no private key with a certificate, and every node must show one: add this node's key and"
                            + " certificate to the key store");
        }
        this.own = certificate;
    }

    /**
     * The cipher suites to enable.
     *
     * @param named by the user; none for all safe ones
     * @param enabledByTheJdk what is enabled unless suites are named
     */
    private static String[] chosen(List<String> named, String[] enabledByTheJdk) {
        List<String> unsafe =
                named.stream().filter(Predicate.not(TlsSetup::isSafe)).toList();
        if (!unsafe.isEmpty()) {
            throw new IllegalArgumentException(
                    "enables the cipher suites %s, which are not safe: name suites with ECDHE or DHE and GCM or CHACHA20, or leave the ciphers out"
                            .formatted(Printable.text(unsafe)));
        }
        return named.isEmpty()
                ? Arrays.stream(enabledByTheJdk).filter(TlsSetup::isSafe).toArray(String[]::new)
                : named.toArray(String[]::new);
    }

    /**
     * Those that encrypt and authenticate in one, with keys made for the connection alone. Those that chain blocks (CBC) have leaked plain
     * text time and again, and with a key exchange by RSA a key that is stolen later opens what was recorded.
     */
    private static boolean isSafe(String suite) {
        return CIPHERS.stream().anyMatch(suite::contains)
                && KEY_EXCHANGES.stream().anyMatch(suite::startsWith);
    }

    /** What a node would show; null: nothing. */
    private static @Nullable X509Certificate certificate(List<KeyManager> managers, SSLEngine engine) {
        for (KeyManager manager : managers) {
            if (manager instanceof X509KeyManager keys) {
                for (String type : KEY_TYPES) {
                    X509Certificate certificate = certificate(keys, alias(keys, type, engine));
                    if (certificate != null) {
                        return certificate;
                    }
                }
            }
        }
        return null;
    }

    @SuppressWarnings("NullAway") // no issuers: any
    private static @Nullable String alias(X509KeyManager keys, String type, SSLEngine engine) {
        Principal[] any = null;
        String chosen = keys instanceof X509ExtendedKeyManager extended
                ? extended.chooseEngineServerAlias(type, any, engine)
                : null;
        if (chosen != null) {
            return chosen;
        }
        String[] aliases = keys.getServerAliases(type, any);
        return aliases == null || aliases.length == 0 ? null : aliases[0];
    }

    @SuppressWarnings("NullAway") // as many implementations do for an alias that they do not have
    private static @Nullable X509Certificate certificate(X509KeyManager keys, @Nullable String alias) {
        X509Certificate[] chain = alias == null ? null : keys.getCertificateChain(alias);
        return chain == null || chain.length == 0 || keys.getPrivateKey(alias) == null ? null : chain[0];
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

    /** The other side's certificate; null: it has not come so far, or has another form. */
    static @Nullable X509Certificate shown(SslHandler handler) {
        try {
            return handler.engine().getSession().getPeerCertificates()[0] instanceof X509Certificate certificate
                    ? certificate
                    : null;
        } catch (SSLPeerUnverifiedException e) {
            return null;
        }
    }

    /** Why the certificate that was shown is not that node's; null when it is, or need not be. */
    @Nullable
    Rejection judge(SslHandler handler, String cell, NodeId id) {
        X509Certificate shown = shown(handler);
        if (!verifyNodeIds || (shown != null && CertificateNames.include(shown, cell, id))) {
            return null;
        }
        String names = shown == null ? "none" : CertificateNames.of(shown).toString();
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
