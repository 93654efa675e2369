package io.paxoslease.election;

import io.paxoslease.node.NodeElection;

/** An election as its node sees it. */
record ElectionContest(LeaderElection election) implements NodeElection {

    @Override
    public String role() {
        return election.role();
    }

    @Override
    public String resource() {
        return election.resource();
    }

    @Override
    public boolean isLeader() {
        return election.isLeader();
    }

    @Override
    public void resign() {
        election.resign();
    }
}
