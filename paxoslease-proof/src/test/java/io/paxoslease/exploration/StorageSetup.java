package io.paxoslease.exploration;

/** A small world of clients and one store, and what may happen in it. Times are in {@link StorageWorld#UNIT}s. */
final class StorageSetup {

    final String name;
    int clients = 2;
    /** T, of every lease that is not shared. */
    int lease = 8;
    /** M, which is what is shared lasts. */
    int maxLease = 8;
    /** delta: an access takes at least nothing, and less than this. */
    int access = 2;

    boolean compares;
    boolean confirms;
    boolean renewed = true;
    /** rho; the clocks of the clients run at different rates within it. */
    double drift;
    /** How long an access may take when it is slow; its effect may come as late. */
    int slowAccess = 4;

    /** Whether a write may be placed among the others before it ends. */
    boolean places = true;

    int[] sharing = {};
    int horizon = 24;
    int acquires = 3;
    /** Until when clients begin to want the lease. */
    int lastAcquire = Integer.MAX_VALUE;

    int releases;
    int crashes;
    int failures;
    int slows;
    int pauses;
    /** How long a pause or a suspension lasts. */
    int pauseTime = 5;

    int suspensions;
    /** How often an older content of a register comes back, as when a backup is restored. */
    int restores;
    /** Whether only what every client remembers is lost by that; or anything. */
    boolean restoresWhatIsKnown = true;
    /** Whether tokens have to rise: not when a write may land long after the bound. */
    boolean tokensRise = true;
    /** Until when nothing goes wrong. */
    int faultsFrom;
    /** From when on nothing goes wrong any more. */
    int stableFrom = Integer.MAX_VALUE;
    /** Until when exclusion may be broken, and is not judged. */
    int judgedFrom;

    int withdrawals;
    int renewals;
    /** Whether they ask for as much as the lease was; or for half of it. */
    boolean wishesWhole;

    StorageSetup(String name) {
        this.name = name;
    }

    boolean isSharing(int client) {
        for (int each : sharing) {
            if (each == client) {
                return true;
            }
        }
        return false;
    }
}
