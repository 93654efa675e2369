package io.paxoslease.protocol.storage;

import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.NodeId;

/**
 * What a client writes into the register of a lease. No two stamps are equal: an incarnation uses no serial number twice.
 *
 * @param owner who wrote it, for people; it decides nothing
 * @param incarnation who wrote it
 * @param serial counts the stamps of the incarnation
 * @param sequence above every sequence number that the writer had seen in this register; what is released keeps its
 * @param token the sequence number of the first stamp of the tenure: its fencing token
 * @param leaseNanos how long the owner may rely on it, from before it began to write: others wait for that
 * @param accessNanos delta, as the writer has it
 * @param compares whether it was put there by compare-and-set
 * @param readers by which stamp the readers began who share the lease with its owner; empty unless it is shared
 * @param state what it says of the lease
 */
public record Stamp(
        NodeId owner,
        Incarnation incarnation,
        long serial,
        long sequence,
        long token,
        long leaseNanos,
        long accessNanos,
        boolean compares,
        String readers,
        State state) {

    /** What a stamp says of the lease. */
    public enum State {
        /** Its owner holds it, or tries to. */
        HELD,
        /** All readers hold it, or some do: a reader need not wait for it. */
        SHARED,
        /** Its owner has given it up: no client need wait for it. */
        RELEASED
    }

    boolean isReleased() {
        return state == State.RELEASED;
    }

    boolean isShared() {
        return state == State.SHARED;
    }

    /** The same, given up: what a release record says. */
    Stamp released() {
        return new Stamp(
                owner, incarnation, serial, sequence, token, leaseNanos, accessNanos, compares, "", State.RELEASED);
    }

    /** Whether that one, of a release record, says that this very stamp was given up; any other stamp of the same owner stands. */
    boolean isReleasedBy(Stamp record) {
        return record.isReleased() && incarnation.equals(record.incarnation) && serial == record.serial;
    }

    /** Whether that incarnation wrote it for itself alone. */
    boolean isOwnedBy(Incarnation client) {
        return state == State.HELD && incarnation.equals(client);
    }
}
