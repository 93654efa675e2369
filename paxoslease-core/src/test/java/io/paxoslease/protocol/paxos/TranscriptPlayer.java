package io.paxoslease.protocol.paxos;

import io.paxoslease.protocol.AcquireRequest;
import io.paxoslease.protocol.AcquireRequest.WaitMode;
import io.paxoslease.protocol.Effect;
import io.paxoslease.protocol.Effect.Send;
import io.paxoslease.protocol.Event;
import io.paxoslease.protocol.Message;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.NodeView;
import io.paxoslease.protocol.paxos.TranscriptCell.InFlight;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Plays a transcript: carries out its commands and writes under each one what came of it. Lines that begin with white space
 * are what came of it the last time; comments and empty lines stay. A message of a node to its own acceptor stays inside the
 * node and is not seen.
 */
final class TranscriptPlayer {

    private static final String WHICH = TranscriptLink.FORM;
    private static final int TOO_MANY = 10_000;

    private final Map<Pattern, Consumer<Matcher>> commands = new LinkedHashMap<>();
    private final List<String> lines = new ArrayList<>();
    private final List<TranscriptLink> held = new ArrayList<>();
    private final List<TranscriptLink> cut = new ArrayList<>();
    private final Map<String, Long> requests = new HashMap<>();
    private final Map<String, Long> tokens = new HashMap<>();
    private long lastRequest;

    private @Nullable TranscriptCell cell;
    private @Nullable TranscriptWords words;
    private @Nullable TranscriptBeliefs beliefs;

    private TranscriptPlayer() {
        on("cell ([\\w ]+?)(?: and guests? ([\\w ]+?))? with leases up to (\\S+)", this::begin);
        on("(\\w+) acquires (\\w+) for (\\S+)( renewed)?( once)?(?: waiting at most (\\S+))?", this::acquire);
        on("(\\w+) withdraws (\\w+)", m -> tell(m, new Event.Withdraw(m.group(2), get(requests, m))));
        on("(\\w+) releases (\\w+)", m -> tell(m, new Event.GiveUp(m.group(2), get(tokens, m))));
        on("(\\w+) renews (\\w+) for (\\S+)", m -> {
            long lease = TranscriptWords.duration(m.group(3)).toNanos();
            tell(m, new Event.Renew(m.group(2), get(tokens, m), lease, ++lastRequest));
        });
        on("(\\w+) uses (\\w+)", m -> tell(m, new Event.InUse(m.group(2), get(tokens, m))));
        on("suspend (\\w+)", m -> cell().suspend(id(m, 1)));
        on("(\\w+) resumes", m -> cell().resume(id(m, 1)));
        on("(\\w+) (?:resumes and )?suspects", m -> {
            cell().resume(id(m, 1));
            tell(m, new Event.ClocksDisagree(false));
        });
        on("(\\w+) may be a copy", m -> tell(m, new Event.ClocksDisagree(true)));
        on("(\\w+) stops", m -> tell(m, new Event.Shutdown()));
        on("(\\w+) wakes", m -> tell(m, new Event.Woken()));
        on("(\\w+) reaches (\\w+)", m -> tell(m, new Event.Reachable(id(m, 2))));
        on("(\\w+) cannot reach (\\w+)", m -> tell(m, new Event.Unreachable(id(m, 2))));
        on("restart (\\w+)", this::restart);
        on("wall (\\w+) ([+-]\\S+)", m -> cell().setWall(id(m, 1), TranscriptWords.duration(m.group(2))));
        on("deliver all", m -> deliverAll());
        on("deliver " + WHICH, m -> take(m.group(1)).forEach(this::deliver));
        on("deliver the last " + WHICH, m -> deliverLast(m.group(1)));
        on("drop " + WHICH, m -> take(m.group(1)).forEach(this::lose));
        on("duplicate " + WHICH, m -> duplicate(m.group(1)));
        on("hold " + WHICH, m -> held.add(TranscriptLink.of(m.group(1))));
        on("let go", m -> held.clear());
        on("let go " + WHICH, m -> held.remove(TranscriptLink.of(m.group(1))));
        on("cut (\\w+)", m -> cutOff(m.group(1)));
        on("mend", m -> cut.clear());
        on("pass (\\S+)", m -> pass(TranscriptWords.duration(m.group(1))));
        on("jump (\\S+)", m -> cell().jump(TranscriptWords.duration(m.group(1)).toNanos()));
    }

