package io.paxoslease.spring.autoconfigure;

import io.paxoslease.protocol.Printable;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.UnboundConfigurationPropertiesException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/** Analyses a property below {@code paxoslease} that does not exist, before Spring Boot does: names those with a similar name. */
@Order(Ordered.HIGHEST_PRECEDENCE)
final class UnknownPropertyFailureAnalyzer extends AbstractFailureAnalyzer<UnboundConfigurationPropertiesException> {

    private static final int MOST = 3;
    /** One typing error for so many characters, and two in any name. */
    private static final int CHARACTERS = 6;

    @Override
    protected @Nullable FailureAnalysis analyze(Throwable rootFailure, UnboundConfigurationPropertiesException cause) {
        List<String> unknown = cause.getUnboundProperties().stream()
                .map(property -> property.getName().toString())
                .filter(name -> name.startsWith(PaxosLeaseProperties.PREFIX))
                .toList();
        if (unknown.isEmpty()) {
            return null;
        }
        String origins = cause.getUnboundProperties().stream()
                .map(property -> "%n    %s (%s)".formatted(Printable.name(property.getName()), property.getOrigin()))
                .collect(Collectors.joining());
        return new FailureAnalysis(
                "There is no such property:%n%s".formatted(origins),
                unknown.stream().map(UnknownPropertyFailureAnalyzer::advice).collect(Collectors.joining(" ")),
                cause);
    }

    private static String advice(String unknown) {
        List<String> near = near(unknown);
        return near.isEmpty()
                ? "Remove '%s': no property has a similar name.".formatted(Printable.name(unknown))
                : "Instead of '%s', write '%s'.".formatted(Printable.name(unknown), String.join("' or '", near));
    }

    private static List<String> near(String unknown) {
        return PropertyNames.all().stream()
                .filter(name -> isNear(unknown, name))
                .map(name -> withElementsOf(unknown, name))
                .distinct()
                .sorted(Comparator.comparingInt((String name) -> distance(unknown, name)))
                .limit(MOST)
                .toList();
    }

    /** What the application chooses does not count: it is the same in both. */
    private static boolean isNear(String unknown, String name) {
        String similar = withElementsOf(unknown, name);
        int chosen = Math.max(
                0, similar.length() - name.replace(PropertyNames.ANY, "").length());
        return distance(unknown, similar) <= Math.max(2, (unknown.length() - chosen) / CHARACTERS);
    }

    /** The application chooses some elements, such as names of roles. */
    private static String withElementsOf(String unknown, String name) {
        String[] given = unknown.split("\\.", -1);
        String[] elements = name.split("\\.", -1);
        for (int i = 0; i < Math.min(given.length, elements.length); i++) {
            if (elements[i].equals(PropertyNames.ANY)) {
                elements[i] = given[i];
            }
        }
        return String.join(".", elements);
    }

    private static int distance(String unknown, String name) {
        return lacksWords(unknown, name) ? 1 : edits(unknown, name);
    }

    /** Whether it is the name without the first words of its last element, as {@code health-group} is for {@code requires-health-group}. */
    private static boolean lacksWords(String unknown, String name) {
        int last = unknown.lastIndexOf('.') + 1;
        return name.lastIndexOf('.') + 1 == last
                && name.startsWith(unknown.substring(0, last))
                && name.endsWith("-" + unknown.substring(last));
    }

    /** How many characters to insert, delete or replace. */
    private static int edits(String from, String to) {
        int[] row = new int[to.length() + 1];
        for (int j = 0; j <= to.length(); j++) {
            row[j] = j;
        }
        for (int i = 1; i <= from.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= to.length(); j++) {
                int above = row[j];
                int replaced = diagonal + (from.charAt(i - 1) == to.charAt(j - 1) ? 0 : 1);
                row[j] = Math.min(replaced, Math.min(above, row[j - 1]) + 1);
                diagonal = above;
            }
        }
        return row[to.length()];
    }
}
