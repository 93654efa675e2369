package io.paxoslease.benchmarks;

import io.paxoslease.TlsOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.TrustManagerFactory;

/** One certificate for every node of a cell on the loopback interface, which they also trust; made by the JDK's keytool. */
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
                        "san=ip:127.0.0.1",
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
        try {
            KeyStore store = KeyStore.getInstance(keys.toFile(), PASSWORD.toCharArray());
            KeyStore trusted = KeyStore.getInstance("PKCS12");
            trusted.load(null, null);
            trusted.setCertificateEntry("cell", store.getCertificate(ALIAS));
            KeyManagerFactory own = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            own.init(store, PASSWORD.toCharArray());
            TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(trusted);
            return TlsOptions.builder(own, trust).build();
        } catch (GeneralSecurityException | IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
