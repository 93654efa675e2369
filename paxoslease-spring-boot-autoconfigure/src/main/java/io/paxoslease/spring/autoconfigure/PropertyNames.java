package io.paxoslease.spring.autoconfigure;

import io.paxoslease.PaxosLeaseOptions;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;

/** The names of the properties below {@code paxoslease}. */
final class PropertyNames {

    /** In the place of an element that the application chooses, such as the name of a role. */
    static final String ANY = "*";

    /** Options of one word, such as the peers, are words of a sentence too, and stay. */
    private static final Pattern SEVERAL_WORDS = Pattern.compile("\\b[a-z]+(?:[A-Z][a-z]+)+\\b");

    private PropertyNames() {}

    static List<String> all() {
        List<String> names = new ArrayList<>();
        add(names, "paxoslease", PaxosLeaseProperties.class);
        return names;
    }

    /** Whether there is a property of that name, or some below it. */
    private static boolean isKnown(String name) {
        return all().stream().anyMatch(each -> each.equals(name) || each.startsWith(name + "."));
    }

    private static void add(List<String> names, String name, Type type) {
        if (type instanceof Class<?> one && one.isRecord()) {
            for (RecordComponent component : one.getRecordComponents()) {
                String dashed = DataObjectPropertyName.toDashedForm(component.getName());
                add(names, name + "." + dashed, component.getGenericType());
            }
        } else if (type instanceof ParameterizedType map && map.getRawType() == Map.class) {
            add(names, name + "." + ANY, map.getActualTypeArguments()[1]);
        } else {
            names.add(name);
        }
    }

    /** The property that sets an option of {@link PaxosLeaseOptions}. */
    static String ofOption(String option) {
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
        String property = ofOption(word);
        return isKnown(property) ? property : word;
    }
}
