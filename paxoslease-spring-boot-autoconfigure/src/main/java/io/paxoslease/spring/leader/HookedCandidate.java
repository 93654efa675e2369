package io.paxoslease.spring.leader;

import io.paxoslease.election.LeaderCandidate;
import io.paxoslease.election.Leadership;

/** Tells the role, for elections without a candidate of the application's own. */
final class HookedCandidate implements LeaderCandidate {

    private final LeaderRole role;
    /** Of the election's thread: an end is told to those who were told of the beginning. */
    private boolean announced;

    HookedCandidate(LeaderRole role) {
        this.role = role;
    }

    @Override
    public void onGranted(Leadership leadership) {
        announced = false;
        role.start(leadership);
        if (leadership.isLeader()) {
            announced = true;
            role.announceGranted(leadership);
        }
    }

    @Override
    public void onRevoked(Leadership leadership) {
        try {
            role.stop();
        } finally {
            if (announced) {
                role.announceRevoked(leadership);
            }
        }
    }
}
