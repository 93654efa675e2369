package io.paxoslease.spring.leader;

import io.paxoslease.election.LeaderCandidate;
import io.paxoslease.election.Leadership;

/** Notifies the role, in elections without a candidate of the application. */
final class HookedCandidate implements LeaderCandidate {

    private final LeaderRole role;
    /** Whether the grant was announced: only then its end is announced. Used by the election's thread only. */
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
