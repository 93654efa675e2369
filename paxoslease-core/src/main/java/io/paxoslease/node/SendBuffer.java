package io.paxoslease.node;

import io.paxoslease.protocol.Effect;
import io.paxoslease.protocol.Generation;
import io.paxoslease.protocol.LeaseAlgorithm;
import io.paxoslease.protocol.Message;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.transport.LogRate;
import io.paxoslease.transport.Transport;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Gathers what a node sends during one task, so that the messages to one node leave together. Of the node's thread. */
final class SendBuffer {

    /** Clients come and go under names of their own: so many are remembered, and lines written in a minute. */
    private static final int MOST_UNSENT = 100;

    private static final int LINES_A_MINUTE = 10;

    private static final Logger log = LoggerFactory.getLogger(SendBuffer.class);

    private final Transport transport;
    private final Map<NodeId, List<Message>> outgoing = new LinkedHashMap<>();
    /** To which messages could not be sent the last time. */
    private final Set<NodeId> unsent = new HashSet<>();

    private final LongSupplier nanos;
    private final LogRate rate = new LogRate(LINES_A_MINUTE);

    private int knownSealed;
    private int sealed;
    private @Nullable Generation generation;
    private List<Generation> followed = List.of();

    /** @param nanos a monotonic clock */
    SendBuffer(Transport transport, LongSupplier nanos) {
        this.transport = transport;
        this.nanos = nanos;
    }

    void add(Effect.Send send) {
        outgoing.computeIfAbsent(send.to(), to -> new ArrayList<>()).add(send.message());
    }

    /** Those that the node meets from now on are told where it stands. */
    void flush(LeaseAlgorithm node) {
        try {
            tell(node);
        } catch (RuntimeException | Error failure) { // told again with the next message
            if (isAdmitted()) {
                log.warn("Where this node stands was not told to all others: see the cause", failure);
            }
        }
        outgoing.forEach(this::send);
        outgoing.clear();
    }

    private void tell(LeaseAlgorithm node) {
        Generation own = node.generation();
        if (own != null && generation != null && own.number() > generation.number()) {
            transport.changed(own);
        }
        generation = own;
        List<Generation> all = node.followed();
        if (!all.equals(followed)) {
            all.forEach(transport::follows);
        }
        followed = all;
        int known = node.sealedGeneration();
        if (known > knownSealed) {
            transport.knowsSeal(known);
            knownSealed = known;
        }
        int deciding = node.decidingGeneration();
        if (deciding > sealed) {
            transport.sealed(deciding);
            sealed = deciding;
        }
    }

    void clear() {
        outgoing.clear();
    }

    /** What cannot be sent is lost, as any message may be. */
    private void send(NodeId to, List<Message> messages) {
        try {
            transport.send(to, messages);
            unsent.remove(to);
        } catch (RuntimeException | Error failure) {
            if (unsent.size() >= MOST_UNSENT && !unsent.contains(to)) {
                unsent.clear();
            }
            if (unsent.add(to) && isAdmitted()) {
                log.warn("Messages to '{}' were not sent, and more may follow: see the cause", to, failure);
            }
        }
    }

    private boolean isAdmitted() {
        long now = nanos.getAsLong();
        long leftOut = rate.takeLeftOut(now);
        if (leftOut > 0) {
            log.warn("Messages were not sent {} times more than was logged", leftOut);
        }
        return rate.admits(now);
    }
}
