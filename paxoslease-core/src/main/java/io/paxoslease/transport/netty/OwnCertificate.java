package io.paxoslease.transport.netty;

import java.security.Principal;
import java.security.cert.X509Certificate;
import java.util.List;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedKeyManager;
import javax.net.ssl.X509KeyManager;
import org.jspecify.annotations.Nullable;

/** Finds the certificate that a node would show. */
final class OwnCertificate {

    private static final List<String> KEY_TYPES = List.of("EC", "RSA", "EdDSA", "RSASSA-PSS", "DSA");

    private OwnCertificate() {}

    static @Nullable X509Certificate of(List<KeyManager> managers, SSLEngine engine) {
        for (KeyManager manager : managers) {
            if (manager instanceof X509KeyManager keys) {
                for (String type : KEY_TYPES) {
                    X509Certificate certificate = of(keys, alias(keys, type, engine));
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
    private static @Nullable X509Certificate of(X509KeyManager keys, @Nullable String alias) {
        X509Certificate[] chain = alias == null ? null : keys.getCertificateChain(alias);
        return chain == null || chain.length == 0 || keys.getPrivateKey(alias) == null ? null : chain[0];
    }
}
