package io.paxoslease.protocol.paxos;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Each part of a {@link CoreCell} by itself: every state that it gets into by any of its events in any order, and its step from each of them
 * by each event. That is more than the parts do together, where a message arrives only after it was sent.
 */
final class CoreAutomata {

    /**
     * @param from the number of the sender among its kind
     * @param to the proposer's number, for an answer; negative for a request
     * @param receivers of a request, as bits
     */
    record Sent(int from, int to, int receivers, PaxosMessage message) {}

    /**
     * @param state what it leads to
     * @param sent the messages that are sent, as bits
     */
    record Step(int state, long sent) {}

    private static final int MOST_MESSAGES = Long.SIZE;

    private final CoreCell cell;
    private final int firstProposer;
    private final int firstSeal;
    private final int[] starts;

    private final Map<List<@Nullable Object>, Integer> numbers = new HashMap<>();
    private final List<CorePart> parts = new ArrayList<>();
    private final List<Supplier<CorePart>> makers = new ArrayList<>();
    private final List<Integer> nodes = new ArrayList<>();
    /** Of each state by event. */
    private final List<Map<Integer, Step>> steps = new ArrayList<>();
    /** Of each state what it is, and what it is about each acceptor; without numbers of acceptors. */
    private final List<long[]> prints = new ArrayList<>();

    private final Map<Sent, Integer> messageNumbers = new HashMap<>();
    private final List<Sent> messages = new ArrayList<>();
    /** Of an answer what it says to whom, without who says it. */
    private final List<Long> replyKinds = new ArrayList<>();

    private final Map<List<? extends @Nullable Object>, Long> kinds = new HashMap<>();

    CoreAutomata(CoreCell cell) {
        this.cell = cell;
        this.firstProposer = cell.acceptors();
        this.firstSeal = firstProposer + cell.counters.length;
        this.starts = new int[firstSeal + cell.contents() - 1];
        for (int node = 0; node < starts.length; node++) {
            int number = node;
            starts[node] = intern(node, () -> newPart(number));
        }
        boolean isNew = true;
        while (isNew) {
            isNew = false;
            for (int state = 0; state < parts.size(); state++) {
                isNew |= takeAllSteps(state);
            }
        }
    }

    private CorePart newPart(int node) {
        return node < firstProposer
                ? new CoreAcceptor(cell, node)
                : node < firstSeal
                        ? new CoreProposer(cell, node - firstProposer)
                        : new CoreSeal(cell, node - firstSeal + 2);
    }

    CoreCell cell() {
        return cell;
    }

    /** Acceptors come first, then proposers, then the seals of the contents from the second on. */
    int nodes() {
        return starts.length;
    }

    int firstProposer() {
        return firstProposer;
    }

    int firstSeal() {
        return firstSeal;
    }

    /** The state in which a node begins. */
    int start(int node) {
        return starts[node];
    }

    int states() {
        return parts.size();
    }

    CorePart part(int state) {
        return parts.get(state);
    }

    /** Whose state it is. */
    int nodeOf(int state) {
        return nodes.get(state);
    }

    Map<Integer, Step> steps(int state) {
        return steps.get(state);
    }

    long[] prints(int state) {
        return prints.get(state);
    }

    int messages() {
        return messages.size();
    }

    Sent message(int number) {
        return messages.get(number);
    }

    long replyKind(int message) {
        return replyKinds.get(message);
    }

    /** Whether the message may arrive there. */
    boolean arrives(int message, int node) {
        Sent sent = messages.get(message);
        return sent.to() >= 0
                ? node == firstProposer + sent.to()
                : node < firstProposer && (sent.receivers() & (1 << node)) != 0;
    }

    /** Answers whether there was one that it had not taken before. */
    private boolean takeAllSteps(int state) {
        Map<Integer, Step> known = steps.get(state);
        int node = nodes.get(state);
        int before = known.size();
        if (before == 0) {
            parts.get(state).codes().forEach(code -> known.put(code, take(node, state, code, null)));
        }
        for (int message = 0; message < messages.size(); message++) {
            if (arrives(message, node) && !known.containsKey(CorePart.RECEIVE + message)) {
                known.put(CorePart.RECEIVE + message, take(node, state, CorePart.RECEIVE, messages.get(message)));
            }
        }
        return known.size() > before;
    }

    private Step take(int node, int state, int code, @Nullable Sent received) {
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

    private long kind(List<? extends @Nullable Object> what) {
        return kinds.computeIfAbsent(what, key -> (long) kinds.size());
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
            nodes.add(node);
            steps.add(new HashMap<>());
            prints.add(ofAcceptors);
        }
        return known == null ? parts.size() - 1 : known;
    }
}
