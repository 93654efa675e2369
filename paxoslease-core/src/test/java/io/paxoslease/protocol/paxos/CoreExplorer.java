package io.paxoslease.protocol.paxos;

import io.paxoslease.exploration.LongSet;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Visits every state that the parts of a {@link CoreCell} can get into, breadth first. What was sent can always arrive again: messages are lost,
 * late, repeated and overtaken without a bound, and time has no end. A part's step is taken once for each of its own states and events.
 */
public final class CoreExplorer {

    private static final int MOST_MESSAGES = Long.SIZE - 1;

    /** What was found. */
    public record Result(
            String cell,
            long states,
            int depth,
            boolean complete,
            @Nullable List<String> bad) {

        @Override
        public String toString() {
            return "%s: %,d states, depth %d%s%s"
                    .formatted(cell, states, depth, complete ? "" : " (cut off)", bad == null ? "" : ", VIOLATION");
        }
    }

    /**
     * @param from the number of the sender among its kind
     * @param to the proposer's number, for an answer; negative for a request
     * @param receivers of a request, as bits
     */
    private record Sent(int from, int to, int receivers, PaxosMessage message) {}

    private record Step(int state, long sent) {}

    /**
     * @param nodes a state of each part: acceptors, proposers, seals
     * @param messages that may arrive, as bits
     * @param heard which acceptors the seals have heard of since their memory began, as bits
     */
    @SuppressWarnings("ArrayRecordComponent") // compared by fingerprint only
    private record State(int[] nodes, long messages, int releases, int heard, Edge edge) {}

    /** How a state was reached, so that a violation can be told. */
    private record Edge(@Nullable Edge before, int node, int code, int message) {}

    private final CoreCell cell;
    private final int firstProposer;
    private final int firstSeal;
    private final int size;
    private final Map<List<@Nullable Object>, Integer> numbers = new HashMap<>();
    private final List<CorePart> parts = new ArrayList<>();
    /** Of each part's state what it is, and what it is about each acceptor; without numbers of acceptors. */
    private final List<long[]> prints = new ArrayList<>();

    private final List<Supplier<CorePart>> makers = new ArrayList<>();
    private final Map<Sent, Integer> messageNumbers = new HashMap<>();
    private final List<Sent> messages = new ArrayList<>();
    /** Of an answer what it says to whom, without who says it. */
    private final List<Long> replyKinds = new ArrayList<>();

    private final Map<List<? extends @Nullable Object>, Long> kinds = new HashMap<>();
    /** Of each acceptor which lists name it, as bits. */
    private final long[] lists;

    private final Map<Integer, Boolean> awaited = new HashMap<>();
    /** By state and event. */
    private final List<List<@Nullable Step>> steps = new ArrayList<>();

    private final LongSet visited = new LongSet();
    private List<State> next = new ArrayList<>();
    private @Nullable Edge bad;

    /** Whether edges are kept: they take more memory than the states. */
    private final boolean tells;

    private CoreExplorer(CoreCell cell, boolean tells) {
        this.cell = cell;
        this.tells = tells;
        this.firstProposer = cell.acceptors();
        this.firstSeal = firstProposer + cell.counters.length;
        this.size = firstSeal + cell.newest() - 1;
        this.lists = new long[firstProposer];
        for (int acceptor = 0; acceptor < firstProposer; acceptor++) {
            for (int generation = 1; generation <= cell.newest(); generation++) {
                boolean isNamed =
                        cell.generation(generation).current().members().contains(CoreCell.id(acceptor));
                lists[acceptor] |= isNamed ? 1L << generation : 0;
            }
        }
    }

    /**
     * Explores a world to the end, or to a violation.
     *
     * @param limit after how many states to stop
     */
    public static Result explore(CoreCell cell, long limit) {
        Result result = new CoreExplorer(cell, false).explore(limit);
        return result.bad() == null ? result : new CoreExplorer(cell, true).explore(limit);
    }

    private Result explore(long limit) {
        int[] nodes = new int[size];
        for (int node = 0; node < size; node++) {
            int number = node;
            nodes[node] = intern(node, () -> newPart(number));
        }
        reach(new State(nodes, 0, cell.releases, 0, new Edge(null, 0, CorePart.TICK, 0)));
        int depth = 0;
        while (!next.isEmpty() && bad == null && visited.size() < limit) {
            List<State> level = next;
            next = new ArrayList<>();
            while (!level.isEmpty() && bad == null && visited.size() < limit) {
                expand(level.remove(level.size() - 1)); // so that its memory is free
            }
            depth++;
        }
        boolean complete = next.isEmpty() && bad == null;
        return new Result(cell.name, visited.size(), depth, complete, bad == null ? null : story(bad));
    }

