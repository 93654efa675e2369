package io.paxoslease.protocol.paxos;

import io.paxoslease.protocol.MessageSink;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Reading;
import io.paxoslease.protocol.paxos.PaxosMessage.Accepted;
import io.paxoslease.protocol.paxos.PaxosMessage.Propose;
import io.paxoslease.protocol.paxos.PaxosMessage.Reply;
import io.paxoslease.protocol.paxos.PaxosMessage.Stale;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** What an acceptor tells those who wait for a resource (section 8). Advice: a kept proposal is a message that came late. */
final class WaiterNotifier {

    /** Takes a proposal as if it came now (A2). */
    @FunctionalInterface
    interface Proposal {
        Reply take(NodeId from, Propose request, Reading now);
    }

    /** How many clients are queued for a resource. Of members there are few. */
    static final int CLIENTS_IN_QUEUE = 16;

    private final Waiters waiters;
    private final Predicate<NodeId> isMember;
    private final OverflowQueue overflow;

    /** @param overflowBytes what the overflow may have */
    WaiterNotifier(Waiters waiters, long overflowBytes, Predicate<NodeId> isMember) {
        this.waiters = waiters;
        this.overflow = new OverflowQueue(overflowBytes);
        this.isMember = isMember;
    }

    /**
     * Looks for a place in the queue.
     *
     * @return zero if there is one; else when the client is to ask again, in nanoseconds from now
     */
    long placeFor(NodeId from, Propose request, Reading now) {
        String resource = request.resource();
        if (isMember.test(from) || waiters.isQueued(resource, from, now)) {
            return 0;
        }
        long since = request.enqueuedCounter();
        if (overflow.isNominee(resource, from)
                || overflow.isAmongTheFirst(room(resource, now), resource, since, from, now)) {
            overflow.remove(resource, from);
            return 0;
        }
        return overflow.add(resource, since, from, waiters.reach(from), now);
    }

    private int room(String resource, Reading now) {
        return CLIENTS_IN_QUEUE - waiters.countQueued(resource, isMember.negate(), now);
    }

    /** The queue has moved: when it is half empty, those that there was no room for are told to ask. */
    void callOverflow(String resource, Reading now, MessageSink out) {
        int room = overflow.isEmpty() ? 0 : room(resource, now);
        if (room >= CLIENTS_IN_QUEUE / 2) {
            List<NodeId> called = overflow.take(resource, room, now);
            for (int i = 0; i < called.size(); i++) {
                out.send(called.get(i), new PaxosMessage.Released(resource, i));
            }
        }
    }

    /** The node has the lease, or wants it no more. */
    void leave(String resource, NodeId node) {
        overflow.remove(resource, node);
    }

    void forgetOver(Reading now) {
        overflow.sweep(now.moment());
    }

    void clear() {
        waiters.clear();
        overflow.clear();
    }

    /**
     * Proposals that were kept are looked at as if they came now, the longest waiting first, until one is accepted.
     *
     * @param successor comes before all others (Q15); null: none does
     * @return whether one is
     */
    boolean serveQueued(
            String resource,
            long heardOf,
            @Nullable NodeId successor,
            Proposal proposal,
            Reading now,
            MessageSink out) {
        for (Waiters.Waiter next = waiters.pollQueued(resource, heardOf, successor, now);
                next != null;
                next = waiters.pollQueued(resource, heardOf, successor, now)) {
            Reply reply = proposal.take(next.node(), Objects.requireNonNull(next.proposal()), now);
            out.send(next.node(), reply);
            if (reply instanceof Accepted) {
                return true;
            }
        }
        return false;
    }

    /**
     * Q14: who waits. A node that is asked about by name, and waits outside the queue, is told to propose again, and there will be a place for
     * it.
     *
     * @param node the node that is asked about; null: all that are queued, and the newest of those that there is no room for
     */
    List<Candidate> waiting(String resource, @Nullable NodeId node, Reading now, MessageSink out) {
        if (node == null) {
            List<Candidate> all = new ArrayList<>(waiters.candidates(resource, now));
            overflow.addNewest(resource, CLIENTS_IN_QUEUE, now, all);
            return all;
        }
        List<Candidate> found = waiters.candidates(resource, now).stream()
                .filter(each -> each.node().equals(node))
                .toList();
        if (found.isEmpty()
                && (overflow.nominate(resource, node)
                        || waiters.all(resource, now).contains(node))) {
            out.send(node, new PaxosMessage.Released(resource, 0));
        }
        return found;
    }

    /** Whether the node whose turn comes first is another one than when this was asked last. */
    boolean hasNewFirst(String resource, Reading now) {
        return waiters.hasNewFirst(resource, now);
    }

    /** The node whose turn came first when {@link #hasNewFirst} was asked last; null: none waits. */
    @Nullable
    NodeId lastFirst(String resource) {
        return waiters.lastFirst(resource);
    }

    /** No proposal is kept any longer: those who are queued are to propose again. */
    void askAgain(Reading now, MessageSink out) {
        waiters.names().forEach(resource -> waiters.takeQueuedUpTo(resource, Long.MAX_VALUE, now)
                .forEach(waiter -> {
                    Ballot asked = Objects.requireNonNull(waiter.proposal()).ballot();
                    tooLow(resource, waiter, asked.counter(), out);
                }));
    }

    private static void tooLow(String resource, Waiters.Waiter waiter, long promised, MessageSink out) {
        Propose asked = Objects.requireNonNull(waiter.proposal());
        out.send(waiter.node(), new Stale(resource, asked.ballot(), asked.attempt(), promised));
    }

    /** Tells those who wait, in their order, that it is free. */
    void hint(String resource, Reading now, MessageSink out) {
        List<NodeId> others = waiters.all(resource, now);
        for (int i = 0; i < others.size(); i++) {
            out.send(others.get(i), new PaxosMessage.Released(resource, i));
        }
    }

    /** Those who are queued with a counter up to that one are told that it is too low. */
    void tellOvertaken(String resource, long promised, Reading now, MessageSink out) {
        waiters.takeQueuedUpTo(resource, promised, now).forEach(waiter -> tooLow(resource, waiter, promised, out));
    }

    /** Tells those who asked about it, and do not wait for it, that the lease is in use. */
    void tellInUse(String resource, Reading now, MessageSink out) {
        waiters.takeAsking(resource, now).forEach(waiter -> {
            Propose asked = Objects.requireNonNull(waiter.proposal());
            out.send(waiter.node(), new PaxosMessage.InUse(resource, asked.ballot(), asked.attempt()));
        });
    }

    /** Nothing that node has asked for is kept: it may have ended. */
    void onUnreachable(NodeId node) {
        waiters.removeAll(node);
    }

    /** How many proposers wait to hear from this acceptor that the resource is free. */
    int waitingForHint(String resource, Reading now) {
        return waiters.waitingForHint(resource, now);
    }

    /** The highest counter of a proposal that is kept for another; zero when there is none. */
    long highestKept(String resource, Reading now) {
        return waiters.highestQueued(resource, now);
    }

    /** Whether others wait for the resource as far as this acceptor knows. */
    boolean isWanted(String resource, Reading now) {
        return waiters.isWanted(resource, now);
    }
}
