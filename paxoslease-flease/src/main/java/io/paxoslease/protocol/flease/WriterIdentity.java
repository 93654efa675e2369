package io.paxoslease.protocol.flease;

import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.Invariants;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Reading;
import java.util.random.RandomGenerator;

/** One life of a node: in whose name it writes, and the rounds and tokens that it draws, each above all before. */
final class WriterIdentity {

    private final NodeId self;
    private final TimeRules bound;
    private final Registers here;
    private final RandomGenerator random;
    private Incarnation incarnation;
    private Round lastDrawn = Round.NONE;
    private long attempts;
    private long highestToken;
    private long tokenOfEarlierLife;

    WriterIdentity(NodeId self, TimeRules bound, Registers here, Incarnation incarnation, RandomGenerator random) {
        this.self = self;
        this.bound = bound;
        this.here = here;
        this.incarnation = incarnation;
        this.random = random;
    }

    NodeId self() {
        return self;
    }

    Incarnation incarnation() {
        return incarnation;
    }

    /** Every fencing token of this node is at most this. */
    long highestToken() {
        return highestToken;
    }

    void used(long token) {
        highestToken = Math.max(highestToken, token);
    }

    void continueAbove(long token) {
        used(token);
        tokenOfEarlierLife = Math.max(tokenOfEarlierLife, token);
    }

    /**
     * From now on as another life: nothing that was drawn or owned before is known.
     *
     * @param alone whether no other node remembers the tokens
     */
    void startOver(Incarnation fresh, boolean alone) {
        incarnation = fresh;
        lastDrawn = Round.NONE;
        if (alone) {
            tokenOfEarlierLife = highestToken;
        }
    }

    long nextAttempt() {
        return ++attempts;
    }

    /** Above every one of this node's own, and above what was in the way, or is known here to be. */
    Round nextRound(ResourceState state, Reading now) {
        Round last = Round.later(Round.later(lastDrawn, state.learnt), here.highest(state.resource));
        Round next = Round.above(last, bound.slot(now), self, random);
        Invariants.check(next.isAbove(last), "rounds rise", state.resource);
        lastDrawn = next;
        return next;
    }

    Value newTenure(Value before, long leaseNanos, Reading now) {
        long token = Math.max(now.wallMicros(), Math.max(before.token(), tokenOfEarlierLife) + 1);
        return new Value(new Value.Owner(self, incarnation), endOf(leaseNanos, now), token);
    }

    static long endOf(long leaseNanos, Reading now) {
        return now.wallMicros() + leaseNanos / 1_000;
    }
}