    private CorePart newPart(int node) {
        return node < firstProposer
                ? new CoreAcceptor(cell, node)
                : node < firstSeal
                        ? new CoreProposer(cell, node - firstProposer)
                        : new CoreSeal(cell, node - firstSeal + 2);
    }

    private CoreAcceptor acceptor(State state, int acceptor) {
        return (CoreAcceptor) parts.get(state.nodes()[acceptor]);
    }

    private boolean isSealed(int[] nodes, int generation) {
        return generation == 1 || ((CoreSeal) parts.get(nodes[firstSeal + generation - 2])).isSealed();
    }

    private void expand(State state) {
        int[] nodes = state.nodes().clone();
        for (int node = 0; node < size; node++) {
            nodes[node] = step(node, nodes[node], CorePart.TICK, 0).state();
        }
        reach(new State(nodes, state.messages(), state.releases(), state.heard(), edge(state, 0, CorePart.TICK, 0)));
        for (int acceptor = 0; acceptor < firstProposer; acceptor++) {
            changeGeneration(state, acceptor);
        }
        int generation = underWay(state.nodes());
        for (int node = 0; node < firstProposer && generation > 0 && cell.asksNowAndThen; node++) {
            if (canHear(state, generation, node)) {
                State heard = heard(state, generation, node);
                Edge edge = edge(state, node, CorePart.HEAR, 0);
                reach(new State(heard.nodes(), heard.messages(), heard.releases(), heard.heard(), edge));
            }
        }
        for (int proposer = firstProposer; proposer < firstSeal; proposer++) {
            ask(state, proposer);
        }
        for (long rest = state.messages(); rest != 0; rest &= rest - 1) {
            deliver(state, Long.numberOfTrailingZeros(rest));
        }
    }

    private Edge edge(State state, int node, int code, int message) {
        return tells ? new Edge(state.edge(), node, code, message) : state.edge();
    }

    private void changeGeneration(State state, int node) {
        int own = acceptor(state, node).generation();
        boolean isSealed = isSealed(state.nodes(), own);
        boolean hasNext = own < cell.newest();
        int forgot = state.heard() & ~(1 << node);
        follow(state, node, CorePart.RESTART + own, state.releases(), forgot);
        if (hasNext && cell.movesByRestart && isSealed) {
            follow(state, node, CorePart.RESTART + own + 1, state.releases(), forgot);
        }
        if (hasNext && cell.movesLive && acceptor(state, node).knowsSeal(own)) {
            follow(state, node, CorePart.MOVE, state.releases(), state.heard());
        }
        if (cell.goesBack && own > cell.firstOf(node) && !isSealed) {
            follow(state, node, CorePart.RESTART + own - 1, state.releases(), forgot);
        }
        for (int sealed = own; !cell.learnsAtOnce && sealed <= Math.min(own + 1, cell.newest()); sealed++) {
            if (isSealed(state.nodes(), sealed) && !acceptor(state, node).knowsSeal(sealed)) {
                follow(state, node, CorePart.LEARN_SEAL + sealed, state.releases(), state.heard());
            }
        }
    }

    /** R4: a list alone once its generation is sealed; two together at any time, as acceptors take that once they know of the seal (R5). */
    private void ask(State state, int node) {
        CoreProposer proposer = (CoreProposer) parts.get(state.nodes()[node]);
        for (int mode = 2; mode <= 2 * cell.newest(); mode++) {
            boolean allowed = mode % 2 == 1 || isSealed(state.nodes(), mode / 2);
            for (int code : new int[] {CorePart.PROPOSE, CorePart.EXTEND}) {
                if (allowed && proposer.can(code)) {
                    follow(state, node, code + mode, state.releases(), state.heard());
                }
            }
        }
        if (state.releases() > 0 && proposer.can(CorePart.RELEASE)) {
            follow(state, node, CorePart.RELEASE, state.releases() - 1, state.heard());
        }
    }

    private void deliver(State state, int message) {
        Sent sent = messages.get(message);
        if (sent.to() >= 0) {
            follow(state, firstProposer + sent.to(), CorePart.RECEIVE, message, state.releases(), state.heard());
        }
        for (int rest = sent.receivers(); rest != 0; rest &= rest - 1) {
            int acceptor = Integer.numberOfTrailingZeros(rest);
            follow(state, acceptor, CorePart.RECEIVE, message, state.releases(), state.heard());
        }
    }

    private void follow(State state, int node, int code, int releases, int heard) {
        follow(state, node, code, 0, releases, heard);
    }

