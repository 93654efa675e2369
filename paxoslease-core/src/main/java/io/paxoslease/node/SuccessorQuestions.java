package io.paxoslease.node;

import io.paxoslease.HandOverException;
import io.paxoslease.Lease;
import io.paxoslease.Nomination;
import io.paxoslease.PaxosLeaseException;
import io.paxoslease.protocol.Effect;
import io.paxoslease.protocol.Event;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Printable;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/** Asks the cell who waits for the leases of one node, for hand-overs to a node that is named (Q14). Any thread asks. */
public final class SuccessorQuestions {

    /** How long the cell is asked at most. */
    public static final Duration LONGEST = Duration.ofMillis(500);

    /**
     * For how long a thread waits for an answer. The node's timer ends each question before, by the node's clock; a node whose thread hangs
     * answers nothing.
     */
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private static final Effect.Nominated NO_ANSWER = new Effect.Nominated(0, false, List.of());

    private final RunningNode node;
    private final boolean supported;
    private final Map<Long, CompletableFuture<Effect.Nominated>> open = new ConcurrentHashMap<>();

    SuccessorQuestions(RunningNode node, boolean supported) {
        this.node = node;
        this.supported = supported;
    }

    /**
     * The node of that id, which is not this one.
     *
     * @throws IllegalArgumentException when no other node can have the id
     */
    NodeId check(String nodeId) {
        return check(nodeId, node.nodeId());
    }

    static NodeId check(String nodeId, String self) {
        if (!NodeId.isValidName(Objects.requireNonNull(nodeId, "nodeId"))) {
            throw new IllegalArgumentException("'%s' is not a node id".formatted(Printable.name(nodeId)));
        }
        if (nodeId.equals(self)) {
            throw new IllegalArgumentException(
                    "Node '%s' has the lease and cannot hand it over to itself: name another node, or none"
                            .formatted(Printable.name(nodeId)));
        }
        return new NodeId(nodeId);
    }

    /**
     * The nodes that wait for the lease, as far as a majority of the members says. Completes on the node's thread, within that time or when the
     * node ends; with no nodes when no majority has answered.
     */
    public CompletableFuture<List<Effect.Nominated.Waiting>> waiting(Lease lease, Duration limit) {
        return ask(lease, null, limit).thenApply(answer -> answer.answered() ? answer.waiting() : List.of());
    }

    /** As {@link io.paxoslease.Lease#nominate}. */
    CompletableFuture<Nomination> nominate(Lease lease, String nodeId) {
        NodeId successor = check(nodeId);
        CompletableFuture<Nomination> result = new CompletableFuture<>();
        OwedAnswer<Nomination> owed = node.callbacks().owe(result);
        CompletableFuture<Nomination> unused =
                nominate(lease, successor, LONGEST).whenComplete(owed::give);
        return result;
    }

    /** Whether the node can be the next holder. Completes on the node's thread, within that time or when the node ends. */
    public CompletableFuture<Nomination> nominate(Lease lease, NodeId successor, Duration limit) {
        if (!supported) {
            return CompletableFuture.completedFuture(Nomination.UNSUPPORTED);
        }
        return ask(lease, successor, limit).thenApply(answer -> {
            if (answer.waiting().stream().anyMatch(Effect.Nominated.Waiting::queued)) {
                return Nomination.QUEUED;
            } else if (!lease.isHeld()) {
                return Nomination.NOT_HELD;
            }
            return answer.answered() ? Nomination.NOT_QUEUED : Nomination.NO_MAJORITY;
        });
    }

    /**
     * Waits until the node is known to be a possible next holder.
     *
     * @throws HandOverException when it is not
     * @throws PaxosLeaseException when the node does not answer, as when its own thread calls this
     */
    public NodeId nominateOrRefuse(Lease lease, String nodeId) {
        NodeId successor = check(nodeId);
        CompletableFuture<Nomination> asked = nominate(lease, successor, LONGEST);
        Nomination outcome;
        try {
            if (!node.clock().await(PATIENCE.toNanos(), nanos -> Threads.isDone(asked, nanos))) {
                throw new PaxosLeaseException(
                        "The node does not answer. If its own thread calls this, such as a callback that a direct executor runs, call it on another thread");
            }
            outcome = asked.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new PaxosLeaseException("Interrupted while asking the members who waits for the lease", e);
        } catch (ExecutionException e) {
            throw new PaxosLeaseException("The node does not answer", e);
        }
        if (outcome != Nomination.QUEUED) {
            throw new HandOverException(lease.resource(), nodeId, outcome);
        }
        return successor;
    }

    /** Waits for the answer, also when interrupted, and keeps the interrupt flag. */
    public void await(CompletableFuture<?> answer) {
        Threads.uninterruptibly(() -> node.clock().await(PATIENCE.toNanos(), nanos -> Threads.isDone(answer, nanos)));
    }

    private CompletableFuture<Effect.Nominated> ask(Lease lease, @Nullable NodeId about, Duration limit) {
        if (!supported) {
            return CompletableFuture.completedFuture(NO_ANSWER);
        }
        long id = node.nextId();
        CompletableFuture<Effect.Nominated> answer = new CompletableFuture<>();
        open.put(id, answer);
        try {
            node.submit(new Event.Nominate(lease.resource(), lease.fencingToken(), about, limit.toNanos(), id));
        } catch (RuntimeException | Error withoutMemory) {
            open.remove(id);
            throw withoutMemory;
        }
        if (node.isOver()) { // marked before the open questions are ended
            end();
        }
        return answer;
    }

    /** On the node's thread. */
    void answer(Effect.Nominated answer) {
        complete(answer.requestId(), answer);
    }

    /** No answer will come any more. */
    void end() {
        open.keySet().forEach(id -> complete(id, NO_ANSWER));
    }

    /** The thread that removes a question answers it: other threads may ask in the meantime. */
    private void complete(long id, Effect.Nominated answer) {
        CompletableFuture<Effect.Nominated> asked = open.remove(id);
        if (asked != null) {
            asked.complete(answer);
        }
    }
}
