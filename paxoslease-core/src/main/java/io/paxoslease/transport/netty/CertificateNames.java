package io.paxoslease.transport.netty;

import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Printable;
import java.net.URI;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Whether a certificate names a node: by a DNS entry among its subject alternative names that is the node id or whose
 * first label is (node {@code app-0}: {@code app-0} or {@code app-0.app.svc}), or by the URI
 * {@code paxoslease://cell/node-id}. Wildcards name nobody. The URI {@code paxoslease://cell/client/node-id} names a client, and no member.
 */
final class CertificateNames {

    private static final int DNS = 2;
    private static final int URI_NAME = 6;
    private static final String OF_CLIENTS = "/client/";

    private CertificateNames() {}

    static boolean include(X509Certificate certificate, String cell, NodeId node) {
        for (List<?> name : names(certificate)) {
            String text = String.valueOf(name.get(1));
            if (name.get(0).equals(DNS) && isDnsNameOf(node.name(), text)) {
                return true;
            }
            if (name.get(0).equals(URI_NAME) && isUriOf(cell, node.name(), text)) {
                return true;
            }
        }
        return false;
    }

    /** The names that could be a node's, printable, for a message. */
    static List<String> of(X509Certificate certificate) {
        List<String> texts = new ArrayList<>();
        for (List<?> name : names(certificate)) {
            if (name.get(0).equals(DNS) || name.get(0).equals(URI_NAME)) {
                texts.add(Printable.name(name.get(1)));
            }
        }
        return texts;
    }

    private static boolean isDnsNameOf(String node, String name) {
        int dot = name.indexOf('.');
        return name.equalsIgnoreCase(node) || (dot > 0 && name.substring(0, dot).equalsIgnoreCase(node));
    }

    /** The ids of the clients of that cell that it names as such. */
    static List<String> ofClients(X509Certificate certificate, String cell) {
        List<String> ids = new ArrayList<>();
        for (List<?> name : names(certificate)) {
            String path = name.get(0).equals(URI_NAME) ? pathIn(cell, String.valueOf(name.get(1))) : null;
            if (path != null && path.startsWith(OF_CLIENTS)) {
                ids.add(path.substring(OF_CLIENTS.length()));
            }
        }
        return ids;
    }

    private static boolean isUriOf(String cell, String node, String name) {
        String path = pathIn(cell, name);
        return path != null && path.equals("/" + node) && !path.startsWith(OF_CLIENTS);
    }

    /** Null when it is no name of that cell. */
    private static @Nullable String pathIn(String cell, String name) {
        try {
            URI uri = URI.create(name);
            return "paxoslease".equals(uri.getScheme()) && cell.equals(uri.getAuthority()) ? uri.getPath() : null;
        } catch (IllegalArgumentException noUri) {
            return null;
        }
    }

    private static Collection<List<?>> names(X509Certificate certificate) {
        try {
            Collection<List<?>> names = certificate.getSubjectAlternativeNames();
            return names == null ? List.of() : names;
        } catch (CertificateParsingException unreadable) {
            return List.of();
        }
    }
}