    private void follow(State state, int node, int code, int message, int releases, int heard) {
        Step step = step(node, state.nodes()[node], code, message);
        long sent = awaited(state.nodes(), step.sent() & ~state.messages());
        boolean changesNothing = step.state() == state.nodes()[node] && sent == 0;
        if (changesNothing && releases == state.releases() && heard == state.heard()) {
            return;
        }
        int[] nodes = state.nodes().clone();
        nodes[node] = step.state();
        reach(new State(nodes, state.messages() | sent, releases, heard, edge(state, node, code, message)));
    }

    /** Without answers that change nothing any more. */
    private long awaited(int[] nodes, long sent) {
        long awaits = sent;
        for (long rest = sent; rest != 0; rest &= rest - 1) {
            int number = Long.numberOfTrailingZeros(rest);
            Sent message = messages.get(number);
            if (message.to() >= 0) {
                int state = nodes[firstProposer + message.to()];
                boolean isAwaited = awaited.computeIfAbsent(
                        state << 6 | number, key -> ((CoreProposer) parts.get(state)).awaits(message.message()));
                awaits &= isAwaited ? -1 : ~(1L << number);
            }
        }
        return awaits;
    }

    private void reach(State state) {
        State reached = seen(state);
        if (!visited.add(print(reached))) {
            return;
        }
        int believers = 0;
        for (int node = firstProposer; node < firstSeal; node++) {
            believers += ((CoreProposer) parts.get(reached.nodes()[node])).believes() ? 1 : 0;
        }
        if (believers > 1) {
            bad = reached.edge();
        }
        next.add(reached);
    }

    /** Acceptors say where they stand (R4). */
    private State seen(State state) {
        int generation = underWay(state.nodes());
        State seen = state;
        for (int node = 0; node < firstProposer && generation > 0 && !cell.asksNowAndThen; node++) {
            seen = canHear(seen, generation, node) ? heard(seen, generation, node) : seen;
        }
        for (int node = 0; node < firstProposer && cell.learnsAtOnce; node++) {
            learn(seen.nodes(), node, acceptor(seen, node).generation());
        }
        for (int node = 0; node < firstProposer && cell.goesBack; node++) {
            int next = acceptor(seen, node).generation() + 1;
            if (next <= cell.newest() && acceptor(seen, node).isSilent()) {
                learn(seen.nodes(), node, next); // when does not matter, as long as it is silent
            }
        }
        int heard = isSealed(seen.nodes(), cell.newest()) ? 0 : seen.heard();
        return new State(seen.nodes(), awaited(seen.nodes(), seen.messages()), seen.releases(), heard, seen.edge());
    }

    private void learn(int[] nodes, int node, int generation) {
        boolean isKnown = ((CoreAcceptor) parts.get(nodes[node])).knowsSeal(generation);
        if (isSealed(nodes, generation) && !isKnown) {
            nodes[node] =
                    step(node, nodes[node], CorePart.LEARN_SEAL + generation, 0).state();
        }
    }

    /** The generation that acceptors are asked about, as the one before is sealed and it is not (R5); zero: none. */
    private int underWay(int[] nodes) {
        for (int generation = 2; generation <= cell.newest(); generation++) {
            if (!isSealed(nodes, generation)) {
                return generation;
            }
        }
        return 0;
    }

    /** That it has moved is heard at once, though production's acceptors say it only once they serve; that it has not, when it serves. */
    private boolean canHear(State state, int generation, int node) {
        CoreSeal seal = (CoreSeal) parts.get(state.nodes()[firstSeal + generation - 2]);
        CoreAcceptor acceptor = acceptor(state, node);
        return seal.counts(node) && (acceptor.generation() >= generation || !acceptor.isSilent());
    }

    private State heard(State state, int generation, int node) {
        boolean isThere = acceptor(state, node).generation() >= generation;
        boolean isKnown = (state.heard() & (1 << node)) != 0;
        int code = !isThere ? CorePart.ELSEWHERE : isKnown ? CorePart.HEAR : CorePart.HEAR_NEW;
        int[] nodes = state.nodes().clone();
        int seal = firstSeal + generation - 2;
        nodes[seal] = step(seal, nodes[seal], code + node, 0).state();
        return new State(nodes, state.messages(), state.releases(), state.heard() | 1 << node, state.edge());
    }

