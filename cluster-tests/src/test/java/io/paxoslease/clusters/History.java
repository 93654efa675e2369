package io.paxoslease.clusters;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * What the witnesses of all instances wrote down, up to the moment at which it was read.
 *
 * @param leading who certainly led, in the order of time
 * @param working who certainly did the leader's work
 * @param events what instances were told
 * @param holes times in which an instance did not run
 * @param samples when each instance was asked last
 */
record History(
        List<Tenure> leading, List<Tenure> working, List<Event> events, List<Hole> holes, Map<String, Long> samples) {

    /** @param what {@code ready}, {@code granted}, {@code revoked} or {@code told-to-stop} */
    record Event(String node, String what, long token, long at) {}

    /** @param leadsAfter the first answer to whether it leads, after the hole */
    record Hole(String node, long from, long to, boolean leadsAfter) {}

    /** @param files by name, what is in the witnesses' directory */
    static History of(Map<String, String> files) {
        List<Tenure> leading = new ArrayList<>();
        List<Tenure> working = new ArrayList<>();
        List<Event> events = new ArrayList<>();
        List<Hole> holes = new ArrayList<>();
        Map<String, Long> samples = new HashMap<>();
        files.forEach((name, text) -> {
            List<String[]> lines = words(text).toList();
            if (name.endsWith(".leads")) {
                String node = name.substring(0, name.indexOf('-'));
                readSamples(node, lines, leading, holes, samples);
            } else if (name.endsWith(".events")) {
                String node = name.substring(0, name.indexOf('.'));
                lines.forEach(each -> events.add(new Event(node, each[0], number(each[1]), number(each[2]))));
            } else if (name.equals("work")) {
                readWork(lines, working);
            }
        });
        leading.sort(Comparator.comparingLong(Tenure::from));
        events.sort(Comparator.comparingLong(Event::at));
        return new History(
                List.copyOf(leading),
                List.copyOf(working),
                List.copyOf(events),
                List.copyOf(holes),
                Map.copyOf(samples));
    }

    /** Of each line that is there as a whole: a file that is read while it is written may end within one. */
    static Stream<String[]> words(String text) {
        return text.substring(0, text.lastIndexOf('\n') + 1).lines().map(line -> line.strip()
                .split(" "));
    }

    private static void readSamples(
            String node, List<String[]> lines, List<Tenure> leading, List<Hole> holes, Map<String, Long> samples) {
        for (String[] words : lines) {
            if (words[0].equals("leads") && number(words[3]) >= number(words[2])) {
                leading.add(new Tenure(node, number(words[1]), number(words[2]), number(words[3])));
            } else if (words[0].equals("alive")) {
                samples.merge(node, number(words[1]), Math::max);
            } else if (words[0].equals("hole")) {
                holes.add(new Hole(node, number(words[1]), number(words[2]), Boolean.parseBoolean(words[3])));
            }
        }
    }

    /**
     * Of each call what lies between two looks that said yes. A call that looked once only, because it was paused, killed or still runs, may have
     * read the clock when it led no more.
     */
    private static void readWork(List<String[]> lines, List<Tenure> working) {
        Map<String, Long> entered = new HashMap<>();
        for (String[] words : lines) {
            String node = words[1];
            long at = number(words[3]);
            if (words[0].equals("enter")) {
                entered.put(node, at);
            } else {
                long from = entered.getOrDefault(node, at);
                if (from < at) {
                    working.add(new Tenure(node, number(words[2]), from, at));
                }
            }
        }
    }

    private static long number(String word) {
        return Long.parseLong(word);
    }

    /** Both what instances believed and what they did, each judged by itself. */
    List<String> violations() {
        List<String> all = new ArrayList<>(Judge.judge(leading).violations());
        Judge.judge(working).violations().forEach(each -> all.add("WORK " + each));
        return all;
    }

    int handOvers() {
        return Judge.judge(leading).handOvers();
    }

    /** The time of the last yes under that token. */
    long end(long token) {
        return leading.stream()
                .filter(each -> each.token() == token)
                .mapToLong(Tenure::to)
                .max()
                .orElseThrow(() -> new AssertionError("nobody led with token " + token));
    }

    /** The time of the last yes of anybody. */
    long end() {
        return leading.stream().mapToLong(Tenure::to).max().orElseThrow(() -> new AssertionError("nobody ever led"));
    }

    /** Who led next after that leadership, if anybody. */
    Optional<Tenure> after(long token) {
        return leading.stream().filter(each -> each.token() > token).min(Comparator.comparingLong(Tenure::token));
    }

    /** When that instance was asked last whether it leads. */
    long lastSample(String node) {
        return samples.getOrDefault(node, Long.MIN_VALUE);
    }

    /** What was certainly led between the two times, in pieces. */
    List<Tenure> between(long from, long to) {
        return leading.stream()
                .filter(each -> each.to() >= from && each.from() <= to)
                .toList();
    }

    Optional<Event> event(String node, String what, long token) {
        return events.stream()
                .filter(each -> each.node().equals(node) && each.what().equals(what) && each.token() == token)
                .findFirst();
    }

    /** The last one of its kind before that time. */
    Optional<Event> lastEvent(String node, String what, long before) {
        return events.stream()
                .filter(each -> each.node().equals(node) && each.what().equals(what) && each.at() < before)
                .reduce((a, b) -> b);
    }
}