    private void on(String pattern, Consumer<Matcher> command) {
        commands.put(Pattern.compile(pattern), command);
    }

    /** The transcript with what came of its commands this time. */
    static String play(String script) {
        TranscriptPlayer player = new TranscriptPlayer();
        int number = 0;
        for (String line : script.lines().toList()) {
            number++;
            if (!line.startsWith(" ")) {
                player.lines.add(line);
            }
            if (!line.isBlank() && !line.startsWith(" ") && !line.startsWith("#")) {
                player.carryOut(line, number);
            }
        }
        return player.soFar() + "\n";
    }

    private void carryOut(String line, int number) {
        try {
            for (Map.Entry<Pattern, Consumer<Matcher>> command : commands.entrySet()) {
                Matcher matcher = command.getKey().matcher(line);
                if (matcher.matches()) {
                    command.getValue().accept(matcher);
                    noteBeliefs();
                    return;
                }
            }
            throw new IllegalArgumentException("No such command");
        } catch (IllegalArgumentException | IllegalStateException | AssertionError e) {
            throw new AssertionError("Line %d, %s: %s%n%s".formatted(number, line, e.getMessage(), soFar()), e);
        }
    }

    private String soFar() {
        return String.join("\n", TranscriptWords.rank(lines));
    }

    // Commands

    private void begin(Matcher m) {
        List<NodeId> guests = m.group(2) == null ? List.of() : ids(m.group(2));
        cell = new TranscriptCell(ids(m.group(1)), guests, TranscriptWords.duration(m.group(3)));
        words = new TranscriptWords(cell);
        beliefs = new TranscriptBeliefs(cell);
    }

    private static List<NodeId> ids(String names) {
        return Arrays.stream(names.split(" ", -1)).map(NodeId::new).toList();
    }

    private void acquire(Matcher m) {
        requests.put(m.group(1) + " " + m.group(2), ++lastRequest);
        beliefs().watch(m.group(2));
        Moment giveUpAt = m.group(6) == null
                ? null
                : new Moment(cell().nanos())
                        .plusNanos(TranscriptWords.duration(m.group(6)).toNanos());
        tell(
                m,
                new Event.Acquire(new AcquireRequest(
                        lastRequest,
                        m.group(2),
                        TranscriptWords.duration(m.group(3)).toNanos(),
                        m.group(4) != null,
                        m.group(5) == null ? WaitMode.WAIT : WaitMode.TRY_ONCE,
                        giveUpAt)));
    }

    private static long get(Map<String, Long> map, Matcher m) {
        return map.getOrDefault(m.group(1) + " " + m.group(2), 0L);
    }

    private void restart(Matcher m) {
        NodeId id = id(m, 1);
        cell().restart(id);
        NodeView view = cell().node(id).view(cell().now(id));
        long end = cell().nanos() + view.quarantineRemainingNanos();
        at(id + " starts as " + cell().name(view.incarnation()) + " and is silent until " + TranscriptWords.time(end));
    }

    private void tell(Matcher m, Event event) {
        NodeId id = id(m, 1);
        for (String deed : deeds(id, cell().step(id, event))) {
            at(id + " " + deed);
        }
    }

    private void deliverAll() {
        for (int i = 0; i < TOO_MANY; i++) {
            List<InFlight> next = cell().network.stream()
                    .filter(message -> !isHeldBack(message))
                    .limit(1)
                    .toList();
            if (next.isEmpty()) {
                return;
            }
            cell().network.remove(next.get(0));
            deliver(next.get(0));
        }
        throw new IllegalStateException("The conversation does not end");
    }

    private boolean isHeldBack(InFlight message) {
        return cell().isAsleep(message.to()) || held.stream().anyMatch(link -> link.test(message));
    }

