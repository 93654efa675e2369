package io.paxoslease.samples.cluster;

import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.NoSuchElementException;
import java.util.Optional;

/**
 * What is typed: a command, and for most of them the name of an instance.
 *
 * @param help is shown when something else is typed
 */
record CommandLine(Cluster cluster, Narrator narrator, Screen screen, String help) {

    /** Carries out one command and answers whether to go on. */
    boolean obey(String line) throws IOException {
        String[] words = line.strip().toLowerCase(Locale.ROOT).split("\\s+", 2);
        switch (words[0]) {
            case "quit" -> {
                return false;
            }
            case "status" -> cluster.showStatus();
            case "" -> {}
            case "members" -> change(words.length > 1 ? List.of(words[1].split("[\\s,]+")) : List.of());
            default ->
                Action.named(words[0])
                        .ifPresentOrElse(
                                action -> perform(action, words.length > 1 ? words[1] : ""), () -> screen.print(help));
        }
        return true;
    }

    /** Without a name: the leader, every instance that is down, or every instance that is cut off or paused. */
    private void perform(Action action, String name) {
        try {
            if (!name.isEmpty()) {
                cluster.perform(action, name);
                return;
            }
            switch (action) {
                case START -> cluster.start();
                case STOP, KILL, PAUSE, PARTITION -> cluster.performOnLeader(action);
                case RESUME, HEAL -> performOnAll(action);
            }
        } catch (IllegalStateException | NoSuchElementException | IOException refused) {
            narrator.say("", Optional.ofNullable(refused.getMessage()).orElse("the command failed"));
        }
    }

    /** Without names: shows who they are. */
    private void change(List<String> names) {
        try {
            if (names.isEmpty()) {
                Members now = cluster.members();
                narrator.say("", "generation %d: %s".formatted(now.generation(), Members.text(now.now())));
            } else {
                cluster.change(names);
            }
        } catch (IllegalArgumentException | IllegalStateException refused) {
            narrator.say("", Optional.ofNullable(refused.getMessage()).orElse("the command failed"));
        }
    }

    private void performOnAll(Action action) throws IOException {
        List<String> names = cluster.status().stream()
                .filter(each -> action == Action.HEAL ? each.partitioned() : each.process() == Instance.State.PAUSED)
                .map(Cluster.Status::name)
                .toList();
        for (String each : names) {
            cluster.perform(action, each);
        }
        if (names.isEmpty()) {
            narrator.say("", "nothing to " + action.word());
        }
    }
}
