package io.paxoslease;

import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.Message;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.transport.netty.PeerState;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The place of one node in an in-memory cell, over all its lives. Changed on the cell's thread. */
final class InMemorySeat {

    final NodeId id;
    final int number;
    private final AtomicLong incarnations = new AtomicLong();
    /** Null while the node is not running. */
    volatile @Nullable InMemoryWiring life;
    /** When the last life ended; null before the first, which has nothing to remember. */
    volatile @Nullable Moment memoryLostAt;
    /** For which resources this node's requests are lost. */
    volatile @Nullable Predicate<String> denied;
    /** For which resources those are lost that could make it a holder. */
    volatile @Nullable Predicate<String> deniedAcquiring;

    volatile List<PeerState> peers = List.of();
    boolean cutOff;
    /** It stands still for so long that the others have given its connections up. */
    boolean silent;

    InMemorySeat(NodeId id, int number) {
        this.id = id;
        this.number = number;
    }

    /** The same ones in every run of a test. */
    Incarnation nextIncarnation() {
        return new Incarnation(number, incarnations.incrementAndGet());
    }

    boolean isOnline() {
        return life != null && !cutOff && !silent;
    }

    /** What of these messages may leave. */
    List<Message> allowed(List<Message> messages) {
        Predicate<String> refused = denied;
        Predicate<String> acquiring = deniedAcquiring;
        return messages.stream()
                .filter(message -> refused == null || !asksFor(message, refused))
                .filter(message -> acquiring == null
                        || !(message instanceof Message.Prepare prepare && acquiring.test(prepare.resource())))
                .toList();
    }

    private static boolean asksFor(Message message, Predicate<String> resources) {
        if (message instanceof Message.Prepare prepare) {
            return resources.test(prepare.resource());
        }
        if (message instanceof Message.Propose propose) {
            return resources.test(propose.resource());
        }
        return message instanceof Message.Extend extend
                && extend.extensions().stream().anyMatch(extension -> resources.test(extension.resource()));
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
