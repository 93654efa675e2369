package io.paxoslease.protocol.paxos;

import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Note;
import io.paxoslease.protocol.Reading;
import io.paxoslease.protocol.paxos.PaxosMessage.Propose;
import io.paxoslease.protocol.paxos.PaxosMessage.QueueMode;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Who waits at an acceptor for which resource, and the proposals that it keeps for them (section 8). Bounded, and each entry
 * expires: a node that still waits asks again. Nothing here can break exclusion: a proposal that is looked at later is a message
 * that was late.
 */
final class Waiters {

    private static final int MAX_OF_ONE = 64;
    private static final int MAX_RESOURCES = 65_536;
    /** What one takes beside the name, with the timer of the resource. */
    static final int BYTES_OF_ONE = 640;
    /** What a note takes besides its characters. */
    private static final int BYTES_OF_NOTE = 48;
    /** How many resources are looked at to make room for one. */
    private static final int LOOKED_AT = 8;
    /** Who has not asked again by then waits no more. */
    private static final long GRACE = 1_000_000_000;

    /** All acceptors that know the same proposals have them in the same order. */
    private static final Comparator<Waiter> OLDEST_FIRST = Comparator.comparingLong(
                    (Waiter waiter) -> Objects.requireNonNull(waiter.proposal()).enqueuedCounter())
            .thenComparing(Waiter::node);

    /**
     * One node that waits.
     *
     * @param until when it has asked again, or waits no more
     * @param proposal what it proposed; null when it only prepared
     * @param reach over as soon as the node cannot be reached
     */
    record Waiter(NodeId node, Moment until, @Nullable Propose proposal, Reach reach) {

        private boolean isOver(Moment now) {
            return reach.over || !now.isBefore(until);
        }

        boolean isQueued() {
            return proposal != null && proposal.queueMode() == QueueMode.QUEUE;
        }

        /** Whether its predecessor, if it knows of one, has no higher counter than that. */
        boolean isAfter(long counter) {
            return proposal == null || proposal.predecessorCounter() <= counter;
        }

        Waiter withoutNote() {
            return new Waiter(node, until, proposal == null ? null : proposal.withNote(Note.NONE), reach);
        }

        boolean isAsking() {
            return proposal != null && proposal.queueMode() == QueueMode.ASK_HOLDER;
        }
    }

    /** From when a node first waits until it cannot be reached. All that it waits for ends with it, and nothing is walked through. */
    static final class Reach {
        private boolean over;

        boolean isOver() {
            return over;
        }
    }

    /** Those who wait for one resource. */
    private static final class Line extends ArrayList<Waiter> {
        private static final long serialVersionUID = 1;

        /** Whose turn came first when that was asked last. */
        private transient @Nullable NodeId first;

        Line() {
            super(2);
        }
    }

    /** Those that were looked at longest ago first, as far as room was made. */
    private final Map<String, Line> byResource = new LinkedHashMap<>();

    private final Map<NodeId, Reach> reached = new HashMap<>();
    private final Share share;

    /** @param share what those that wait may have, by node */
    Waiters(Share share) {
        this.share = share;
    }

    /** A node that was only refused asks again when the lease ought to be free. */
    boolean add(String resource, NodeId node, Moment leaseEnd, Reading now) {
        put(resource, new Waiter(node, leaseEnd.plusNanos(GRACE), null, reach(node)), now);
        return false;
    }

    /**
     * Answers whether the proposal is kept. Its proposer gives it up within its lease time.
     *
     * @param acceptable whether it would be accepted if no lease were in its way
     */
    boolean add(Propose proposal, NodeId node, boolean acceptable, Moment leaseEnd, Reading now) {
        if (proposal.queueMode() == QueueMode.NONE || (proposal.queueMode() == QueueMode.QUEUE && !acceptable)) {
            return add(proposal.resource(), node, leaseEnd, now);
        }
        Waiter waiter = new Waiter(node, now.moment().plusNanos(proposal.leaseNanos()), proposal, reach(node));
        return put(proposal.resource(), waiter, now) && waiter.isQueued();
    }

