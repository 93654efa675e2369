package io.paxoslease.spring.autoconfigure;

import io.paxoslease.PaxosLeaseOptions;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The properties that set the options of {@link PaxosLeaseOptions}. */
final class OptionProperties {

    /** Options of one word, such as the peers, are words of a sentence too, and stay. */
    private static final Pattern OPTION =
            Pattern.compile("\\b(previousPeers|previousMaxLeaseTime|previousClockDrift|leaseTime"
                    + "|maxLeaseTime|clockDrift|nodeId|contactPoints|membershipStore|maxClients|maxClientsPerSource|bindHost|verifyNodeId"
                    + "|clockBound|accessBound|writeMode|tokensAbove)\\b");

    private OptionProperties() {}

    static String nameOf(String option) {
        return PaxosLeaseProperties.PREFIX
                + switch (option) {
                    case "clockBound" -> "flease.clock-bound";
                    case "accessBound", "writeMode", "tokensAbove" -> "storage." + kebabCase(option);
                    case "maxClients" -> "clients.max";
                    case "maxClientsPerSource" -> "clients.max-per-source";
                    case "verifyNodeId" -> "ssl.verify-node-id";
                    default -> kebabCase(option);
                };
    }

    /** A text of core, which names options, for a reader who sets properties. */
    static String inText(String text) {
        return OPTION.matcher(text).replaceAll(found -> Matcher.quoteReplacement(nameOf(found.group())));
    }

    private static String kebabCase(String option) {
        return option.replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
    }
}
