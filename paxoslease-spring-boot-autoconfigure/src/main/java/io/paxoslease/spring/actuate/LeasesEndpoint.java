package io.paxoslease.spring.actuate;

import io.paxoslease.MembershipChange;
import io.paxoslease.MembershipStore;
import io.paxoslease.NodeAdmin;
import io.paxoslease.PaxosLease;
import io.paxoslease.election.LeaderElection;
import io.paxoslease.monitor.NodeMonitor;
import io.paxoslease.protocol.Printable;
import io.paxoslease.spring.membership.MemberText;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;

/**
 * Shows a node, its peers and the leases it knows of, gives up leases that this node holds, and changes the members of the cell. Reading changes nothing
 * and never delays the node, however many leases there are. Times are in milliseconds if the name says so; instants are
 * by this process's wall clock, and no decision depends on them. Giving up, and changing the members of the cell, needs
 * {@code management.endpoint.leases.access=unrestricted}.
 */
@Endpoint(id = "leases", defaultAccess = Access.READ_ONLY)
final class LeasesEndpoint {

    public static final int DEFAULT_LIMIT = 100;

    public static final int MAX_LIMIT = 1_000;

    /** The last segment of the path of the members, which no operation takes for a lease. */
    static final String MEMBERS = "members";

    /** How old what is shown of a store may be. */
    static final Duration FRESH = Duration.ZERO;

    /** How long an answer waits for a store. */
    static final Duration STORE_PATIENCE = Duration.ofSeconds(3);

    /** How long a change waits for a store: longer than a file's lock, whose owner is named then. */
    static final Duration CHANGE_PATIENCE = Duration.ofSeconds(5);

    private final NodeMonitor node;
    private final NodeAdmin admin;
    private final @Nullable MembershipStoreProbe store;
    private final MemberChanger changer;

    LeasesEndpoint(NodeMonitor node, NodeAdmin admin) {
        this.node = node;
        this.admin = admin;
        this.changer = new MemberChanger(admin);
        MembershipStore members = node.options().membershipStore();
        this.store = members == null ? null : new MembershipStoreProbe(members);
    }

    static LeasesEndpoint of(PaxosLease node) {
        return new LeasesEndpoint(node.monitor(), node.admin());
    }

    /**
     * The node, its peers, and some of the leases it knows of: roles first, then all others, each by name.
     *
     * @param limit how many to show, {@value #DEFAULT_LIMIT} by default and {@value #MAX_LIMIT} at most
     */
    @ReadOperation
    public LeasesDescriptor leases(@Nullable Integer offset, @Nullable Integer limit) {
        int from = bounded("offset", offset, 0, Integer.MAX_VALUE, 0);
        int count = bounded("limit", limit, 1, MAX_LIMIT, DEFAULT_LIMIT);
        List<String> resources = rolesFirst(node.resources());
        int total = resources.size();
        List<String> shown = resources.subList(Math.min(from, total), (int) Math.min((long) from + count, total));
        return LeasesDescriptor.of(
                node.options().algorithm().algorithm().toUpperCase(Locale.ROOT),
                node.status(),
                node.status(shown),
                new LeasesDescriptor.PageDescriptor(from, count, total));
    }

    private static int bounded(String name, @Nullable Integer value, int least, int most, int otherwise) {
        if (value == null) {
            return otherwise;
        }
        if (value < least || value > most) {
            throw new InvalidEndpointRequestException(
                    "The parameter '%s' must be from %d to %d, not %d"
                            .formatted(Printable.name(name), least, most, value),
                    "Parameter '%s' out of bounds".formatted(Printable.name(name)));
        }
        return value;
    }

    private static List<String> rolesFirst(List<String> resources) {
        List<String> ordered = new ArrayList<>(resources.size());
        List<String> others = new ArrayList<>(resources.size());
        resources.forEach(
                resource -> (resource.startsWith(LeaderElection.DEFAULT_PREFIX) ? ordered : others).add(resource));
        ordered.addAll(others);
        return ordered;
    }

    /**
     * One lease.
     *
     * @return null, which is HTTP's 404, if this node knows nothing of it
     */
    @ReadOperation
    public @Nullable LeaseDescriptor lease(@Selector(match = Selector.Match.ALL_REMAINING) String... resource) {
        return node.status(nameOf(resource)).map(LeaseDescriptor::of).orElse(null);
    }

    /** A name may contain slashes, which makes it several segments of the path. */
    private static String nameOf(String... segments) {
        return String.join("/", segments);
    }

    /**
     * Gives up a lease that this node holds, so that another node may have it: yields a role, in order, or takes a lock
     * or a plain lease away from its local holder. Returns at once; with a successor, after half a second at most.
     *
     * @param to the next holder; null: the node that has waited longest
     * @see NodeAdmin#giveUp
     */
    @DeleteOperation
    public GivenUpDescriptor giveUp(
            @Selector(match = Selector.Match.ALL_REMAINING) String[] resource, @Nullable String to) {
        String name = nameOf(resource);
        return new GivenUpDescriptor(name, to == null ? admin.giveUp(name) : admin.giveUp(name, to));
    }

    /**
     * Who the members are, how far a change of them is, and what the store of the members says. Waits for that for 3 s at
     * most. No operation by itself: the extensions for HTTP and JMX offer it.
     */
    public MembersDescriptor members() {
        return MembersDescriptor.of(node.status(), store);
    }

    /**
     * Changes the members of the cell while it serves, and waits for the store for 5 s at most; one change at a time. No operation by itself:
     * the extensions for HTTP and JMX offer it.
     *
     * @param peers all members after the change: {@code a=host:port,b=host:port}
     * @param maxLeaseTime the longest lease after the change; null: as it is
     * @param clockDrift the bound on the rate error of clocks after the change; null: as it is
     * @see NodeAdmin#changeMembers
     */
    public MembersDescriptor.ChangeDescriptor changeMembers(
            String peers, @Nullable Duration maxLeaseTime, @Nullable Double clockDrift) {
        MembershipChange change = MembershipChange.builder(members(peers))
                .maxLeaseTime(maxLeaseTime)
                .clockDrift(clockDrift)
                .build();
        return MembersDescriptor.ChangeDescriptor.of(changer.change(change, CHANGE_PATIENCE));
    }

    /** Of one text, as endpoints take no nested values. */
    private static Map<String, String> members(String text) {
        try {
            return MemberText.parse(text);
        } catch (IllegalArgumentException e) {
            throw new InvalidEndpointRequestException(Printable.text(e.getMessage()), "Invalid peers", e);
        }
    }

    record GivenUpDescriptor(String resource, NodeAdmin.GivenUp outcome) {}
}
