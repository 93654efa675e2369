package io.paxoslease.simulation;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What PaxosLease promises besides: a live record is never replaced, never set back, and goes only with a release of its
 * incarnation that reaches its counter, and not while a tenure rests on it; while a tenure is believed in, a majority of
 * acceptors each have a record of it that lasts as long, or are silent as long.
 */
final class RecordsChecker extends HistoryChecker {

    private static final Deed NONE = new Deed(-1, 0, Long.MIN_VALUE);

    private final Deed[][] records;

    /** An acceptor's record. */
    record Deed(long incarnation, long counter, long until) {}

    /** A release that an acceptor has heard. */
    record Releasing(long incarnation, long upToCounter) {}

    /** @param tokensGrow whether the wall clocks are good enough for tokens to grow */
    RecordsChecker(int acceptors, int nodes, int resources, boolean tokensGrow) {
        super(acceptors, nodes, resources, tokensGrow);
        this.records = new Deed[resources][nodes];
        for (Deed[] ofResource : records) {
            Arrays.fill(ofResource, NONE);
        }
    }

    /** The acceptor's record is this from now on. */
    void recorded(long now, int acceptor, int resource, Deed deed) {
        checkNotSilent(now, acceptor, "recorded " + deed);
        Deed before = live(now, acceptor, resource);
        if (before != null && before.incarnation() != deed.incarnation()) {
            throw new Violation("acceptor " + acceptor + " replaced its live " + before + " by " + deed);
        }
        if (before != null && (deed.counter() < before.counter() || deed.until() < before.until())) {
            throw new Violation("acceptor " + acceptor + " set its live " + before + " back to " + deed);
        }
        records[resource][acceptor] = deed;
        checkContained(now, resource);
    }

    /** The acceptor has no live record any more, though its time is not over; these releases it has just heard. */
    void dropped(long now, int acceptor, int resource, List<Releasing> heard) {
        checkNotSilent(now, acceptor, "dropped a record");
        Deed before = live(now, acceptor, resource);
        records[resource][acceptor] = NONE;
        if (before == null) {
            return;
        }
        boolean released = false;
        for (Releasing release : heard) {
            released |= release.incarnation() == before.incarnation() && release.upToCounter() >= before.counter();
        }
        if (!released) {
            throw new Violation("acceptor " + acceptor + " dropped its live " + before + " after " + heard);
        }
        for (Belief belief : beliefs(resource)) {
            if (!isResting()
                    && belief.until() > now
                    && belief.incarnation() == before.incarnation()
                    && belief.token() <= before.counter()) {
                throw new Violation("acceptor " + acceptor + " dropped " + before + ", on which rests " + belief);
            }
        }
        checkContained(now, resource);
    }

    /** The acceptor's clock was changed: the same record lasts until then. */
    void reclocked(int acceptor, int resource, long until) {
        Deed deed = records[resource][acceptor];
        if (!deed.equals(NONE)) {
            records[resource][acceptor] = new Deed(deed.incarnation(), deed.counter(), until);
        }
    }

    @Override
    void forget(int acceptor) {
        for (Deed[] ofResource : records) {
            ofResource[acceptor] = NONE;
        }
    }

    @Override
    boolean excludesOthers(int acceptor, Belief belief) {
        Deed deed = records[belief.resource()][acceptor];
        return deed.incarnation() == belief.incarnation()
                && deed.counter() >= belief.token()
                && deed.until() >= belief.until();
    }

    private @Nullable Deed live(long now, int acceptor, int resource) {
        Deed deed = records[resource][acceptor];
        return deed.until() > now ? deed : null;
    }
}
