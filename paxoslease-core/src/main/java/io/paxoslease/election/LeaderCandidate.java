package io.paxoslease.election;

/**
 * What an election calls. Calls are serial, on one thread of the election's own, and alternate: granted, revoked,
 * granted, and so on. No call delays the renewal of the lease.
 */
public interface LeaderCandidate {

    /**
     * This node leads. The method may return at once or block and do the leader's work; when leadership ends while it
     * runs, its thread is interrupted. {@link Leadership#current()} is this leadership.
     *
     * @param leadership this leadership
     * @throws InterruptedException when interrupted because leadership has ended
     */
    void onGranted(Leadership leadership) throws InterruptedException;

    /**
     * This node no longer leads: {@link Leadership#isLeader()} was false before this call. On a voluntary end
     * (resign, stop) the lease is released only after this method has returned, and after the calls that
     * {@link LeaderElection#enter} guards have ended.
     *
     * @param leadership the leadership that ended
     */
    void onRevoked(Leadership leadership);

    /**
     * The lease was not granted for as long as {@link ElectionOptions#reportEvery()}: another node leads, or no majority
     * answers. The election goes on. Not called unless that option is set.
     */
    default void onNotGranted() {}
}
