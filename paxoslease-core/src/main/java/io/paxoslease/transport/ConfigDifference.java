package io.paxoslease.transport;

import io.paxoslease.protocol.Generation;
import io.paxoslease.protocol.MemberList;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Printable;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Why two nodes of one cell may not talk.
 *
 * @param what what they run, side by side, for a sentence
 * @param advice what to change
 */
record ConfigDifference(String what, String advice) {

    private static final String SAME = "configure the same on every node";

    /** What one node runs, and how a sentence names the node. */
    private record Side(CellConfig config, String where) {
        Generation generation() {
            return config.generation();
        }

        int number() {
            return config.generation().number();
        }
    }

    /** One setting, as the configuration file names it. */
    private record Setting(String name, Object value) {}

    /**
     * Compares what two nodes run.
     *
     * @return null when they may talk: they run the same generation, or one that follows the other (section 9, R5, R6)
     */
    static @Nullable ConfigDifference between(CellConfig theirs, NodeId from, CellConfig ours, NodeId self) {
        Side a = new Side(theirs, "at '%s'".formatted(from));
        Side b = new Side(ours, "at '%s'".formatted(self));
        if (a.number() == 1 && b.number() == 1) {
            return ofPlain(a, b);
        }
        if (!Objects.equals(theirs.clocked(), ours.clocked())) {
            return ofAlgorithms(a, b);
        }
        if (theirs.generation().equals(ours.generation())) {
            return null;
        }
        if (a.number() == b.number()) {
            return twoContents(a, b);
        }
        boolean isNeighbour = Math.abs((long) a.number() - b.number()) == 1;
        if (!isNeighbour || ours.clockBound() != null) {
            return apart(a, b);
        }
        boolean areTheyNewer = a.number() > b.number();
        Side newer = areTheyNewer ? a : b;
        Side older = areTheyNewer ? b : a;
        return older.generation().isFollowedBy(newer.generation()) ? null : notFollowing(newer, older);
    }

    /** What two nodes without marks run of one kind; the option is null when that does not change while the cell serves. */
    private record Plain(String what, @Nullable String option, Object theirs, Object ours) {}

    /** Of lists and settings without marks: all that differs. */
    private static @Nullable ConfigDifference ofPlain(Side a, Side b) {
        CellConfig theirs = a.config();
        CellConfig ours = b.config();
        List<Plain> differing = Stream.of(
                        new Plain("peers", "peers", theirs.members(), ours.members()),
                        new Plain("maximum lease times", "maxLeaseTime", theirs.maxLeaseTime(), ours.maxLeaseTime()),
                        algorithms(theirs, ours),
                        new Plain("clock drift bounds", "clockDrift", theirs.clockDrift(), ours.clockDrift()))
                .filter(each -> !each.theirs().equals(each.ours()))
                .toList();
        if (differing.isEmpty()) {
            return null;
        }
        List<String> changeable = differing.stream()
                .map(Plain::option)
                .flatMap(Stream::ofNullable)
                .toList();
        String what = differing.stream().map(each -> sideBySide(each, a, b)).collect(Collectors.joining("; "));
        return new ConfigDifference(what + marks(theirs, ours, changeable), SAME);
    }

    private static String sideBySide(Plain setting, Side a, Side b) {
        return "the %s differ, %s %s but %s %s"
                .formatted(
                        setting.what(), shortened(setting.theirs()), a.where(), shortened(setting.ours()), b.where());
    }

    private static Plain algorithms(CellConfig theirs, CellConfig ours) {
        return theirs.algorithm().equals(ours.algorithm())
                ? new Plain(
                        "clock bounds", null, String.valueOf(theirs.clockBound()), String.valueOf(ours.clockBound()))
                : new Plain("algorithms", null, theirs.algorithm(), ours.algorithm());
    }

    private static ConfigDifference ofAlgorithms(Side a, Side b) {
        return new ConfigDifference(sideBySide(algorithms(a.config(), b.config()), a, b), SAME);
    }

    /** The lines that make a change of it, for the text of a difference that is none yet. */
    static String marks(CellConfig theirs, CellConfig ours, List<String> settings) {
        if (theirs.clockBound() != null || ours.clockBound() != null || settings.isEmpty()) {
            return "";
        }
        int next = Math.max(theirs.generation().number(), ours.generation().number()) + 1;
        boolean isOne = settings.size() == 1;
        return " (to change them while the cell serves, set on every node generation: %d, %s to the new %s and %s to the old %s)"
                .formatted(
                        next,
                        String.join(", ", settings),
                        isOne ? "value" : "values",
                        settings.stream().map(ConfigDifference::previous).collect(Collectors.joining(", ")),
                        isOne ? "one" : "ones");
    }

