package io.paxoslease.exploration;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * Visits every state that a {@link Cell} can get into, breadth first, so that the first violation found is a shortest one.
 * A message that is never delivered is lost: loss needs no action of its own. To deliver what changes nothing is the same
 * as to lose it, and left out.
 */
final class Explorer {

    private static final int TICK = -1;

    /** What was found. */
    record Result(
            String cell,
            long states,
            int depth,
            boolean complete,
            int localStates,
            @Nullable List<Action> bad) {

        @Override
        public String toString() {
            return "%s: %,d states, depth %d%s, %,d states of single nodes%s"
                    .formatted(
                            cell,
                            states,
                            depth,
                            complete ? "" : " (cut off)",
                            localStates,
                            bad == null ? "" : ", VIOLATION");
        }
    }

    /** A state of the world: what its nodes are, and the numbers of the messages under way, ascending. */
    @SuppressWarnings("ArrayRecordComponent") // compared by fingerprint only
    private record State(int time, Budget budget, long token, int[] nodes, int[] messages, Edge edge) {}

    /** How a state was reached, so that a violation can be told. */
    private record Edge(@Nullable Edge before, int node, int code, boolean stays) {}

    private final Cell cell;
    /** Whether edges are kept, for which there is little memory in a large world. */
    private final boolean tells;

    private final Locals locals;
    private final LongSet visited = new LongSet();
    private final Map<Budget, Budget> budgets = new HashMap<>();
    private Queue<State> next = new ArrayDeque<>();
    private @Nullable Edge bad;

    private Explorer(Cell cell, boolean tells) {
        this.cell = cell;
        this.tells = tells;
        this.locals = new Locals(cell);
    }

    /** @param limit after how many states to stop */
    static Result explore(Cell cell, long limit) {
        Result result = new Explorer(cell, false).explore(limit);
        return result.bad() == null ? result : new Explorer(cell, true).explore(limit);
    }

    private Result explore(long limit) {
        int[] nodes = new int[cell.size()];
        for (int node = 0; node < nodes.length; node++) {
            nodes[node] = locals.initial(node);
        }
        reach(new State(
                0, shared(new Budget(cell)), Long.MIN_VALUE, nodes, new int[0], new Edge(null, 0, TICK, false)));
        int depth = 0;
        while (!next.isEmpty() && bad == null && visited.size() < limit) {
            Queue<State> level = next;
            next = new ArrayDeque<>();
            while (!level.isEmpty() && bad == null && visited.size() < limit) {
                expand(level.remove());
            }
            depth++;
        }
        boolean complete = next.isEmpty() && bad == null;
        return new Result(cell.name, visited.size(), depth, complete, locals.size(), bad == null ? null : path(bad));
    }

    private void expand(State state) {
        if (state.budget().allows(new Action.Tick(), state.time())) {
            Edge edge = edge(state, 0, TICK, false);
            State later =
                    new State(state.time() + 1, state.budget(), state.token(), state.nodes(), state.messages(), edge);
            reach(cell.meets() ? met(later) : later);
        }
        for (int node = 0; node < cell.size() && bad == null; node++) {
            for (int code = 0; code < Locals.ACTIONS; code++) {
                Action action = Locals.action(code, node);
                boolean allowed = state.budget().allows(action, state.time())
                        && cell.allows(action)
                        && (code != Locals.RESTART || !returnsTooLate(state, node));
                if (allowed && locals.can(state.nodes()[node], code, state.time())) {
                    follow(state, node, code, shared(state.budget().after(action)), state.messages(), false);
                }
            }
        }
        for (int i = 0; i < state.messages().length && bad == null; i++) {
            deliver(state, i);
        }
    }

    private Edge edge(State state, int node, int code, boolean stays) {
        return tells ? new Edge(state.edge(), node, code, stays) : state.edge();
    }

    /** R7: the list before is returned to before the seal only. */
    private boolean returnsTooLate(State state, int node) {
        boolean returns = cell.marked && !cell.returns && locals.returnsNext(state.nodes()[node]);
        return returns && Arrays.stream(state.nodes()).anyMatch(locals::knowsSeal);
    }

