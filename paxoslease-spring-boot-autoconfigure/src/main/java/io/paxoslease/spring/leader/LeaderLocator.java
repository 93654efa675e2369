package io.paxoslease.spring.leader;

import io.paxoslease.PaxosLease;
import io.paxoslease.monitor.LeaseStatus;
import io.paxoslease.watch.WatchedLease;
import java.util.Objects;
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
     * The leader of the role, if this node knows it: certain if it is this node, otherwise a hint. The members push each change, so the
     * answer is local if they name a leader. Otherwise it waits for the node's thread, so do not call it on an event loop.
     *
     * @param role a role that this application names; with {@code paxoslease.roles.<name>.eligible=false}, one that only other instances contest
     * @throws IllegalArgumentException if no bean or property names the role, see {@link LeaderElections}
     */
    public Optional<RoleLeader> find(String role) {
        return elections.otherLeader(role).map(lease -> leader(role, lease)).or(() -> hint(role));
    }

    /** As far as this node knows by itself. */
    private Optional<RoleLeader> hint(String role) {
        String self = node.get().monitor().options().nodeId();
        return elections
                .leaderId(role)
                .map(id -> new RoleLeader(
                        role,
                        id,
                        id.equals(self),
                        urls.find(id, () -> noteOf(role, id)).orElse(null)));
    }

    private RoleLeader leader(String role, WatchedLease lease) {
        String id = Objects.requireNonNull(lease.owner());
        Optional<String> note = Optional.ofNullable(lease.note());
        return new RoleLeader(role, id, false, urls.find(id, () -> note).orElse(null));
    }

    /** What that node says as the leader, as far as this one knows. */
    private Optional<String> noteOf(String role, String nodeId) {
        return elections
                .resource(role)
                .flatMap(resource -> node.get().monitor().status(resource))
                .filter(lease -> nodeId.equals(lease.owner()))
                .map(LeaseStatus::note);
    }
}