    private boolean put(String resource, Waiter waiter, Reading now) {
        Line waiters = byResource.get(resource);
        if (waiters == null) {
            boolean room = byResource.size() < MAX_RESOURCES && share.hasRoom(waiter.node(), bytes(resource, waiter));
            if (!room && (!makeRoom(now) || !share.hasRoom(waiter.node(), bytes(resource, waiter)))) {
                return false;
            }
            waiters = new Line();
            byResource.put(resource, waiters);
        }
        for (int i = 0; i < waiters.size(); i++) {
            if (waiters.get(i).node().equals(waiter.node())) {
                share.giveBack(waiter.node(), bytes(resource, waiters.get(i)));
                boolean fits = share.hasRoom(waiter.node(), bytes(resource, waiter));
                waiters.set(i, fits ? waiter : waiter.withoutNote()); // X3
                share.take(waiter.node(), bytes(resource, waiters.get(i)));
                return true;
            }
        }
        if (waiters.size() >= MAX_OF_ONE && !isOver(resource, waiters, now) && waiters.size() >= MAX_OF_ONE) {
            return false;
        }
        if (!waiters.isEmpty() && !share.hasRoom(waiter.node(), bytes(resource, waiter))) {
            return false;
        }
        waiters.add(waiter);
        share.take(waiter.node(), bytes(resource, waiter));
        return true;
    }

    /** The name is there twice, and may be of characters of two bytes. So may the note. */
    private static int bytes(String resource, Waiter waiter) {
        int note = waiter.proposal() == null ? 0 : waiter.proposal().note().length();
        return BYTES_OF_ONE + 2 * resource.length() + (note == 0 ? 0 : BYTES_OF_NOTE + 2 * note);
    }

    Reach reach(NodeId node) {
        return reached.computeIfAbsent(node, each -> new Reach());
    }

    /** Looks at a few resources only. The next call looks at others. */
    private boolean makeRoom(Reading now) {
        for (int i = 0; i < LOOKED_AT; i++) {
            Map.Entry<String, Line> oldest = byResource.entrySet().iterator().next();
            byResource.remove(oldest.getKey());
            if (isOver(oldest.getKey(), oldest.getValue(), now)) {
                return true;
            }
            byResource.put(oldest.getKey(), oldest.getValue());
        }
        return false;
    }

    private boolean isOver(String resource, List<Waiter> waiters, Reading now) {
        drop(resource, waiters, waiter -> waiter.isOver(now.moment()));
        return waiters.isEmpty();
    }

    private void drop(String resource, List<Waiter> waiters, Predicate<Waiter> condition) {
        waiters.removeIf(waiter -> {
            boolean goes = condition.test(waiter);
            if (goes) {
                share.giveBack(waiter.node(), bytes(resource, waiter));
            }
            return goes;
        });
    }

    /** Those of the resource whose time is not over; null when there are none. */
    private @Nullable Line live(String resource, Reading now) {
        Line waiters = byResource.isEmpty() ? null : byResource.get(resource);
        if (waiters == null || !isOver(resource, waiters, now)) {
            return waiters;
        }
        byResource.remove(resource);
        return null;
    }

    /** How many resources are remembered, those included that no node waits for any more. */
    int resources() {
        return byResource.size();
    }

    boolean isEmpty() {
        return byResource.isEmpty();
    }

    boolean isWanted(String resource, Reading now) {
        return live(resource, now) != null;
    }

    /** The highest counter of a proposal that is kept; zero when there is none. */
    long highestQueued(String resource, Reading now) {
        List<Waiter> waiters = live(resource, now);
        long highest = 0;
        if (waiters != null) {
            for (Waiter waiter : waiters) {
                Propose proposal = waiter.proposal();
                if (proposal != null && waiter.isQueued()) {
                    highest = Math.max(highest, proposal.ballot().counter());
                }
            }
        }
        return highest;
    }

    boolean isQueued(String resource, NodeId node, Reading now) {
        return countQueued(resource, node::equals, now) > 0;
    }

    /** How many proposals are kept of the nodes that are chosen. */
    int countQueued(String resource, Predicate<NodeId> chosen, Reading now) {
        List<Waiter> waiters = live(resource, now);
        return waiters == null
                ? 0
                : (int) waiters.stream()
                        .filter(waiter -> waiter.isQueued() && chosen.test(waiter.node()))
                        .count();
    }

    /** The resources that nodes wait for. */
    List<String> names() {
        return List.copyOf(byResource.keySet());
    }

    int waitingForHint(String resource, Reading now) {
        List<Waiter> waiters = live(resource, now);
        return waiters == null
                ? 0
                : (int) waiters.stream().filter(waiter -> !waiter.isQueued()).count();
    }

    /** All nodes that wait, in the order in which they came. */
    List<NodeId> all(String resource, Reading now) {
        List<Waiter> waiters = live(resource, now);
        return waiters == null ? List.of() : waiters.stream().map(Waiter::node).toList();
    }

