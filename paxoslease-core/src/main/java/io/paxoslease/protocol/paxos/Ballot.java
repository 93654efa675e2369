package io.paxoslease.protocol.paxos;

import io.paxoslease.protocol.Incarnation;

/**
 * A ballot (section 2). Ballots are ordered by counter; of two incarnations with equal counters the one that an acceptor
 * saw first wins there.
 *
 * @param counter microseconds of wall clock, or more: counters strictly increase within an incarnation and resource (P0)
 * @param incarnation whose ballot it is
 */
public record Ballot(long counter, Incarnation incarnation) {

    @Override
    public String toString() {
        return counter + "/" + incarnation;
    }
}
