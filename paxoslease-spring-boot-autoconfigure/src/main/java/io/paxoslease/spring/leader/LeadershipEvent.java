package io.paxoslease.spring.leader;

import io.paxoslease.election.Leadership;
import io.paxoslease.protocol.Printable;
import org.springframework.context.ApplicationEvent;

/**
 * A leadership of this node began or ended. Published on the election's thread, also without Spring Integration. With
 * Spring Integration, its own leader events are published too.
 */
@SuppressWarnings("serial") // events are not serialized
public abstract sealed class LeadershipEvent extends ApplicationEvent
        permits LeadershipGrantedEvent, LeadershipRevokedEvent {

    private final transient Leadership leadership;

    LeadershipEvent(Object source, Leadership leadership) {
        super(source);
        this.leadership = leadership;
    }

    /** The leadership that began or ended. */
    public Leadership leadership() {
        return leadership;
    }

    /** The role of the leadership. */
    public String role() {
        return leadership.role();
    }

    @Override
    public String toString() {
        return "%s[role=%s, fencingToken=%d]"
                .formatted(getClass().getSimpleName(), Printable.name(role()), leadership.fencingToken());
    }
}
