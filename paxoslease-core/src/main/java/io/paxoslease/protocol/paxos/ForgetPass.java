package io.paxoslease.protocol.paxos;

import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.Reading;
import java.util.function.IntConsumer;

/** A5, a part of an acceptor's table at a time, so that resources in disuse cost nothing. */
final class ForgetPass {

    private static final int AT_ONCE = 1_024;
    private static final long PAUSE_NANOS = 1_000_000;

    private final AcceptorRules rules;
    private int hand;
    private Moment next;
    /** The same while memory is short: then some things are forgotten sooner. */
    private Moment sooner;
    /** Whether the pass that is under way is of those. */
    private boolean isLate;

    ForgetPass(AcceptorRules rules, long quarantineNanos, Moment now) {
        this.rules = rules;
        this.next = now.plusNanos(quarantineNanos);
        this.sooner = now.plusNanos(AcceptorRules.LATELY_NANOS);
    }

    /** When it goes on. */
    Moment next() {
        boolean isSooner = rules.slots().share().isShort() || (hand > 0 && isLate);
        return isSooner ? Moment.earlier(next, sooner) : next;
    }

    /**
     * Goes on if it is time.
     *
     * @param forgotten takes the places of what has been forgotten
     * @return whether a pass has come to its end
     */
    boolean run(long quarantineNanos, IntConsumer forgotten, Reading now) {
        if (now.moment().isBefore(next())) {
            return false;
        }
        SlotTable slots = rules.slots();
        if (hand == 0) {
            isLate = now.moment().isBefore(next);
        }
        for (int i = 0; i < AT_ONCE && hand < slots.end(); i++) {
            int place = hand++;
            if (isLate) {
                rules.forgetIfIdleLately(place, now);
            } else {
                rules.forgetIfIdle(place, now);
            }
            if (!slots.isUsed(place)) {
                forgotten.accept(place);
            }
        }
        boolean isOver = hand >= slots.end();
        if (isOver) {
            hand = 0;
            rules.extensions().forgetUnusedSince(now.moment().plusNanos(-quarantineNanos));
        }
        if (!isLate) {
            next = now.moment().plusNanos(isOver ? quarantineNanos : PAUSE_NANOS);
        }
        sooner = now.moment().plusNanos(isOver ? AcceptorRules.LATELY_NANOS : PAUSE_NANOS);
        return isOver;
    }
}