    /** The nodes whose proposals are kept. */
    List<Candidate> candidates(String resource, Reading now) {
        List<Waiter> waiters = live(resource, now);
        List<Candidate> all = new ArrayList<>();
        if (waiters != null) {
            for (Waiter waiter : waiters) {
                Propose proposal = waiter.proposal();
                if (proposal != null && waiter.isQueued()) {
                    all.add(new Candidate(waiter.node(), proposal.enqueuedCounter(), true));
                }
            }
        }
        return all;
    }

    /** Whether the turn of another node comes first than when this was asked last. */
    boolean hasNewFirst(String resource, Reading now) {
        Line waiters = live(resource, now);
        if (waiters == null) {
            return false;
        }
        Waiter oldest =
                waiters.stream().filter(Waiter::isQueued).min(OLDEST_FIRST).orElse(waiters.get(0));
        boolean isNew = !oldest.node().equals(waiters.first);
        waiters.first = oldest.node();
        return isNew;
    }

    /** Whose turn came first when {@link #hasNewFirst} was asked last; null when none waits. */
    @Nullable
    NodeId lastFirst(String resource) {
        Line waiters = byResource.get(resource);
        return waiters == null ? null : waiters.first;
    }

    /**
     * Removes and answers the kept proposal of the node that has waited longest, of those without a predecessor above that
     * counter; null when there is none.
     *
     * @param successor comes before all others, whatever its predecessor: the holder has named it; null: none does
     */
    @Nullable
    Waiter pollQueued(String resource, long heardOf, @Nullable NodeId successor, Reading now) {
        List<Waiter> waiters = live(resource, now);
        if (waiters == null) {
            return null;
        }
        Comparator<Waiter> order = Comparator.comparing(
                        (Waiter waiter) -> !waiter.node().equals(successor))
                .thenComparing(OLDEST_FIRST);
        Waiter oldest = waiters.stream()
                .filter(waiter -> waiter.isQueued()
                        && (waiter.isAfter(heardOf) || waiter.node().equals(successor)))
                .min(order)
                .orElse(null);
        if (oldest != null) {
            removeIf(resource, waiters, oldest::equals);
        }
        return oldest;
    }

    /** Removes and answers those whose kept proposals have no higher counter than that. */
    List<Waiter> takeQueuedUpTo(String resource, long counter, Reading now) {
        return take(
                resource,
                waiter -> waiter.isQueued()
                        && Objects.requireNonNull(waiter.proposal()).ballot().counter() <= counter,
                now);
    }

    /** Removes and answers those who only asked. */
    List<Waiter> takeAsking(String resource, Reading now) {
        return take(resource, Waiter::isAsking, now);
    }

    private List<Waiter> take(String resource, Predicate<Waiter> condition, Reading now) {
        List<Waiter> waiters = live(resource, now);
        if (waiters == null) {
            return List.of();
        }
        List<Waiter> taken = waiters.stream().filter(condition).toList();
        removeIf(resource, waiters, condition);
        return taken;
    }

    void remove(String resource, NodeId node) {
        List<Waiter> waiters = byResource.isEmpty() ? null : byResource.get(resource);
        if (waiters != null) {
            removeIf(resource, waiters, waiter -> waiter.node().equals(node));
        }
    }

    /** The proposer has abandoned what it proposed up to that counter. */
    void remove(String resource, NodeId node, Incarnation incarnation, long upToCounter) {
        List<Waiter> waiters = byResource.isEmpty() ? null : byResource.get(resource);
        if (waiters != null) {
            removeIf(
                    resource,
                    waiters,
                    waiter -> waiter.node().equals(node)
                            && waiter.proposal() != null
                            && waiter.proposal().ballot().incarnation().equals(incarnation)
                            && waiter.proposal().ballot().counter() <= upToCounter);
        }
    }

    /** Nothing that the node has asked for is kept any more. What is remembered of it goes when it is looked at. */
    void removeAll(NodeId node) {
        Reach reach = reached.remove(node);
        if (reach != null) {
            reach.over = true;
        }
    }

    private void removeIf(String resource, List<Waiter> waiters, Predicate<Waiter> condition) {
        drop(resource, waiters, condition);
        if (waiters.isEmpty()) {
            byResource.remove(resource);
        }
    }

    void clear() {
        byResource.forEach((resource, waiters) -> drop(resource, waiters, waiter -> true));
        byResource.clear();
        reached.clear();
    }
}