    /** The same for states that differ only in which of several acceptors is which: those that are members of the same lists. */
    private long print(State state) {
        long requests = 0;
        long[] replies = new long[firstProposer];
        for (long rest = state.messages(); rest != 0; rest &= rest - 1) {
            int number = Long.numberOfTrailingZeros(rest);
            Sent message = messages.get(number);
            if (message.to() < 0) {
                requests |= 1L << number;
            } else {
                replies[message.from()] += LongSet.mix(replyKinds.get(number));
            }
        }
        long print = LongSet.mix(requests + state.releases() * 0x9E3779B97F4A7C15L);
        for (int node = firstProposer; node < size; node++) {
            print = LongSet.mix(print + prints.get(state.nodes()[node])[firstProposer]);
        }
        long acceptors = 0;
        for (int acceptor = 0; acceptor < firstProposer; acceptor++) {
            long own = LongSet.mix(prints.get(state.nodes()[acceptor])[firstProposer] * 64 + lists[acceptor]);
            own = LongSet.mix(own + replies[acceptor]);
            own = LongSet.mix(own + (state.heard() >> acceptor & 1));
            for (int node = firstProposer; node < size; node++) {
                own = LongSet.mix(own + prints.get(state.nodes()[node])[acceptor]);
            }
            acceptors += own;
        }
        return LongSet.mix(print ^ LongSet.mix(acceptors));
    }

    private Step step(int node, int state, int code, int message) {
        int event = code + message; // messages come last
        while (steps.size() <= state) {
            steps.add(new ArrayList<>());
        }
        List<@Nullable Step> known = steps.get(state);
        while (known.size() <= event) {
            known.add(null);
        }
        Step step = known.get(event);
        if (step == null) {
            step = take(node, state, code, message);
            known.set(event, step);
        }
        return step;
    }

    private Step take(int node, int state, int code, int message) {
        Sent received = code == CorePart.RECEIVE ? messages.get(message) : null;
        Supplier<CorePart> before = makers.get(state);
        CorePart after = before.get();
        List<PaxosMessage> sent = play(after, code, received);
        int reached = intern(node, () -> {
            CorePart again = before.get();
            play(again, code, received);
            return again;
        });
        long bits = 0;
        for (PaxosMessage each : sent) {
            int receivers = after instanceof CoreProposer proposer ? proposer.receivers(each) : 0;
            bits |= 1L
                    << number(
                            received != null && node < firstProposer
                                    ? new Sent(node, received.from(), 0, each)
                                    : new Sent(node - firstProposer, -1, receivers, each));
        }
        return new Step(reached, bits);
    }

    private long kind(List<? extends @Nullable Object> what) {
        return kinds.computeIfAbsent(what, key -> (long) kinds.size());
    }

    private static List<PaxosMessage> play(CorePart part, int code, @Nullable Sent received) {
        return part.step(code, received == null ? null : received.message(), received == null ? 0 : received.from());
    }

    private int number(Sent sent) {
        Integer known = messageNumbers.putIfAbsent(sent, messages.size());
        if (known == null) {
            messages.add(sent);
            replyKinds.add(kind(List.of(sent.to(), sent.message())));
        }
        if (messages.size() > MOST_MESSAGES) {
            throw new IllegalStateException("More than " + MOST_MESSAGES + " messages in " + cell.name);
        }
        return known == null ? messages.size() - 1 : known;
    }

    /** The same events lead to the same state. */
    private int intern(int node, Supplier<CorePart> maker) {
        CorePart part = maker.get();
        List<@Nullable Object> print = new ArrayList<>(part.print());
        long[] ofAcceptors = new long[firstProposer + 1];
        ofAcceptors[firstProposer] = kind(new ArrayList<>(print));
        for (int acceptor = 0; acceptor < firstProposer; acceptor++) {
            ofAcceptors[acceptor] = part.printOf(acceptor);
            print.add(ofAcceptors[acceptor]);
        }
        print.add(node);
        Integer known = numbers.putIfAbsent(print, parts.size());
        if (known == null) {
            parts.add(part);
            makers.add(maker);
            prints.add(ofAcceptors);
        }
        return known == null ? parts.size() - 1 : known;
    }

    private List<String> story(Edge last) {
        ArrayDeque<String> lines = new ArrayDeque<>();
        for (Edge edge = last; edge.before() != null; edge = edge.before()) {
            lines.addFirst(line(edge));
        }
        return List.copyOf(lines);
    }

    private String line(Edge edge) {
        int code = edge.code();
        String who = edge.node() < firstProposer
                ? CoreCell.id(edge.node()).name()
                : CoreCell.proposerId(edge.node() - firstProposer).name();
        if (code == CorePart.TICK) {
            return "a unit passes";
        } else if (code == CorePart.RECEIVE) {
            return who + " receives " + messages.get(edge.message()).message();
        } else if (code == CorePart.HEAR) {
            return who + " says where it stands";
        } else if (code == CorePart.RELEASE) {
            return who + " releases";
        }
        String[] actions = {
            "restarts with generation", "moves", "learns of the seal of", "proposes in mode", "", "extends in mode"
        };
        int action = (code - CorePart.RESTART) / 10;
        int number = (code - CorePart.RESTART) % 10;
        return who + " " + actions[action] + (number == 0 ? "" : " " + number);
    }
}
