package io.paxoslease.spring.leader;

import io.paxoslease.election.Leadership;

/** This node leads a role. Leadership may have ended since: check {@link Leadership#isLeader()}. */
@SuppressWarnings("serial") // events are not serialized
public final class LeadershipGrantedEvent extends LeadershipEvent {

    /**
     * @param source the publisher
     * @param leadership the leadership
     */
    public LeadershipGrantedEvent(Object source, Leadership leadership) {
        super(source, leadership);
    }
}