    private void deliverLast(String which) {
        List<InFlight> taken = new ArrayList<>(take(which));
        InFlight last = taken.remove(taken.size() - 1);
        cell().network.addAll(0, taken);
        deliver(last);
    }

    private void deliver(InFlight message) {
        if (cut.stream().anyMatch(link -> link.test(message))) {
            lose(message);
            return;
        }
        NodeId to = message.to();
        boolean silent = cell().node(to).view(cell().now(to)).quarantineRemainingNanos() > 0;
        at(to + " gets " + words().of(message.message()) + " from " + message.from());
        List<String> deeds = deeds(to, cell().step(to, new Event.Received(message.from(), message.message())));
        deeds.forEach(this::under);
        if (deeds.isEmpty() && silent && message.message() instanceof PaxosMessage.Request) {
            under("is silent");
        }
        noteBeliefs();
    }

    private void cutOff(String name) {
        cut.add(new TranscriptLink("", name, "*"));
        cut.add(new TranscriptLink("", "*", name));
    }

    private void lose(InFlight message) {
        at(words().of(message.message()) + " from " + message.from() + " to " + message.to() + " is lost");
    }

    private void duplicate(String which) {
        List<InFlight> copies = cell().network.stream()
                .filter(TranscriptLink.of(which))
                .distinct()
                .toList();
        cell().network.addAll(copies);
        copies.forEach(m -> at("another " + words().of(m.message()) + " from " + m.from() + " to " + m.to()));
    }

    private List<InFlight> take(String which) {
        List<InFlight> taken =
                cell().network.stream().filter(TranscriptLink.of(which)).toList();
        cell().network.removeAll(taken);
        if (taken.isEmpty()) {
            throw new IllegalArgumentException("No such message is in flight: " + which);
        }
        return taken;
    }

    /** Time goes from one wake to the next; every message that is not held arrives at once. */
    private void pass(Duration duration) {
        Moment end = new Moment(cell().nanos()).plusNanos(duration.toNanos());
        deliverAll();
        for (int i = 0; i < TOO_MANY; i++) {
            cell().goToNextWake(end);
            List<NodeId> due = cell().ids().stream().filter(cell()::isDue).toList();
            due.forEach(this::wake);
            deliverAll();
            noteBeliefs();
            if (due.isEmpty() && cell().nanos() == end.nanos()) {
                return;
            }
        }
        throw new IllegalStateException("Somebody wakes for ever");
    }

    private void wake(NodeId id) {
        List<String> deeds = deeds(id, cell().step(id, new Event.Woken()));
        if (!deeds.isEmpty()) {
            at(id + " wakes");
            deeds.forEach(this::under);
            noteBeliefs();
        }
    }

    // What came of it

    /** What the node does; a message to many is told once. */
    private List<String> deeds(NodeId id, List<Effect> effects) {
        List<String> deeds = new ArrayList<>();
        Message last = null;
        for (Effect effect : effects) {
            Message message = effect instanceof Send send ? send.message() : null;
            if (effect instanceof Send send && send.message().equals(last)) {
                deeds.set(deeds.size() - 1, deeds.get(deeds.size() - 1) + " " + send.to());
            } else if (effect instanceof Send send) {
                deeds.add("sends " + words().of(send.message()) + " to " + send.to());
            } else {
                deeds.add(words().of(effect));
            }
            if (effect instanceof Effect.Granted granted) {
                tokens.put(id + " " + granted.resource(), granted.token());
            }
            last = message;
        }
        return deeds;
    }

    private void noteBeliefs() {
        beliefs().changes().forEach(change -> at("* " + change));
    }

    private void at(String what) {
        lines.add("    %-13s  %s".formatted(TranscriptWords.time(cell().nanos()), what));
    }

    private void under(String what) {
        lines.add("                       " + what);
    }

    private static NodeId id(Matcher m, int group) {
        return new NodeId(m.group(group));
    }

    private TranscriptCell cell() {
        return Objects.requireNonNull(cell, "A transcript begins with the cell");
    }

    private TranscriptWords words() {
        return Objects.requireNonNull(words);
    }

    private TranscriptBeliefs beliefs() {
        return Objects.requireNonNull(beliefs);
    }
}
