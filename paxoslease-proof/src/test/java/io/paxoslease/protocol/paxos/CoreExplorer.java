package io.paxoslease.protocol.paxos;

import io.paxoslease.exploration.LongSet;
import io.paxoslease.protocol.paxos.CoreAutomata.Sent;
import io.paxoslease.protocol.paxos.CoreAutomata.Step;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Visits every state that the parts of a {@link CoreCell} can get into, breadth first. What was sent can always arrive again: messages are lost,
 * late, repeated and overtaken without a bound, and time has no end. A part's step is taken once for each of its own states and events.
 *
 * <p>What can break nothing that another state does not break as well ({@link CoreOrder}) is left out: a step into a state that can do no more
 * than the one before it; and all other steps where one leads into a state that can do no less.
 */
public final class CoreExplorer {

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
     * @param nodes a state of each part: acceptors, proposers, seals
     * @param messages that may arrive, as bits
     * @param heard which acceptors the seals have heard of since their memory began, as bits; first those of the first contents
     */
    @SuppressWarnings("ArrayRecordComponent") // compared by fingerprint only
    record State(int[] nodes, long messages, int releases, int heard, Edge edge) {}

    /** How a state was reached, so that a violation can be told. */
    record Edge(@Nullable Edge before, int node, int code, int message) {}

    private final CoreCell cell;
    private final CoreAutomata automata;
    private final CoreOrder order;
    private final int firstProposer;
    private final int firstSeal;
    private final int size;
    /** Of each state by event. */
    private final List<@Nullable Step[]> steps = new ArrayList<>();
    /** Of each state. */
    private final List<int[]> codes = new ArrayList<>();
    /** Of each acceptor which lists name it, as bits. */
    private final long[] lists;

    /** By content: those of the generation after it, and one of the generation before. */
    private final List<List<Integer>> after = new ArrayList<>();

    private final int[] before;
    /** Whether it is the second one of its generation. */
    private final boolean[] isSecond;

    private final LongSet visited = new LongSet();
    private List<State> next = new ArrayList<>();
    private @Nullable Edge bad;

    /** Whether all steps are taken, and edges kept, for which there is no memory in a large world. */
    private final boolean tells;

    private final Consumer<State> visitor;

    private CoreExplorer(CoreCell cell, boolean tells, Consumer<State> visitor) {
        this.cell = cell;
        this.tells = tells;
        this.visitor = visitor;
        this.automata = new CoreAutomata(cell);
        this.order = new CoreOrder(automata, !tells);
        this.firstProposer = automata.firstProposer();
        this.firstSeal = automata.firstSeal();
        this.size = automata.nodes();
        for (int state = 0; state < automata.states(); state++) {
            boolean isTaken = order.taken(state) == state;
            steps.add(isTaken ? stepsOf(state) : new Step[0]);
            codes.add(isTaken ? codesOf(automata.part(state)) : new int[0]);
        }
        this.before = new int[cell.contents() + 1];
        this.isSecond = new boolean[cell.contents() + 1];
        after.add(List.of());
        for (int content = 1; content <= cell.contents(); content++) {
            after.add(cell.after(content));
            for (int previous : cell.before(content)) {
                before[content] = previous;
            }
            isSecond[content] = cell.others(content).contains(content - 1);
        }
        this.lists = new long[firstProposer];
        for (int acceptor = 0; acceptor < firstProposer; acceptor++) {
            for (int content = 1; content <= cell.contents(); content++) {
                boolean isNamed = cell.content(content).current().members().contains(CoreCell.id(acceptor));
                lists[acceptor] |= isNamed ? 1L << content : 0;
            }
        }
    }

    private @Nullable Step[] stepsOf(int state) {
        @Nullable Step[] steps = new Step[CorePart.RECEIVE + automata.messages()];
        automata.steps(state).forEach((event, step) -> steps[event] = new Step(order.taken(step.state()), step.sent()));
        return steps;
    }

    private static int[] codesOf(CorePart part) {
        return part.codes().stream()
                .mapToInt(code -> code)
                .filter(code -> code != CorePart.TICK)
                .toArray();
    }

    /**
     * Explores a world to the end, or to a violation.
     *
     * @param limit after how many states to stop
     */
    public static Result explore(CoreCell cell, long limit) {
        Result result = new CoreExplorer(cell, false, state -> {}).explore(limit);
        if (result.bad() == null) {
            return result;
        }
        Result told = new CoreExplorer(cell, true, state -> {}).explore(limit);
        List<String> unknown =
                List.of("two holders, by a schedule for which all steps must be taken in more states than the limit");
        return told.bad() == null ? new Result(cell.name, result.states(), result.depth(), false, unknown) : told;
    }

