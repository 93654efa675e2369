package io.paxoslease.protocol.paxos;

import io.paxoslease.protocol.Invariants;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.Reading;
import io.paxoslease.protocol.TenureList;

/**
 * When all tenures of one batch end, and when they are renewed: one object for all of them, and a renewal costs as much as for one.
 * It moves only while every tenure that refers to it is extended by the round that moves it. Once the batch has changed it never
 * moves again, and keeps the end that all of them had at that time.
 */
final class SharedDeadline {

    final TenureList tenures;
    private long untilNanos;
    private long untilWallMicros;
    private long renewAtNanos;
    private long extensions;

    SharedDeadline(TenureList tenures, Reading until, Moment renewAt) {
        this.tenures = tenures;
        this.untilNanos = until.moment().nanos();
        this.untilWallMicros = until.wallMicros();
        this.renewAtNanos = renewAt.nanos();
    }

    /** P3, P4: the later deadline counts, on each clock. */
    void extend(Round round, Moment renewAt, Reading now) {
        round.checkQuorum(now);
        Invariants.check(now.moment().isBefore(new Moment(untilNanos)), "only live tenures are renewed", tenures);
        untilNanos = Moment.later(new Moment(untilNanos), round.until.moment()).nanos();
        untilWallMicros = Math.max(untilWallMicros, round.until.wallMicros());
        renewAtNanos = renewAt.nanos();
        extensions++;
    }

    long untilNanos() {
        return untilNanos;
    }

    long untilWallMicros() {
        return untilWallMicros;
    }

    long renewAtNanos() {
        return renewAtNanos;
    }

    /** How often it has moved. */
    long extensions() {
        return extensions;
    }

    Reading until() {
        return new Reading(new Moment(untilNanos), untilWallMicros);
    }
}
