package io.paxoslease.protocol.paxos;

import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.Invariants;
import java.util.function.Supplier;

/**
 * Draws ballot counters and incarnations (P0): counters strictly increase within an incarnation and resource, so a release, however
 * late, never reaches a later tenure.
 */
final class Counters {

    private final Supplier<Incarnation> source;
    private Incarnation incarnation;
    /** No counter that this incarnation has used for a resource which is not tracked any more is above this. */
    private long highestRetired;
    /** No counter that was drawn here, under any incarnation, is above this. */
    private long highestDrawn;
    /** What an earlier session of this node has used, which no later incarnation may go below. */
    private long ofEarlierSession;

    Counters(Supplier<Incarnation> source) {
        this.source = source;
        this.incarnation = source.get();
    }

    Incarnation incarnation() {
        return incarnation;
    }

    /** Every counter that was drawn, by this session and the ones before, as far as it was told of them. */
    long highestDrawn() {
        return Math.max(highestDrawn, ofEarlierSession);
    }

    long highestRetired() {
        return highestRetired;
    }

    void continueAbove(long counter) {
        ofEarlierSession = Math.max(ofEarlierSession, counter);
        highestRetired = Math.max(highestRetired, counter);
    }

    /** @param atLeast what acceptors are likely to take */
    long next(Claim claim, long atLeast) {
        long next = Math.max(atLeast, Math.max(claim.lastCounter, highestRetired) + 1);
        Invariants.check(next > claim.lastCounter, "counters strictly increase", claim.resource);
        claim.lastCounter = next;
        highestDrawn = Math.max(highestDrawn, next);
        return next;
    }

    /** The resource is not tracked any more: its counters stay used. */
    void retire(Claim claim) {
        if (claim.incarnation.equals(incarnation)) {
            highestRetired = Math.max(highestRetired, claim.lastCounter);
        }
    }

    /** Draws a new incarnation for every resource tracked from now on. */
    void renewIncarnation() {
        incarnation = source.get();
        highestRetired = ofEarlierSession;
    }

    /** The resource goes on under the present incarnation: only then may its counters go down, and only while nothing rests on the old. */
    void adopt(Claim claim) {
        Invariants.check(
                claim.tenure() == null && claim.attempt() == null, "an incarnation in use is kept", claim.resource);
        claim.incarnation = incarnation;
        claim.lastCounter = 0;
    }
}
