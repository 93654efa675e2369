package io.paxoslease.spring.leader;

import io.paxoslease.LeaderCandidate;
import io.paxoslease.Leadership;

/** Does nothing: {@link OnLeader} methods ask the election themselves. */
final class SilentCandidate implements LeaderCandidate {

    @Override
    public void onGranted(Leadership leadership) {}

    @Override
    public void onRevoked(Leadership leadership) {}
}
