package io.paxoslease.runtime;

import io.paxoslease.protocol.Message;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.atomic.LongAdder;

/** What a node has counted since it was made, over all its lives. Counted on the node's threads, read by any. */
public final class NodeCounts {

    private final Map<Class<?>, LongAdder> sent;
    private final Map<Class<?>, LongAdder> received;
    private final LongAdder disagreements = new LongAdder();

    public NodeCounts() {
        this(adders(), adders());
    }

    private NodeCounts(Map<Class<?>, LongAdder> sent, Map<Class<?>, LongAdder> received) {
        this.sent = sent;
        this.received = received;
    }

    /** For a further shard of the node: messages count with the others, but clocks that disagree are noticed by every shard. */
    public NodeCounts ofFurtherShard() {
        return new NodeCounts(sent, received);
    }

    private static Map<Class<?>, LongAdder> adders() {
        Map<Class<?>, LongAdder> adders = new HashMap<>();
        messages(Message.class).forEach(type -> adders.put(type, new LongAdder()));
        return adders;
    }

    private static List<Class<?>> messages(Class<?> type) {
        if (type.isRecord()) {
            return List.of(type);
        }
        List<Class<?>> found = new ArrayList<>();
        for (Class<?> each : type.getPermittedSubclasses()) {
            found.addAll(messages(each));
        }
        return found;
    }

    void sent(Message message) {
        Objects.requireNonNull(sent.get(message.getClass())).increment();
    }

    void received(Message message) {
        Objects.requireNonNull(received.get(message.getClass())).increment();
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
