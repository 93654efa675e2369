package io.paxoslease;

import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Printable;
import io.paxoslease.transport.netty.TlsSetup;
import java.util.List;
import java.util.Objects;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/**
 * Mutual TLS between the nodes of a cell: every node shows a certificate, in both directions, and a node that connects
 * checks the other's against the host that its peers name. Immutable. {@link NodeAdmin#reloadTls} takes another one while
 * the node runs.
 *
 * <pre>{@code
 * var tls = TlsOptions.builder(keyManagerFactory, trustManagerFactory).build();
 * var options = PaxosLeaseOptions.builder("a").peers(peers).tls(tls).build();
 * }</pre>
 */
public final class TlsOptions {

    static final String OPTION = "tls";

    private final List<KeyManager> keys;
    private final List<TrustManager> trust;
    private final List<String> protocols;
    private final List<String> ciphers;
    private final TlsSetup setup;

    private TlsOptions(Builder builder) {
        this.keys = builder.keys;
        this.trust = builder.trust;
        this.protocols = builder.protocols;
        this.ciphers = builder.ciphers;
        this.setup = new TlsSetup(keys, trust, protocols, ciphers, builder.verifyNodeIds);
    }

    /**
     * Starts a description.
     *
     * @param keys this node's private key and certificate, initialised
     * @param trust the private CA or CAs that sign the nodes' certificates, initialised; the CAs that the JDK trusts by
     *     default are refused, because anybody can have a certificate of theirs
     */
    public static Builder builder(KeyManagerFactory keys, TrustManagerFactory trust) {
        return new Builder(List.of(keys.getKeyManagers()), List.of(trust.getTrustManagers()));
    }

    /** Whether a certificate must name the node that shows it. */
    public boolean verifiesNodeIds() {
        return setup.verifiesNodeIds();
    }

    /** A builder that starts with these options. */
    public Builder toBuilder() {
        return new Builder(keys, trust).protocols(protocols).ciphers(ciphers).verifyNodeIds(verifiesNodeIds());
    }

    /** This node's private key and certificate. */
    public List<KeyManager> keyManagers() {
        return keys;
    }

    /** The CAs that are trusted. */
    public List<TrustManager> trustManagers() {
        return trust;
    }

    /** The versions that are spoken; empty: all that are safe. */
    public List<String> protocols() {
        return protocols;
    }

    /** The cipher suites that are spoken; empty: those of the JDK that are safe. */
    public List<String> ciphers() {
        return ciphers;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof TlsOptions that
                && keys.equals(that.keys)
                && trust.equals(that.trust)
                && protocols.equals(that.protocols)
                && ciphers.equals(that.ciphers)
                && verifiesNodeIds() == that.verifiesNodeIds();
    }

    @Override
    public int hashCode() {
        return Objects.hash(keys, trust, protocols, ciphers, verifiesNodeIds());
    }

    /** Without keys and certificates. */
    @Override
    public String toString() {
        return "TlsOptions[protocols=%s, ciphers=%s, verifyNodeIds=%s]"
                .formatted(protocols, ciphers, verifiesNodeIds());
    }

    /**
     * Checks that the other nodes would take a member's certificate for that member's, and that a client would take no other node for a
     * member.
     *
     * @throws InvalidOptionException when they would refuse it, or the client does not look
     */
    public void check(NodeMode mode, String cell, String nodeId) {
        if (mode == NodeMode.CLIENT) {
            if (!verifiesNodeIds()) {
                throw new InvalidOptionException(
                        OPTION,
                        "verifyNodeIds=false",
                        "must verify node ids in a cell with clients, on every node: else a client could pose as a member; leave verifyNodeId on");
            }
            return;
        }
        if (!setup.names(cell, new NodeId(nodeId))) {
            throw new InvalidOptionException(
                    OPTION,
                    setup.names(),
                    ("has a certificate that does not name this node, '%s', and node ids are verified: give it a DNS entry '%s',"
                                    + " or one that begins with '%s.', or the URI entry 'paxoslease://%s/%s'")
                            .formatted(
                                    Printable.name(nodeId),
                                    Printable.name(nodeId),
                                    Printable.name(nodeId),
                                    cell,
                                    Printable.name(nodeId)));
        }
    }

    /** Collects options. Not thread-safe. */
    public static final class Builder {

        private final List<KeyManager> keys;
        private final List<TrustManager> trust;
        private List<String> protocols = List.of();
        private List<String> ciphers = List.of();
        private boolean verifyNodeIds;

        private Builder(List<KeyManager> keys, List<TrustManager> trust) {
            this.keys = keys;
            this.trust = trust;
        }

        /** The versions that are spoken, of TLSv1.3 and TLSv1.2. Default: both. */
        public Builder protocols(List<String> names) {
            this.protocols = List.copyOf(names);
            return this;
        }

        /** The cipher suites that are spoken, by their standard names. Default: those of the JDK. */
        public Builder ciphers(List<String> names) {
            this.ciphers = List.copyOf(names);
            return this;
        }

        /**
         * Whether a certificate must name the node that shows it: by a DNS entry among its subject alternative names that
         * is the node id or whose first label is, or by the URI entry {@code paxoslease://cell/node-id}. Without it, every
         * certificate of the CA may speak for every node. The same on every node. Default: false.
         */
        public Builder verifyNodeIds(boolean verify) {
            this.verifyNodeIds = verify;
            return this;
        }

        /**
         * Checks everything.
         *
         * @throws InvalidOptionException when there is no certificate to show, no CA of one's own to trust, or a protocol
         *     or cipher suite that cannot be enabled
         */
        public TlsOptions build() {
            try {
                return new TlsOptions(this);
            } catch (IllegalArgumentException e) {
                throw new InvalidOptionException(OPTION, "TLS", Printable.text(e.getMessage()));
            }
        }
    }
}
