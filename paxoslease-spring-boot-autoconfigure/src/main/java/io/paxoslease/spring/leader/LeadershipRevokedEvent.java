package io.paxoslease.spring.leader;

import io.paxoslease.election.Leadership;

/** This node no longer leads a role. {@link Leadership#isLeader()} was false before this was published. */
@SuppressWarnings("serial") // events are not serialized
public final class LeadershipRevokedEvent extends LeadershipEvent {

    /**
     * @param source the publisher
     * @param leadership the leadership
     */
    public LeadershipRevokedEvent(Object source, Leadership leadership) {
        super(source, leadership);
    }
}