    private void deliver(State state, int index) {
        int message = state.messages()[index];
        if (index > 0 && state.messages()[index - 1] == message) {
            return;
        }
        int to = locals.flight(message).to();
        boolean reaches = cell.reaches(locals.flight(message), locals.configuration(state.nodes()[to]));
        if (!reaches || locals.isAsleep(state.nodes()[to], state.time())) {
            return;
        }
        follow(state, to, Locals.DELIVER + message, state.budget(), without(state.messages(), index), false);
        if (state.budget().allowsRepetition()) {
            Budget budget = shared(state.budget().afterRepetition());
            follow(state, to, Locals.DELIVER + message, budget, state.messages(), true);
        }
    }

    private void follow(State state, int node, int code, Budget budget, int[] messages, boolean stays) {
        Locals.Step step = locals.step(state.nodes()[node], code, state.time());
        boolean isLikeLoss = step.changesNothing() && code >= Locals.DELIVER;
        if (isLikeLoss || step.attempt() > cell.attempts(node)) {
            return;
        }
        int[] nodes = state.nodes().clone();
        nodes[node] = step.state();
        Edge edge = edge(state, node, code, stays);
        boolean granted = step.token() != Long.MIN_VALUE && locals.believes(step.state(), state.time());
        if (granted && cell.checksTokens && step.token() <= state.token()) {
            bad = edge;
        }
        long token = granted && cell.checksTokens ? step.token() : state.token();
        State after = new State(state.time(), budget, token, nodes, with(messages, step.sent()), edge);
        reach(cell.meets() && code == Locals.RESTART ? met(after) : after);
    }

    /** Every node meets every other, in order. */
    private State met(State state) {
        int[] nodes = state.nodes().clone();
        int[] messages = state.messages();
        for (int node = 0; node < nodes.length && cell.contested; node++) {
            Locals.Step step = locals.step(nodes[node], Locals.WAKE, state.time());
            nodes[node] = step.state();
            messages = with(messages, step.sent());
        }
        int meeting = locals.meeting(nodes);
        for (int node = 0; node < nodes.length; node++) {
            int code = cell.contested ? locals.meeting(nodes) : meeting;
            Locals.Step step = locals.step(nodes[node], code, state.time());
            nodes[node] = step.state();
            messages = with(messages, step.sent());
        }
        return new State(state.time(), state.budget(), state.token(), nodes, messages, state.edge());
    }

    private void reach(State state) {
        if (!visited.add(print(state))) {
            return;
        }
        int believers = 0;
        for (int node : state.nodes()) {
            if (locals.believes(node, state.time())) {
                believers++;
                if (cell.checksTokens && locals.token(node) < state.token()) {
                    bad = state.edge();
                }
            }
        }
        if (believers > 1) {
            bad = state.edge();
        }
        next.add(state);
    }

    private static long print(State state) {
        long print = LongSet.mix(state.time() * 31L + state.budget().hashCode()) ^ LongSet.mix(state.token());
        for (int node : state.nodes()) {
            print = LongSet.mix(print + node + 1);
        }
        for (int message : state.messages()) {
            print = LongSet.mix(print ^ message * 0x9E3779B97F4A7C15L);
        }
        return print;
    }

    private Budget shared(Budget budget) {
        Budget known = budgets.putIfAbsent(budget, budget);
        return known == null ? budget : known;
    }

    private static int[] without(int[] messages, int index) {
        int[] result = new int[messages.length - 1];
        System.arraycopy(messages, 0, result, 0, index);
        System.arraycopy(messages, index + 1, result, index, result.length - index);
        return result;
    }

    private static int[] with(int[] messages, int[] sent) {
        if (sent.length == 0) {
            return messages;
        }
        int[] result = Arrays.copyOf(messages, messages.length + sent.length);
        System.arraycopy(sent, 0, result, messages.length, sent.length);
        Arrays.sort(result);
        return result;
    }

    /** The same schedule as an {@link ExploredWorld} understands it. */
    private List<Action> path(Edge last) {
        ArrayDeque<Edge> edges = new ArrayDeque<>();
        for (Edge edge = last; edge != null && edge.before() != null; edge = edge.before()) {
            edges.addFirst(edge);
        }
        ExploredWorld world = new ExploredWorld(cell, null);
        List<Action> actions = new ArrayList<>();
        for (Edge edge : edges) {
            Action action = edge.code() == TICK
                    ? new Action.Tick()
                    : edge.code() < Locals.DELIVER
                            ? Locals.action(edge.code(), edge.node())
                            : world.delivery(locals.flight(edge.code() - Locals.DELIVER), edge.stays());
            actions.add(action);
            world.apply(action);
        }
        return actions;
    }
}