    /** Tells of every state of a small world, with nothing left out or without what is. */
    static void visitAll(CoreCell cell, boolean leavesOut, Consumer<State> visitor) {
        new CoreExplorer(cell, !leavesOut, visitor).explore(Long.MAX_VALUE);
    }

    private Result explore(long limit) {
        int[] nodes = new int[size];
        for (int node = 0; node < size; node++) {
            nodes[node] = order.taken(automata.start(node));
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

    private CoreAcceptor acceptor(State state, int acceptor) {
        return (CoreAcceptor) automata.part(state.nodes()[acceptor]);
    }

    private boolean isSealed(int[] nodes, int content) {
        return content == 1 || seal(nodes, content).isSealed();
    }

    private CoreSeal seal(int[] nodes, int content) {
        return (CoreSeal) automata.part(nodes[firstSeal + content - 2]);
    }

    private void expand(State state) {
        int[] nodes = state.nodes().clone();
        for (int node = 0; node < size; node++) {
            nodes[node] = step(nodes[node], CorePart.TICK, 0).state();
        }
        reach(new State(nodes, state.messages(), state.releases(), state.heard(), edge(state, 0, CorePart.TICK, 0)));
        for (int node = 0; node < firstSeal; node++) {
            for (int code : codes.get(state.nodes()[node])) {
                act(state, node, code);
            }
        }
        for (int content = 2; content <= cell.contents() && cell.asksNowAndThen; content++) {
            for (int node = 0; node < firstProposer && isUnderWay(state.nodes(), content); node++) {
                if (canHear(state, content, node)) {
                    State heard = heard(state, content, node);
                    Edge edge = edge(state, node, CorePart.HEAR, 0);
                    reach(new State(heard.nodes(), heard.messages(), heard.releases(), heard.heard(), edge));
                }
            }
            if (cell.answersLate && isUnderWay(state.nodes(), content)) {
                askAndHear(state, content);
            }
        }
        for (long rest = state.messages(); rest != 0; rest &= rest - 1) {
            deliver(state, Long.numberOfTrailingZeros(rest));
        }
    }

    /** Whatever the network does to questions and answers of a node that looks for the seal. */
    private void askAndHear(State state, int content) {
        CoreSeal seal = seal(state.nodes(), content);
        for (int node = 0; node < firstProposer; node++) {
            if (seal.counts(node)) {
                followSeal(state, content, node, CorePart.ASK);
            }
            if (seal.isAnswered(node)) {
                followSeal(state, content, node, CorePart.ARRIVE);
            }
        }
        followSeal(state, content, 0, CorePart.FIND);
    }

    private void followSeal(State state, int content, int node, int code) {
        int[] nodes = state.nodes().clone();
        int seal = firstSeal + content - 2;
        nodes[seal] = step(nodes[seal], code + node, 0).state();
        reach(new State(nodes, state.messages(), state.releases(), state.heard(), edge(state, node, code, 0)));
    }

    private Edge edge(State state, int node, int code, int message) {
        return tells ? new Edge(state.edge(), node, code, message) : state.edge();
    }

    private void act(State state, int node, int code) {
        boolean forgets = code >= CorePart.RESTART && code < CorePart.MOVE;
        int heard = forgets ? state.heard() & ~(bit(false, node) | bit(true, node)) : state.heard();
        int releases = code == CorePart.RELEASE ? state.releases() - 1 : state.releases();
        boolean isAllowed = node < firstProposer ? mayChange(state, node, code) : mayAsk(state.nodes(), code);
        if (isAllowed && releases >= 0) {
            follow(state, node, code, 0, releases, heard);
        }
    }

    private boolean mayChange(State state, int node, int code) {
        int own = acceptor(state, node).content();
        if (code >= CorePart.LEARN_SEAL) {
            return !cell.learnsAtOnce && isSealed(state.nodes(), code - CorePart.LEARN_SEAL);
        }
        boolean restarts = code < CorePart.MOVE;
        boolean isNext = restarts && after.get(own).contains(code - CorePart.RESTART);
        boolean isBack = restarts && after.get(code - CorePart.RESTART).contains(own);
        return isNext ? isSealed(state.nodes(), own) : !isBack || !isSealed(state.nodes(), own);
    }

    /** R4: a list alone once its generation is sealed; two together at any time, as acceptors take that once they know of the seal (R5). */
    private boolean mayAsk(int[] nodes, int code) {
        int mode = code >= CorePart.EXTEND ? code - CorePart.EXTEND : code - CorePart.PROPOSE;
        return code == CorePart.RELEASE || mode % 2 == 1 || isSealed(nodes, mode / 2);
    }

    private void deliver(State state, int message) {
        for (int node = 0; node < firstSeal; node++) {
            if (automata.arrives(message, node)) {
                follow(state, node, CorePart.RECEIVE, message, state.releases(), state.heard());
            }
        }
    }

    private void follow(State state, int node, int code, int message, int releases, int heard) {
        Step step = step(state.nodes()[node], code, message);
        long sent = awaited(state.nodes(), step.sent() & ~state.messages());
        if (order.isBelow(step.state(), state.nodes()[node]) && sent == 0 && heard == state.heard()) {
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
            int message = Long.numberOfTrailingZeros(rest);
            int to = automata.message(message).to();
            boolean isAwaited = to < 0 || order.isMinded(message, nodes[firstProposer + to]);
            awaits &= isAwaited ? -1 : ~(1L << message);
        }
        return awaits;
    }

    private void reach(State state) {
        State reached = advanced(seen(state));
        if (!visited.add(print(reached))) {
            return;
        }
        int believers = 0;
        for (int node = firstProposer; node < firstSeal; node++) {
            believers += ((CoreProposer) automata.part(reached.nodes()[node])).believes() ? 1 : 0;
        }
        if (believers > 1) {
            bad = reached.edge();
        }
        next.add(reached);
        visitor.accept(reached);
    }

    /** Acceptors say where they stand (R4). */
    private State seen(State state) {
        State seen = state;
        for (int content = 2; content <= cell.contents() && !cell.asksNowAndThen; content++) {
            for (int node = 0; node < firstProposer && isUnderWay(state.nodes(), content); node++) {
                seen = canHear(seen, content, node) ? heard(seen, content, node) : seen;
            }
        }
        for (int node = 0; node < firstProposer && cell.learnsAtOnce; node++) {
            learn(seen.nodes(), node, acceptor(seen, node).content());
        }
        for (int node = 0; node < firstProposer && cell.goesBack; node++) {
            for (int next : after.get(acceptor(seen, node).content())) {
                if (acceptor(seen, node).isSilent()) {
                    learn(seen.nodes(), node, next); // when does not matter, as long as it is silent
                }
            }
        }
        boolean isAnyUnderWay = false;
        for (int content = 2; content <= cell.contents(); content++) {
            isAnyUnderWay |= isUnderWay(seen.nodes(), content);
        }
        int heard = isAnyUnderWay ? seen.heard() : 0;
        return new State(seen.nodes(), awaited(seen.nodes(), seen.messages()), seen.releases(), heard, seen.edge());
    }

    /** With every message arrived that makes a part able to do as much as before, and more. */
    private State advanced(State state) {
        State reached = state;
        boolean isNew = !tells;
        while (isNew) {
            isNew = false;
            for (long rest = reached.messages(); rest != 0; rest &= rest - 1) {
                State further = advanced(reached, Long.numberOfTrailingZeros(rest));
                isNew |= further != null;
                reached = further == null ? reached : further;
            }
        }
        return reached;
    }

    /** With this message arrived at one part of which that is true; null: there is none. */
    private @Nullable State advanced(State state, int message) {
        for (int node = 0; node < firstSeal; node++) {
            int from = state.nodes()[node];
            if (automata.arrives(message, node)) {
                Step step = step(from, CorePart.RECEIVE, message);
                long sent = awaited(state.nodes(), step.sent() & ~state.messages());
                boolean addsNothing = sent == 0 && order.isBelow(step.state(), from);
                if (!addsNothing && order.isBelow(from, step.state())) {
                    int[] nodes = state.nodes().clone();
                    nodes[node] = step.state();
                    long messages = awaited(nodes, state.messages() | sent);
                    return new State(nodes, messages, state.releases(), state.heard(), state.edge());
                }
            }
        }
        return null;
    }

    private void learn(int[] nodes, int node, int content) {
        boolean isKnown = ((CoreAcceptor) automata.part(nodes[node])).knowsSeal(content);
        if (isSealed(nodes, content) && !isKnown) {
            nodes[node] = step(nodes[node], CorePart.LEARN_SEAL + content, 0).state();
        }
    }

    /** Whether acceptors are asked about it, as the generation before is sealed and it is not (R5). */
    private boolean isUnderWay(int[] nodes, int content) {
        return !isSealed(nodes, content) && isSealed(nodes, before[content]);
    }

    /** That it has moved is heard at once, though production's acceptors say it only once they serve; that it has not, when it serves. */
    private boolean canHear(State state, int content, int node) {
        CoreAcceptor acceptor = acceptor(state, node);
        boolean isHeard = isThere(acceptor, content) || (!acceptor.isSilent() && !isOfAnother(acceptor, content));
        CoreSeal seal = seal(state.nodes(), content);
        return seal.counts(node) && seal.awaits(node) && isHeard;
    }

    private boolean isThere(CoreAcceptor acceptor, int content) {
        return acceptor.content() == content || number(acceptor.content()) > number(content);
    }

    /** Its answer would be that it is elsewhere; but no node of that content is connected with it. */
    private boolean isOfAnother(CoreAcceptor acceptor, int content) {
        return acceptor.content() != content && number(acceptor.content()) == number(content);
    }

    private int number(int content) {
        return cell.content(content).number();
    }

    private int bit(boolean ofSecond, int node) {
        return 1 << (ofSecond ? firstProposer + node : node);
    }

    private int heardOf(State state, int node) {
        int ofFirst = state.heard() & bit(false, node);
        int ofSecond = state.heard() & bit(true, node);
        return (ofFirst == 0 ? 0 : 1) + (ofSecond == 0 ? 0 : 2);
    }

    private State heard(State state, int content, int node) {
        boolean isThere = isThere(acceptor(state, node), content);
        int bit = bit(isSecond[content], node);
        boolean isKnown = (state.heard() & bit) != 0;
        int code = !isThere ? CorePart.ELSEWHERE : isKnown ? CorePart.HEAR : CorePart.HEAR_NEW;
        int[] nodes = state.nodes().clone();
        int seal = firstSeal + content - 2;
        nodes[seal] = step(nodes[seal], code + node, 0).state();
        boolean isNoted = isThere || !cell.answersLate; // one that is elsewhere may not be heard of in the end
        return new State(nodes, state.messages(), state.releases(), state.heard() | (isNoted ? bit : 0), state.edge());
    }

    /** The same for states that differ only in which of several acceptors is which: those that are members of the same lists. */
    private long print(State state) {
        long requests = 0;
        long[] replies = new long[firstProposer];
        for (long rest = state.messages(); rest != 0; rest &= rest - 1) {
            int number = Long.numberOfTrailingZeros(rest);
            Sent message = automata.message(number);
            if (message.to() < 0) {
                requests |= 1L << number;
            } else {
                replies[message.from()] += LongSet.mix(automata.replyKind(number));
            }
        }
        long print = LongSet.mix(requests + state.releases() * 0x9E3779B97F4A7C15L);
        for (int node = firstProposer; node < size; node++) {
            print = LongSet.mix(print + automata.prints(state.nodes()[node])[firstProposer]);
        }
        long acceptors = 0;
        for (int acceptor = 0; acceptor < firstProposer; acceptor++) {
            long own = LongSet.mix(automata.prints(state.nodes()[acceptor])[firstProposer] * 64 + lists[acceptor]);
            own = LongSet.mix(own + replies[acceptor]);
            own = LongSet.mix(own + heardOf(state, acceptor));
            for (int node = firstProposer; node < size; node++) {
                own = LongSet.mix(own + automata.prints(state.nodes()[node])[acceptor]);
            }
            acceptors += own;
        }
        return LongSet.mix(print ^ LongSet.mix(acceptors));
    }

    private Step step(int state, int code, int message) {
        return Objects.requireNonNull(steps.get(state)[code + message]); // messages come last
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
            return who + " receives " + automata.message(edge.message()).message();
        } else if (code == CorePart.HEAR) {
            return who + " says where it stands";
        } else if (code == CorePart.ASK || code == CorePart.ARRIVE) {
            return code == CorePart.ASK ? who + " is asked where it stands" : who + "'s answer arrives";
        } else if (code == CorePart.FIND) {
            return "a majority of the next list answers";
        } else if (code == CorePart.RELEASE) {
            return who + " releases";
        }
        String[] actions = {
            "restarts with content",
            "moves to content",
            "learns of the seal of",
            "proposes in mode",
            "",
            "extends in mode"
        };
        int action = (code - CorePart.RESTART) / 10;
        int number = (code - CorePart.RESTART) % 10;
        return who + " " + actions[action] + (number == 0 ? "" : " " + number);
    }
}