    /** R6. */
    private static ConfigDifference twoContents(Side a, Side b) {
        return new ConfigDifference(
                "generation %d has two contents: %s"
                        .formatted(
                                a.number(), sideBySide(settings(a.generation()), a.where(), b.generation(), b.where())),
                "each generation has one, so correct the file of the node that has the wrong one");
    }

    private static String sideBySide(List<Setting> theirs, String there, Generation ours, String here) {
        List<String> differing = new ArrayList<>();
        List<Setting> own = settings(ours);
        for (int i = 0; i < own.size(); i++) {
            Setting one = theirs.get(i);
            Setting other = own.get(i);
            if (!one.equals(other)) {
                differing.add("%s %s %s but %s %s"
                        .formatted(one.name(), shortened(one.value()), there, shortened(other.value()), here));
            }
        }
        return String.join(", ", differing);
    }

    private static List<Setting> settings(Generation generation) {
        List<Setting> settings = new ArrayList<>(settings(UnaryOperator.identity(), generation.current()));
        settings.addAll(settings(ConfigDifference::previous, generation.previous()));
        return settings;
    }

    private static List<Setting> settings(UnaryOperator<String> option, @Nullable MemberList list) {
        return List.of(
                new Setting(option.apply("peers"), list == null ? "none" : list.members()),
                new Setting(option.apply("maxLeaseTime"), list == null ? "none" : list.maxLeaseTime()),
                new Setting(option.apply("clockDrift"), list == null ? "none" : list.clockDrift()));
    }

    /** The option for the members before a change, of one for those after it. */
    private static String previous(String option) {
        return "previous" + option.substring(0, 1).toUpperCase(Locale.ROOT) + option.substring(1);
    }

    private static ConfigDifference notFollowing(Side newer, Side older) {
        MemberList before = newer.generation().previous();
        if (before != null
                && older.number() == 1
                && newer.generation().current().equals(older.generation().current())) {
            return withoutMarks(newer, older, before);
        }
        List<Setting> named =
                settings(ConfigDifference::previous, newer.generation().previous());
        List<Setting> needed =
                settings(ConfigDifference::previous, older.generation().current());
        List<String> wrong = new ArrayList<>();
        List<String> lines = new ArrayList<>();
        for (int i = 0; i < needed.size(); i++) {
            if (!named.get(i).equals(needed.get(i))) {
                String name = needed.get(i).name();
                Object value = shortened(needed.get(i).value());
                wrong.add("its %s is %s and not %s"
                        .formatted(name, shortened(named.get(i).value()), value));
                lines.add("%s: %s".formatted(name, value));
            }
        }
        return new ConfigDifference(
                "generation %d %s does not follow generation %d %s, as %s"
                        .formatted(
                                newer.number(), newer.where(), older.number(), older.where(), String.join(", ", wrong)),
                "where generation is %d, write %s".formatted(newer.number(), String.join(", ", lines)));
    }

    /** The new list, as if it had always been that. */
    private static ConfigDifference withoutMarks(Side newer, Side older, MemberList before) {
        return new ConfigDifference(
                "the peers are the same, of generation %d %s but of generation 1 %s"
                        .formatted(newer.number(), newer.where(), older.where()),
                "on every node, write generation: %d and previousPeers: %s"
                        .formatted(newer.number(), shortened(before.members())));
    }

    private static ConfigDifference apart(Side a, Side b) {
        Side older = a.number() < b.number() ? a : b;
        String what = "the generations differ, %d %s but %d %s".formatted(a.number(), a.where(), b.number(), b.where());
        if (b.config().clockBound() != null) {
            return new ConfigDifference(
                    "%s, and the algorithm '%s' does not change members while it serves"
                            .formatted(what, Printable.name(b.config().algorithm())),
                    SAME);
        }
        return new ConfigDifference(
                what + ", and only one that follows the other can meet it",
                "give a node that was left behind the file of the others, or, if the change begins here, write generation: %d and previousPeers: %s"
                        .formatted(older.number() + 1, shortened(older.config().members())));
    }

    /** What a list has for a sentence. */
    static String shortened(Object value) {
        String all = value.toString();
        return all.length() <= 100 ? all : all.substring(0, 100) + "…]";
    }
}
