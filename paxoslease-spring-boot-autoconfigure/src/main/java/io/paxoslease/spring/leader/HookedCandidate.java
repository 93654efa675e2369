package io.paxoslease.spring.leader;

import io.paxoslease.LeaderCandidate;
import io.paxoslease.Leadership;

/** Tells the role, for elections without a candidate of the application's own. */
final class HookedCandidate implements LeaderCandidate {

    private final LeaderRole role;

    HookedCandidate(LeaderRole role) {
        this.role = role;
    }

    @Override
    public void onGranted(Leadership leadership) {
        role.start(leadership);
        role.announceGranted(leadership);
    }

    @Override
    public void onRevoked(Leadership leadership) {
        role.stop();
        role.announceRevoked(leadership);
    }
}
