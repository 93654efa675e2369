package io.paxoslease.spring.leader;

import io.paxoslease.protocol.Printable;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ApplicationEvent;

/**
 * Another node leads a role that this application names, or none does. Published on every instance, within milliseconds of the change, one event
 * after the other on a thread of its own; when the application starts, also for the leader that it finds. A hint: the leader may have changed since.
 * Whether <em>this</em> node leads is told by {@link LeadershipGrantedEvent} and {@link LeadershipRevokedEvent}, and known for certain by
 * {@link LeaderElections#isLeader}.
 */
@SuppressWarnings("serial") // events are not serialized
public final class LeaderChangedEvent extends ApplicationEvent {

    private final String role;
    private final @Nullable String leaderId;
    private final @Nullable String previousLeaderId;

    /**
     * @param source the publisher
     * @param role the role
     * @param leaderId the node that leads it; null if none does, as far as the members know
     * @param previousLeaderId the node that led it before, as far as this node knows; null if none did
     */
    public LeaderChangedEvent(
            Object source, String role, @Nullable String leaderId, @Nullable String previousLeaderId) {
        super(source);
        this.role = role;
        this.leaderId = leaderId;
        this.previousLeaderId = previousLeaderId;
    }

    /** The role. */
    public String role() {
        return role;
    }

    /** The node that leads the role; empty if none does. {@link LeaderLocator} has its base URL. */
    public Optional<String> leaderId() {
        return Optional.ofNullable(leaderId);
    }

    /** The node that led the role before, as far as this node knows; empty if none did. */
    public Optional<String> previousLeaderId() {
        return Optional.ofNullable(previousLeaderId);
    }

    @Override
    public String toString() {
        return "LeaderChangedEvent[role=%s, leaderId=%s, previousLeaderId=%s]"
                .formatted(
                        Printable.name(role),
                        leaderId == null ? null : Printable.name(leaderId),
                        previousLeaderId == null ? null : Printable.name(previousLeaderId));
    }
}
