package io.paxoslease.spring.leader;

import io.paxoslease.election.Leadership;

/** This node leads a role no more. {@link Leadership#isLeader()} was false before this was published. */
@SuppressWarnings("serial") // events are not serialized
public final class LeadershipRevokedEvent extends LeadershipEvent {

    /**
     * @param source who publishes it
     * @param leadership the leadership that it is about
     */
    public LeadershipRevokedEvent(Object source, Leadership leadership) {
        super(source, leadership);
    }
}
