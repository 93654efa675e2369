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

/** What a node has counted since it was made, over all its lives. Counted on the node's thread, read by any. */
public final class NodeCounts {

    private final Map<Class<?>, LongAdder> sent = adders();
    private final Map<Class<?>, LongAdder> received = adders();
    private final LongAdder disagreements = new LongAdder();

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
