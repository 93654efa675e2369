package io.paxoslease.spring.leader;

import io.paxoslease.election.Leadership;

/** This node leads a role. Leadership may have ended since: ask {@link Leadership#isLeader()}. */
@SuppressWarnings("serial") // events are not serialized
public final class LeadershipGrantedEvent extends LeadershipEvent {

    /**
     * @param source who publishes it
     * @param leadership the leadership that it is about
     */
    public LeadershipGrantedEvent(Object source, Leadership leadership) {
        super(source, leadership);
    }
}
