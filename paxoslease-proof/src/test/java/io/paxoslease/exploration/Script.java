package io.paxoslease.exploration;

import io.paxoslease.exploration.Action.Deliver;
import java.util.List;

/** Schedules as text: what {@link ExploredWorld} is told, one action a line. */
final class Script {

    private Script() {}

    static String text(Action action) {
        if (action instanceof Deliver deliver) {
            return "deliver %s %s->%s%s%s"
                    .formatted(
                            deliver.kind(),
                            ExploredWorld.id(deliver.from()),
                            ExploredWorld.id(deliver.to()),
                            deliver.nth() == 1 ? "" : " number " + deliver.nth(),
                            deliver.stays() ? " keep" : "");
        } else if (action instanceof Action.Tick) {
            return "time passes";
        } else if (action instanceof Action.Restart restart) {
            return ExploredWorld.id(restart.node()) + " restarts";
        } else if (action instanceof Action.SetBack back) {
            return ExploredWorld.id(back.node()) + " is set back";
        } else {
            return ExploredWorld.id(ExploredWorld.nodeOf(action)) + " " + verb(action);
        }
    }

    private static String verb(Action action) {
        if (action instanceof Action.Acquire) {
            return "acquires";
        } else if (action instanceof Action.Withdraw) {
            return "withdraws";
        } else if (action instanceof Action.Release) {
            return "releases";
        } else if (action instanceof Action.Renew) {
            return "renews";
        } else if (action instanceof Action.Suspect) {
            return "suspects its clocks";
        } else if (action instanceof Action.Sleep) {
            return "sleeps";
        }
        return "wakes";
    }

    static List<Action> parse(List<String> lines) {
        return lines.stream().map(Script::parse).toList();
    }

    private static Action parse(String line) {
        if (line.equals("time passes")) {
            return new Action.Tick();
        }
        String[] words = line.split(" ", -1);
        if (words[0].equals("deliver")) {
            int nth = words.length > 4 && words[3].equals("number") ? Integer.parseInt(words[4]) : 1;
            return new Deliver(
                    words[2].charAt(0) - 'a', words[2].charAt(3) - 'a', words[1], nth, line.endsWith(" keep"));
        }
        int node = words[0].charAt(0) - 'a';
        return switch (words[1]) {
            case "acquires" -> new Action.Acquire(node);
            case "withdraws" -> new Action.Withdraw(node);
            case "releases" -> new Action.Release(node);
            case "renews" -> new Action.Renew(node);
            case "suspects" -> new Action.Suspect(node);
            case "sleeps" -> new Action.Sleep(node);
            case "wakes" -> new Action.Wake(node);
            case "restarts" -> new Action.Restart(node);
            case "is" -> new Action.SetBack(node);
            default -> throw new IllegalArgumentException("No action: " + line);
        };
    }
}
