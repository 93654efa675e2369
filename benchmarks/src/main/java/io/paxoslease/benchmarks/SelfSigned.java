package io.paxoslease.benchmarks;

import io.paxoslease.TlsOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** One certificate for the nodes a, b and c of a cell on the loopback interface, which they also trust; made by the JDK's keytool. */
final class SelfSigned {

    private static final String PASSWORD = "secret";
    private static final String ALIAS = "node";

    private SelfSigned() {}

    static Path make() throws IOException, InterruptedException {
        Path keys = Files.createTempFile("strangers", ".p12");
        Files.delete(keys); // keytool makes it
        int exit = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-alias",
                        ALIAS,
                        "-keyalg",
                        "EC",
                        "-groupname",
                        "secp256r1",
                        "-dname",
                        "CN=node",
                        "-ext",
                        "san=ip:127.0.0.1,dns:a,dns:b,dns:c",
                        "-storetype",
                        "PKCS12",
                        "-keystore",
                        keys.toString(),
                        "-storepass",
                        PASSWORD)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start()
                .waitFor();
        if (exit != 0) {
            throw new IOException("keytool failed with " + exit);
        }
        return keys;
    }

    static TlsOptions tls(Path keys) {
        return TlsOptions.builder(own(keys), trust(keys)).verifyNodeIds(true).build();
    }

    /** For connections that are no node's. */
    static SSLContext context(Path keys) {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(own(keys).getKeyManagers(), trust(keys).getTrustManagers(), null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    private static KeyManagerFactory own(Path keys) {
        try {
            KeyManagerFactory own = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            own.init(store(keys), PASSWORD.toCharArray());
            return own;
        } catch (GeneralSecurityException | IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static TrustManagerFactory trust(Path keys) {
        try {
            KeyStore trusted = KeyStore.getInstance("PKCS12");
            trusted.load(null, null);
            trusted.setCertificateEntry("cell", store(keys).getCertificate(ALIAS));
            TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(trusted);
            return trust;
        } catch (GeneralSecurityException | IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static KeyStore store(Path keys) throws GeneralSecurityException, IOException {
        return KeyStore.getInstance(keys.toFile(), PASSWORD.toCharArray());
    }
}
