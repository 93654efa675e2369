package io.paxoslease.protocol.paxos;

import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.Invariants;
import java.util.function.Supplier;

/**
 * Draws ballot counters and incarnations (P0): counters strictly increase within an incarnation and resource, so a release never
 * affects a later tenure, however late it arrives.
 */
final class Counters {

    private final Supplier<Incarnation> source;
    private Incarnation incarnation;
    /** At least every counter that this incarnation has used for a resource that is no longer tracked. */
    private long highestRetired;
    /** At least every counter that was drawn here, under any incarnation. */
    private long highestDrawn;
    /** The highest counter that an earlier session of this node has used: later incarnations stay above it. */
    private long ofEarlierSession;

    Counters(Supplier<Incarnation> source) {
        this.source = source;
        this.incarnation = source.get();
    }

    Incarnation incarnation() {
        return incarnation;
    }

    /** At least every counter that this session has drawn, and earlier ones as far as they are known. */
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

    /** @param atLeast the lowest counter that acceptors are likely to accept */
    long next(Claim claim, long atLeast) {
        long next = Math.max(atLeast, Math.max(claim.lastCounter, highestRetired) + 1);
        Invariants.check(next > claim.lastCounter, "counters strictly increase", claim.resource);
        claim.lastCounter = next;
        highestDrawn = Math.max(highestDrawn, next);
        return next;
    }

    /** The resource is no longer tracked: its counters stay used. */
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

    /** The resource continues under the present incarnation. Only then may its counters decrease, and only while nothing relies on the old. */
    void adopt(Claim claim) {
        Invariants.check(
                claim.tenure() == null && claim.attempt() == null, "an incarnation in use is kept", claim.resource);
        claim.incarnation = incarnation;
        claim.lastCounter = 0;
    }
}
