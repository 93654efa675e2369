package io.paxoslease;

/**
 * What an election calls. Calls are serial, on one thread of the election's own, and alternate: granted, revoked,
 * granted, and so on. Neither call delays the renewal of the lease.
 */
public interface LeaderCandidate {

    /**
     * This node leads. The method may return at once or block and do the leader's work; when leadership ends while it
     * runs, its thread is interrupted.
     *
     * @param leadership this leadership
     * @throws InterruptedException when interrupted because leadership has ended
     */
    void onGranted(Leadership leadership) throws InterruptedException;

    /**
     * This node leads no more: {@link Leadership#isLeader()} was false before this call. On a voluntary end
     * (resign, stop) the lease is released only after this method has returned.
     *
     * @param leadership the leadership that ended
     */
    void onRevoked(Leadership leadership);
}
