package io.paxoslease.transport.netty;

import java.util.concurrent.Executor;

/**
 * How much a member takes from one client in one turn, in points of {@link RequestBudget}: the less, the more all clients have taken in this round
 * of the event loop through its connections. So a round stays short, and members and clients that ask for little have their turn in each. On
 * the event loop.
 */
final class ClientTurns {

    /** Of a client; about three milliseconds. */
    static final int MOST = 1_024;
    /** Of a client that comes late in a round: four requests, which take longer than to turn to it. */
    static final int LEAST = 16;
    /** Of all clients, before each has the least only; about 25 milliseconds. */
    private static final int ROUND = 8 * MOST;

    private final Executor loop;
    private long taken;
    private boolean ends;

    ClientTurns(Executor loop) {
        this.loop = loop;
    }

    /** Of one client, in the turn that begins. */
    int points() {
        return (int) Math.max(LEAST, Math.min(MOST, ROUND - taken));
    }

    /** So much was taken in a turn. */
    void take(int points) {
        taken += points;
        if (!ends) {
            loop.execute(this::endRound); // runs once all that can be read has been looked at
            ends = true;
        }
    }

    private void endRound() {
        taken = 0;
        ends = false;
    }
}
