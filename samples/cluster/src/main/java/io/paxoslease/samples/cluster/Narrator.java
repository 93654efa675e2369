package io.paxoslease.samples.cluster;

import io.paxoslease.samples.cluster.Journal.Kind;
import io.paxoslease.samples.cluster.Screen.Colour;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Turns what the instances report into lines on the screen and events for the page, and remembers who leads. Thread-safe. */
final class Narrator {

    /** A leadership, as its holder reported it; times are the machine's wall clock, which all instances share. */
    private record Leader(String name, long token, long grantedAt) {}

    /** Something that is done to a leader and ends its leadership. */
    private record Signal(String name, String verb, long at) {}

    private static final String TOTAL = "total";

    private final Screen screen;
    private final Journal journal;
    private final Set<String> running = new HashSet<>();
    /** Members that were told to end. */
    private final Set<String> ending = new HashSet<>();

    private @Nullable Leader latest;
    private boolean leads;
    /** When the latest leadership ended by choice. */
    private @Nullable Long revokedAt;

    private @Nullable Signal signal;
    /** Lists of members; a majority of each is needed. */
    private List<List<String>> deciding = List.of(Members.first().now());

    private Map<String, String> counts = Map.of();
    private long total;
    private long lostUpdates;
    private boolean silent;

    Narrator(Screen screen, Journal journal) {
        this.screen = screen;
        this.journal = journal;
    }

    synchronized void say(String who, String text) {
        if (!silent) {
            screen.line(Colour.PLAIN, who, text);
        }
    }

    /** The leader, unless it was told to end; null if there is none. */
    @Nullable
    synchronized String leader() {
        return leads && latest != null && !ending.contains(latest.name()) ? latest.name() : null;
    }

    /** From now on a majority of each of these lists decides. */
    synchronized void deciding(List<List<String>> lists) {
        deciding = lists;
    }

    /** Something about who votes. */
    synchronized void members(String name, String text) {
        tell(Kind.MEMBERS, name, text);
    }

    /** What happens from now on is the end, and of no interest. */
    synchronized void silence() {
        silent = true;
    }

    synchronized void started(String name, long pid) {
        running.add(name);
        ending.remove(name);
        tell(Kind.PROCESS, name, "starting, process " + pid);
    }

    synchronized void ended(String name, int exitCode) {
        running.remove(name);
        if (latest != null && latest.name().equals(name)) {
            leads = false;
        }
        tell(
                Kind.PROCESS,
                name,
                ending.contains(name) ? "down" : "down, exit code %d: its log says why".formatted(exitCode));
        if (!deciding.stream().allMatch(list -> Members.isMajority(running, list))) {
            signal = null;
            tell(Kind.PROCESS, "", "without a majority no instance can lead or lock: type 'start'");
        }
    }

    /** An instance is about to be stopped or killed. */
    synchronized void signalling(String name, Action action, String detail) {
        ending.add(name);
        tell(Kind.PROCESS, name, detail);
        hit(name, action);
    }

    synchronized void paused(String name) {
        tell(Kind.PROCESS, name, "is paused (SIGSTOP)");
        hit(name, Action.PAUSE);
    }

    synchronized void resumed(String name) {
        tell(Kind.PROCESS, name, "goes on (SIGCONT)");
        over(name);
    }

    synchronized void partitioned(String name) {
        tell(Kind.NETWORK, name, "is cut off from the others");
        hit(name, Action.PARTITION);
    }

    synchronized void healed(String name) {
        tell(Kind.NETWORK, name, "is connected again");
        over(name);
    }

    /** If it hits the leader, the time without one runs from now. */
    private void hit(String name, Action action) {
        if (leads && latest != null && latest.name().equals(name)) {
            signal = new Signal(name, action.word(), System.currentTimeMillis());
        }
    }

    /** If the leader came through it, it is the cause of nothing. */
    private void over(String name) {
        if (leads && signal != null && signal.name().equals(name)) {
            signal = null;
        }
    }

    synchronized void reported(String name, Report report) {
        switch (report.kind()) {
            case READY -> tell(Kind.PROCESS, name, "up");
            case GRANTED -> granted(new Leader(name, report.number("token"), report.number("at")));
            case REVOKED -> revoked(name, report);
            case TICK -> tick(name, report);
            case COUNTER -> counted(report);
            case LOST_UPDATE -> lost(name, report);
        }
    }

    private void granted(Leader granted) {
        Signal cause = signal;
        String pause = revokedAt == null || latest == null
                ? ""
                : ", %s after the end of the leadership of %s"
                        .formatted(duration(granted.grantedAt() - revokedAt), latest.name());
        if (cause != null && granted.grantedAt() >= cause.at()) {
            pause = ", %s after the %s of %s"
                    .formatted(duration(granted.grantedAt() - cause.at()), cause.verb(), cause.name());
            signal = null;
        }
        latest = granted;
        leads = true;
        revokedAt = null;
        String particulars = "%s (fencing token %d)".formatted(pause, granted.token());
        journal(Kind.GRANTED, granted.name(), "leads" + particulars);
        colour(Colour.GREEN, granted.name(), "LEADS" + particulars);
    }

    private void revoked(String name, Report report) {
        if (latest != null && latest.name().equals(name)) {
            leads = false;
            revokedAt = report.number("at");
        }
        tell(Kind.REVOKED, name, "no longer leads");
    }

    private void tick(String name, Report report) {
        Leader current = latest;
        long token = report.number("token");
        if (current != null && contradicts(report, token, current)) {
            alarm(name, "ALARM: it ticks with token %d, while %s leads".formatted(token, current.name()));
        } else if (current != null && leads && token == current.token()) {
            colour(Colour.FAINT, name, "tick " + report.number("number"));
        }
    }

    /** A tick proves leadership at its time, so that has to be before the end of its own and before any later grant. */
    private boolean contradicts(Report tick, long token, Leader current) {
        long at = tick.number("at");
        return token < current.token()
                ? at > current.grantedAt()
                : token == current.token() && revokedAt != null && at > revokedAt;
    }

    private void counted(Report report) {
        if (report.number(TOTAL) > total) {
            total = report.number(TOTAL);
            counts = report.values();
        }
    }

    private void lost(String name, Report report) {
        lostUpdates++;
        String what = Objects.requireNonNull(report.values().get("what"));
        alarm(name, "LOST UPDATE: " + what.replace('_', ' '));
    }

    private void alarm(String name, String text) {
        journal(Kind.ALARM, name, text);
        colour(Colour.RED, name, text);
    }

    /** On the screen and on the page. */
    private void tell(Kind kind, String name, String text) {
        journal(kind, name, text);
        say(name, text);
    }

    private void journal(Kind kind, String name, String text) {
        journal.add(System.currentTimeMillis(), kind, name, text);
    }

    /** One line that says how far the counter is. */
    synchronized void showCounter() {
        String sum = new TreeMap<>(counts)
                .entrySet().stream()
                        .filter(each -> !each.getKey().equals(TOTAL))
                        .map(each -> each.getValue() + " (" + each.getKey() + ")")
                        .collect(Collectors.joining(" + "));
        if (!sum.isEmpty()) {
            colour(Colour.YELLOW, "", "counter %d = %s, lost updates %d".formatted(total, sum, lostUpdates));
        }
    }

    private void colour(Colour colour, String who, String text) {
        if (!silent) {
            screen.line(colour, who, text);
        }
    }

    private static String duration(long millis) {
        return millis < 1_000 ? millis + " ms" : String.format(Locale.ROOT, "%.2f s", millis / 1e3);
    }
}
