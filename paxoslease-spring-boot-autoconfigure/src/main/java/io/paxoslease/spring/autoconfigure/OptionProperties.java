package io.paxoslease.spring.autoconfigure;

import io.paxoslease.PaxosLeaseOptions;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;

/** The properties that set the options of {@link PaxosLeaseOptions}. */
final class OptionProperties {

    /** Options of one word, such as the peers, are words of a sentence too, and stay. */
    private static final Pattern SEVERAL_WORDS = Pattern.compile("\\b[a-z]+(?:[A-Z][a-z]+)+\\b");

    private OptionProperties() {}

    static String nameOf(String option) {
        return PaxosLeaseProperties.PREFIX
                + switch (option) {
                    case "clockBound" -> "flease.clock-bound";
                    case "accessBound", "writeMode", "tokensAbove" ->
                        "storage." + DataObjectPropertyName.toDashedForm(option);
                    case "maxClients" -> "clients.max";
                    case "maxClientsPerSource" -> "clients.max-per-source";
                    case "verifyNodeId" -> "ssl.verify-node-id";
                    default -> DataObjectPropertyName.toDashedForm(option);
                };
    }

    /** A text of core, which names options, for a reader who sets properties. */
    static String inText(String text) {
        return SEVERAL_WORDS.matcher(text).replaceAll(found -> Matcher.quoteReplacement(inWord(found.group())));
    }

    private static String inWord(String word) {
        String property = nameOf(word);
        return PropertyNames.contains(property) ? property : word;
    }
}
