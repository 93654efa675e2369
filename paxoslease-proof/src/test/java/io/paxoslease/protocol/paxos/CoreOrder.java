package io.paxoslease.protocol.paxos;

import io.paxoslease.exploration.LongSet;
import io.paxoslease.protocol.paxos.CoreAutomata.Step;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Which states of a part can do no more than others, found from all steps of the part by itself: whatever the one does, the other one can do
 * as well, sends at least the same, looks like one that can do at least as much, and is in such a state again (the simulation preorder of automata). Where one
 * may arrive in a message, the other one may also leave the message where it is. So is it with states of the whole world: one in which each
 * part can do no more, and no more was sent, breaks nothing that the other one does not break.
 */
final class CoreOrder {

    private final CoreAutomata automata;
    private final boolean reduces;
    /** Of each state: the one that it is taken for, which behaves alike. */
    private final int[] taken;
    /** Those that are taken for themselves. */
    private final List<Integer> kept = new ArrayList<>();
    /** By two of these: whether the first one can do no more. */
    private final boolean[][] below;
    /** By message and state: whether its arrival can change anything, now or later. */
    private final boolean[][] minded;
    /** @param reduces else a state stands for itself only, and nothing is known to be below anything */
    CoreOrder(CoreAutomata automata, boolean reduces) {
        this.automata = automata;
        this.reduces = reduces;
        this.taken = new int[automata.states()];
        this.below = new boolean[automata.states()][];
        this.minded = new boolean[automata.messages()][];
        if (reduces) {
            takeForAlike();
        } else {
            Arrays.setAll(taken, state -> state);
            Arrays.stream(taken).forEach(kept::add);
        }
        for (int message = 0; message < minded.length; message++) {
            minded[message] = whoMinds(message);
        }
        if (reduces) {
            orderTheKept();
        }
    }

    /** The state that stands for it, and behaves alike. */
    int taken(int state) {
        return taken[state];
    }

    /** Whether the first one is the second one or can do no more; both stand for themselves. */
    boolean isBelow(int state, int other) {
        return state == other || (reduces && below[state][other]);
    }

    /** Whether the message can change anything if it arrives in this state, or later. */
    boolean isMinded(int message, int state) {
        return minded[message][state];
    }

    /** States that behave alike, by a partition that is refined until it is stable. */
    private void takeForAlike() {
        Map<List<Object>, Long> looks = new HashMap<>();
        long[] classes = new long[taken.length];
        for (int state = 0; state < classes.length; state++) {
            List<Object> look =
                    List.of(automata.nodeOf(state), automata.part(state).visible());
            classes[state] = looks.computeIfAbsent(look, key -> (long) looks.size());
        }
        long before = 0;
        long now = Arrays.stream(classes).distinct().count();
        while (now > before) {
            classes = refined(classes);
            before = now;
            now = Arrays.stream(classes).distinct().count();
        }
        Map<Long, Integer> first = new HashMap<>();
        for (int state = 0; state < classes.length; state++) {
            first.merge(classes[state], state, this::simpler);
        }
        for (int state = 0; state < classes.length; state++) {
            taken[state] = Objects.requireNonNull(first.get(classes[state]));
        }
        first.values().stream().sorted().forEach(kept::add);
    }

    private long[] refined(long[] classes) {
        long[] refined = new long[classes.length];
        for (int state = 0; state < classes.length; state++) {
            long steps = 0; // in any order
            for (Map.Entry<Integer, Step> entry : automata.steps(state).entrySet()) {
                Step step = entry.getValue();
                steps += LongSet.mix(LongSet.mix(LongSet.mix(entry.getKey()) + step.sent()) + classes[step.state()]);
            }
            refined[state] = LongSet.mix(LongSet.mix(classes[state]) + steps);
        }
        return refined;
    }

    /**
     * Which of two stands for both. By what they are and not by their numbers, as far as possible: so states that differ only in which
     * acceptor is which are stood for by states of which that is true as well.
     */
    private int simpler(int one, int other) {
        long[] ones = automata.prints(one);
        long[] others = automata.prints(other);
        int last = ones.length - 1;
        int order = Long.compare(ones[last], others[last]);
        if (order == 0) {
            order = Arrays.compare(sorted(ones), sorted(others));
        }
        return order < 0 || (order == 0 && one < other) ? one : other;
    }

    private static long[] sorted(long[] values) {
        long[] sorted = values.clone();
        Arrays.sort(sorted);
        return sorted;
    }

    private boolean[] whoMinds(int message) {
        boolean[] minds = new boolean[taken.length];
        boolean changes = true;
        for (int state : kept) {
            Step step = automata.steps(state).get(CorePart.RECEIVE + message);
            minds[state] = step != null && (taken[step.state()] != state || step.sent() != 0);
        }
        while (changes) {
            changes = false;
            for (int state : kept) {
                boolean later = automata.steps(state).values().stream().anyMatch(step -> minds[taken[step.state()]]);
                changes |= later && !minds[state];
                minds[state] |= later;
            }
        }
        return minds;
    }

    /**
     * All pairs that look like it, without those whose steps show that it is not so, until none does. Seals need no order, as no rule
     * leaves out what they hear; where answers are late they are too many for one.
     */
    private void orderTheKept() {
        List<Integer> ordered = kept.stream()
                .filter(state -> !automata.cell().answersLate || automata.nodeOf(state) < automata.firstSeal())
                .toList();
        for (int state : ordered) {
            below[state] = new boolean[taken.length];
            for (int other : ordered) {
                below[state][other] = automata.nodeOf(state) == automata.nodeOf(other)
                        && automata.part(state).looksLessThan(automata.part(other));
            }
        }
        boolean changes = true;
        while (changes) {
            changes = false;
            for (int state : ordered) {
                for (int other : ordered) {
                    if (below[state][other] && state != other && !canFollow(state, other)) {
                        below[state][other] = false;
                        changes = true;
                    }
                }
            }
        }
    }

    /** Whether the other one can do what the state does, as far as is known. */
    private boolean canFollow(int state, int other) {
        for (Map.Entry<Integer, Step> entry : automata.steps(state).entrySet()) {
            Step step = entry.getValue();
            Step answer = automata.steps(other).get(entry.getKey());
            int reached = taken[step.state()];
            boolean follows =
                    answer != null && below[reached][taken[answer.state()]] && (step.sent() & ~answer.sent()) == 0;
            boolean waits = entry.getKey() >= CorePart.RECEIVE && step.sent() == 0 && below[reached][other];
            if (!follows && !waits) {
                return false;
            }
        }
        return true;
    }
}
