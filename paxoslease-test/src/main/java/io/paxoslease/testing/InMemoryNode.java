package io.paxoslease.testing;

import io.paxoslease.PaxosLeaseOptions;
import io.paxoslease.monitor.ClientCounts;
import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.Message;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.paxos.PaxosMessage;
import io.paxoslease.transport.netty.PeerState;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** One node of an in-memory cell, over all its restarts. Changed on the cell's thread. */
final class InMemoryNode {

    private static final int MAX_LISTS = 1_024;
    /** Of no resource. */
    static final Predicate<String> NONE = resource -> false;

    final NodeId id;
    final int number;
    final PaxosLeaseOptions options;
    private final AtomicLong incarnations = new AtomicLong();
    /** Null while the node is not running. */
    volatile @Nullable InMemoryEnvironment life;
    /** When the last life ended; null before the first, which has nothing to remember. */
    volatile @Nullable Moment memoryLostAt;
    /** For which resources this node's requests are lost. */
    volatile Predicate<String> denied = NONE;
    /** For which resources those are lost that could make it a holder. */
    volatile Predicate<String> deniedAcquiring = NONE;

    /** The lists that this node has sent, by number. */
    private final Map<Long, List<PaxosMessage.Extension>> lists = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Long, List<PaxosMessage.Extension>> eldest) {
            return size() > MAX_LISTS;
        }
    };

    volatile List<PeerState> peers = List.of();
    /** Null of a client, and where there are none. */
    volatile @Nullable ClientCounts clients;

    boolean cutOff;
    /** It has been suspended for so long that the others have given its connections up. */
    boolean silent;

    InMemoryNode(PaxosLeaseOptions options, int number) {
        this.id = new NodeId(options.nodeId());
        this.number = number;
        this.options = options;
    }

    /** The same ones in every run of a test. */
    Incarnation nextIncarnation() {
        return new Incarnation(number, incarnations.incrementAndGet());
    }

    boolean isOnline() {
        return life != null && !cutOff && !silent;
    }

    /** Those of these messages that may leave. */
    List<Message> allowed(List<Message> messages) {
        Predicate<String> refused = denied;
        Predicate<String> acquiring = deniedAcquiring;
        return messages.stream()
                .filter(message -> {
                    String resource = message.requested();
                    return resource == null
                            || (!refused.test(resource) && !(message.acquires() && acquiring.test(resource)));
                })
                .map(message -> message instanceof PaxosMessage.Extend extend ? allowed(extend, refused) : message)
                .toList();
    }

    /** Denied extensions name a counter that no acceptor has; the rest of the list is unchanged. */
    private PaxosMessage.Extend allowed(PaxosMessage.Extend extend, Predicate<String> refused) {
        if (!extend.isByNumber()) {
            lists.put(extend.batchId(), extend.extensions());
        }
        List<PaxosMessage.Extension> whole = lists.getOrDefault(extend.batchId(), List.of());
        if (whole.stream().noneMatch(each -> refused.test(each.resource()))) {
            return extend;
        }
        List<PaxosMessage.Extension> changed = whole.stream()
                .map(each -> refused.test(each.resource())
                        ? new PaxosMessage.Extension(each.resource(), Long.MAX_VALUE)
                        : each)
                .toList();
        return new PaxosMessage.Extend(
                extend.incarnation(), extend.attempt(), extend.leaseNanos(), PaxosMessage.Extend.UNNUMBERED, changed);
    }

    /** Why nothing reaches this node, in words. */
    String problem() {
        if (life == null) {
            return "peer '%s' is not running".formatted(id);
        }
        return silent
                ? "lost the connection with peer '%s': it has said nothing for too long".formatted(id)
                : "lost the connection with peer '%s'".formatted(id);
    }
}
