package io.paxoslease.protocol.paxos;

import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.paxos.PaxosMessage.Propose;
import io.paxoslease.protocol.paxos.PaxosMessage.QueueMode;
import io.paxoslease.protocol.watch.WatchPrefix;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Whether an acceptor has room for another record (Q12). Its tables have bounds of their own; records that watchers must hear of need room there too (V1). */
final class RecordAdmission {

    static final int MAX_OF_A_CLIENT = 100_000;

    private final AcceptorRules rules;
    private final WatchServer watchers;
    private final Predicate<NodeId> isMember;
    /** Without bounds there is room for all. */
    private final boolean isBounded;

    /** Whether holders may tell this acceptor of leases that it has forgotten. */
    private boolean areReturning;
    /** Whether the present proposal does. */
    private boolean isReturning;
    /** Until when; null: it does not serve yet. */
    private @Nullable Moment returnsUntil;

    RecordAdmission(AcceptorRules rules, WatchServer watchers, Predicate<NodeId> isMember, boolean isBounded) {
        this.rules = rules;
        this.watchers = watchers;
        this.isMember = isMember;
        this.isBounded = isBounded;
        if (rules.quarantineEnd() != null) {
            fallsSilent();
        }
    }

    /**
     * A proposal comes. A holder that renews here for the first time after the quarantine is not refused what it was given before; a new request has no
     * more room than at other times.
     */
    void begin(Propose request) {
        if (areReturning && isOfHolder(request)) {
            setReturning(true);
        }
    }

    /** P4c; or Q13: it met the record of another proposal, and has waited in front of all others. */
    private static boolean isOfHolder(Propose request) {
        return request.queueMode() == QueueMode.NONE
                || (request.queueMode() == QueueMode.QUEUE
                        && request.enqueuedCounter() == 0
                        && request.predecessorCounter() == 0);
    }

    void end() {
        if (isReturning) {
            setReturning(false);
        }
    }

    /** Whether holders come back at present: then notes of records that are kept anyway have the wider room. */
    boolean areReturning() {
        return areReturning;
    }

    /** Whether the present proposal is of a holder that may have had the lease before. */
    boolean isReturning() {
        return isReturning;
    }

    /** A renewal of a record that is here never is refused. */
    boolean refuses(NodeId from, Propose request, Moment now) {
        return isOneTooMany(from, request, now) || hasNoRoomForWatchers(from, request.resource(), now);
    }

    private boolean isOneTooMany(NodeId from, Propose request, Moment now) {
        if (rules.slots().share().records(from) < MAX_OF_A_CLIENT || isMember.test(from)) {
            return false;
        }
        AcceptorSlot slot = rules.slots().live(request.resource(), now);
        return slot == null || !slot.isOwnedBy(from, request.ballot().incarnation());
    }

    private boolean hasNoRoomForWatchers(NodeId from, String resource, Moment now) {
        return WatchPrefix.isWatched(resource)
                && !watchers.hasRoom(from, resource)
                && rules.slots().live(resource, now) == null;
    }

    /** The acceptor forgets, or may have forgotten. */
    void fallsSilent() {
        if (isBounded) {
            returnsUntil = null;
            areReturning = true;
        }
    }

    /** Within one quarantine from now on every holder has renewed its leases, or lost them. */
    void serves(long quarantineNanos, Moment now) {
        if (areReturning) {
            if (returnsUntil == null) {
                returnsUntil = now.plusNanos(quarantineNanos);
            }
            areReturning = now.isBefore(returnsUntil);
        }
    }

    private void setReturning(boolean value) {
        isReturning = value;
        rules.slots().share().returning(value);
        watchers.returning(value);
    }
}
