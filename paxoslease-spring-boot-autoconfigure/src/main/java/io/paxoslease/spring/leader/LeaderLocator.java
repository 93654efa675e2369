package io.paxoslease.spring.leader;

import io.paxoslease.PaxosLease;
import java.util.Optional;
import java.util.function.Supplier;

/** Finds the leader of a role, for instance to pass a request on to it. Inject it. Thread-safe. */
public final class LeaderLocator {

    private final LeaderElections elections;
    private final Supplier<PaxosLease> node;
    private final NodeUrls urls;

    LeaderLocator(LeaderElections elections, Supplier<PaxosLease> node, NodeUrls urls) {
        this.elections = elections;
        this.node = node;
        this.urls = urls;
    }

    /**
     * The leader of the role, if this node knows it: certain if it is this node, otherwise a hint. Waits for the node's thread, so do not
     * call it on an event loop.
     *
     * @param role a role that this application names; with {@code paxoslease.roles.<name>.eligible=false}, one that only other instances contest
     * @throws IllegalArgumentException if no bean or property names the role, see {@link LeaderElections}
     */
    public Optional<RoleLeader> find(String role) {
        String self = node.get().monitor().options().nodeId();
        return elections
                .leaderId(role)
                .map(id ->
                        new RoleLeader(role, id, id.equals(self), urls.find(id).orElse(null)));
    }
}
