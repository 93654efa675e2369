package io.paxoslease;

import io.paxoslease.protocol.NodeId;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Set;

/** Names for nodes that were given none. */
final class NodeNames {

    private static final String ALPHABET = "abcdefghijklmnopqrstuvwxyz234567";
    private static final int RANDOM_LETTERS = 6;
    private static final int MOST_BYTES = 60;
    private static final SecureRandom random = new SecureRandom();

    private NodeNames() {}

    /** For a node that was given none; empty when it must be given one. */
    static String choose(NodeMode mode, Set<String> peers, String application) {
        if (mode == NodeMode.MEMBER) {
            return "";
        }
        String host = host();
        String label = firstLabel(host);
        for (String name : new String[] {host, label}) {
            if (mode == NodeMode.AUTO && peers.contains(name)) {
                return name;
            }
        }
        return ofClient(application, label);
    }

    /** A name that no other client has: application, host and a random part. */
    static String ofClient(String application, String host) {
        StringBuilder name = new StringBuilder()
                .append(part(application, "client"))
                .append('@')
                .append(part(host, "unknown"))
                .append('-');
        for (int i = 0; i < RANDOM_LETTERS; i++) {
            name.append(ALPHABET.charAt(random.nextInt(ALPHABET.length())));
        }
        return name.toString();
    }

    private static String part(String text, String otherwise) {
        if (!NodeId.isValidName(text)) {
            return otherwise;
        }
        String part = text;
        while (part.getBytes(StandardCharsets.UTF_8).length > MOST_BYTES) {
            part = part.substring(0, part.offsetByCodePoints(part.length(), -1));
        }
        return part;
    }

    /** What this machine or container calls itself; {@code localhost} when it does not say. */
    static String host() {
        for (String variable : new String[] {"HOSTNAME", "COMPUTERNAME"}) {
            String name = System.getenv(variable);
            if (name != null && NodeId.isValidName(name)) {
                return name;
            }
        }
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            return "localhost";
        }
    }

    /** Without the domain. */
    static String firstLabel(String host) {
        int dot = host.indexOf('.');
        return dot > 0 ? host.substring(0, dot) : host;
    }
}
