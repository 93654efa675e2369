package io.paxoslease.node;

import io.paxoslease.protocol.Effect;
import io.paxoslease.protocol.Message;
import io.paxoslease.protocol.paxos.PaxosMessage;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** What a node has counted since it was made, over all its lives. Counted on the node's threads, read by any. */
public final class NodeCounts {

    private final Map<Class<?>, LongAdder> sent;
    private final Map<Class<?>, LongAdder> received;
    private final LongAdder disagreements = new LongAdder();
    private final LongAdder apart = new LongAdder();

    /** @param messages the sealed kinds of messages that the node sends and receives; others are not counted */
    public NodeCounts(List<Class<? extends Message>> messages) {
        this.sent = adders(messages);
        this.received = adders(messages);
    }

    private static Map<Class<?>, LongAdder> adders(List<Class<? extends Message>> messages) {
        Map<Class<?>, LongAdder> adders = new HashMap<>();
        messages.forEach(kind -> recordsOf(kind).forEach(type -> adders.put(type, new LongAdder())));
        return adders;
    }

    private static List<Class<?>> recordsOf(Class<?> kind) {
        if (kind.isRecord()) {
            return List.of(kind);
        }
        List<Class<?>> found = new ArrayList<>();
        for (Class<?> each : kind.getPermittedSubclasses()) {
            found.addAll(recordsOf(each));
        }
        found.remove(PaxosMessage.InMode.class);
        return found;
    }

    void emitted(Effect effect) {
        if (effect instanceof Effect.Send send) {
            sent(send.message());
        } else if (effect instanceof Effect.ClocksApart) {
            apart.increment();
        }
    }

    void sent(Message message) {
        increment(sent.get(kindOf(message)));
    }

    void received(Message message) {
        increment(received.get(kindOf(message)));
    }

    /** A request counts as what it asks, whichever mode it is of. */
    private static Class<?> kindOf(Message message) {
        return (message instanceof PaxosMessage.InMode inMode ? inMode.request() : message).getClass();
    }

    private static void increment(@Nullable LongAdder adder) {
        if (adder != null) {
            adder.increment();
        }
    }

    /** How often a request backed off since no majority of the acceptors' wall clocks are near enough to each other. */
    public long clocksApartCount() {
        return apart.sum();
    }

    void clocksDisagreed() {
        disagreements.increment();
    }

    /** Messages that were handed to the network, by type in lower case. */
    public Map<String, Long> sent() {
        return sums(sent);
    }

    /** Messages that came from the network, by type in lower case. */
    public Map<String, Long> received() {
        return sums(received);
    }

    /** How often the clocks of this process disagreed. */
    public long clockDisagreements() {
        return disagreements.sum();
    }

    private static Map<String, Long> sums(Map<Class<?>, LongAdder> adders) {
        Map<String, Long> sums = new TreeMap<>();
        adders.forEach((type, adder) -> sums.put(type.getSimpleName().toLowerCase(Locale.ROOT), adder.sum()));
        return sums;
    }
}
