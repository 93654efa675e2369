package io.paxoslease.spring.autoconfigure;

import io.paxoslease.InvalidOptionException;
import io.paxoslease.PaxosLease;
import io.paxoslease.TlsOptions;
import io.paxoslease.protocol.Printable;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.ssl.NoSuchSslBundleException;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.boot.ssl.SslOptions;
import org.springframework.core.NestedExceptionUtils;

/** The TLS options of a node from an SSL bundle, at the start and at each update of the bundle. */
final class BundleTls {

    private static final Logger log = LoggerFactory.getLogger(BundleTls.class);

    private final PaxosLeaseProperties.Ssl properties;
    private final String name;
    private final SslBundles bundles;

    BundleTls(PaxosLeaseProperties.Ssl properties, String name, @Nullable SslBundles bundles) {
        this.properties = properties;
        this.name = name;
        if (bundles == null) {
            throw unknown(List.of(), null);
        }
        this.bundles = bundles;
    }

    TlsOptions current() {
        try {
            return tls(bundles.getBundle(name));
        } catch (NoSuchSslBundleException e) {
            throw unknown(bundles.getBundleNames(), e);
        } catch (InvalidOptionException e) {
            throw properties.invalid(e);
        } catch (RuntimeException e) { // its files are read at the first use
            throw new PropertyValueException(
                    PaxosLeaseProperties.Ssl.BUNDLE,
                    name,
                    "The bundle cannot be read: %s. Correct its properties ('spring.ssl.bundle.*.%s'), or its files and who may read them."
                            .formatted(
                                    Printable.text(NestedExceptionUtils.getMostSpecificCause(e)
                                            .toString()),
                                    name),
                    e);
        }
    }

    /** Spring Boot updates bundles on its own thread, where an exception would be lost. */
    void reloadInto(PaxosLease node) {
        bundles.addBundleUpdateHandler(name, bundle -> {
            try {
                node.admin().reloadTls(tls(bundle));
                log.info(
                        "SSL bundle '{}' was updated: node '{}' uses the new version from now on",
                        Printable.name(name),
                        node.monitor().options().nodeId());
            } catch (RuntimeException | Error e) { // for instance of half-written files; other handlers must still run
                log.warn(
                        "The updated SSL bundle '{}' cannot be used, so its previous version stays in use: correct the files"
                                + " of the bundle. {}",
                        Printable.name(name),
                        Printable.text(e.getMessage()));
            }
        });
    }

    private TlsOptions tls(SslBundle bundle) {
        SslOptions options = bundle.getOptions();
        return TlsOptions.builder(
                        bundle.getManagers().getKeyManagerFactory(),
                        bundle.getManagers().getTrustManagerFactory())
                .protocols(listOf(options.getEnabledProtocols()))
                .ciphers(listOf(options.getCiphers()))
                .verifyNodeIds(properties.verifyNodeId())
                .build();
    }

    private static List<String> listOf(String @Nullable [] names) {
        return names == null ? List.of() : List.of(names);
    }

    private InvalidConfigurationPropertyValueException unknown(
            List<String> known, @Nullable NoSuchSslBundleException cause) {
        return new PropertyValueException(
                PaxosLeaseProperties.Ssl.BUNDLE,
                name,
                "There is no SSL bundle of that name%s. Define it under 'spring.ssl.bundle.pem.%s' or 'spring.ssl.bundle.jks.%s'."
                        .formatted(known.isEmpty() ? "" : ", only " + known, name, name),
                cause);
    }
}
