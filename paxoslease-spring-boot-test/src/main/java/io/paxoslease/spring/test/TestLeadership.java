package io.paxoslease.spring.test;

import io.paxoslease.election.Leadership;
import io.paxoslease.protocol.Printable;
import io.paxoslease.spring.leader.LeaderElections;
import io.paxoslease.spring.leader.OnLeader;
import io.paxoslease.testing.InMemoryCell;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;

/**
 * Leadership under the control of a test: grants, revokes and expires roles of this application, through the production
 * code and an {@link InMemoryCell}. Provided by {@link AutoConfigureTestLeadership}. Call it from one thread, the
 * test's.
 *
 * <p>Each method returns when the change is complete: lifecycle beans, candidates and listeners have been notified. It
 * waits up to a second for a candidate whose {@code onGranted} works on and does not return.
 *
 * <p>The clock of leases stands still, except that granting a role may move it by some milliseconds, or by the role's
 * cool-down if the application resigned before; expiring a role moves it by the time left of its lease. Leases that
 * this application holds are renewed meanwhile.
 */
public final class TestLeadership {

    private static final List<Duration> FIRST_STEPS =
            List.of(Duration.ofMillis(2), Duration.ofMillis(2), Duration.ofMillis(10), Duration.ofMillis(20));
    /** Longer than this node's cool-down, in steps. */
    private static final int MANY_STEPS = 80;

    private static final Duration STEP = Duration.ofMillis(100);
    private static final Duration MARGIN = Duration.ofMillis(10);
    private static final long LOOK_MILLIS = 5;
    private static final long WORKING_CANDIDATE_MILLIS = 1_000;

    private final InMemoryCell cell;
    private final String nodeId;
    private final ObjectProvider<LeaderElections> elections;
    private final Grants grants;
    private final RealTime realTime = new RealTime();

    TestLeadership(InMemoryCell cell, String nodeId, Grants grants, ObjectProvider<LeaderElections> elections) {
        this.cell = cell;
        this.nodeId = nodeId;
        this.grants = grants;
        this.elections = elections;
    }

    /**
     * Makes this application the leader of those roles, or of the role {@value OnLeader#DEFAULT_ROLE} if none is named.
     * Does nothing for roles that it leads already.
     *
     * @throws IllegalArgumentException if no bean or property names the role
     * @throws IllegalStateException if the application does not contest the role, because {@code eligible} is false, or
     *     the application is stopped; or if it resigns at once, for instance because a bean does not start
     */
    public void grant(String... roles) {
        for (String role : orDefault(roles)) {
            requireContested(role);
            grants.grant(Set.of(Grants.ROLES + role));
            awaitGrant(role);
        }
    }

    /**
     * Resigns the leadership of those roles: it is revoked first, then released. Does not wait for calls on other
     * threads; the lease is released when they have ended. Does nothing for roles that the application does not lead.
     *
     * @throws IllegalArgumentException if no bean or property names the role
     */
    public void revoke(String... roles) {
        for (String role : orDefault(roles)) {
            Leadership ending = leadership(role);
            refuse(role);
            if (ending != null) {
                ending.resign();
                awaitRevocation(role, ending);
            }
        }
    }

    /**
     * Ends the leadership of those roles as if no majority could be reached: the lease runs out, and then the
     * application is notified. Does nothing for roles that it does not lead.
     *
     * @throws IllegalArgumentException if no bean or property names the role
     */
    public void expire(String... roles) {
        for (String role : orDefault(roles)) {
            Leadership ending = leadership(role);
            refuse(role);
            if (ending != null) {
                cell.denyRequests(nodeId, (Grants.ROLES + role)::equals);
                while (ending.isLeader()) {
                    cell.advance(ending.remaining().plus(MARGIN));
                }
                cell.denyRequests(nodeId, resource -> false);
                awaitRevocation(role, ending);
            }
        }
    }

    /**
     * Revokes every role, and lets the node reach the others again if a test has cut it off. Called after each test
     * method. Locks that a test leaves locked stay locked, and a node that it has crashed stays down.
     */
    public void reset() {
        grants.refuseAll(Grants.ROLES);
        cell.reconnect(nodeId);
        cell.resume(nodeId);
        elections.ifAvailable(all -> all.roles().forEach(this::revoke));
    }

    /**
     * Whether this application leads the role.
     *
     * @throws IllegalArgumentException if no bean or property names the role
     */
    public boolean isLeader(String role) {
        return leadership(role) != null;
    }

    /** Moves the clock of leases, see {@link InMemoryCell#advance}: leases that are not renewed expire. */
    public void advance(Duration time) {
        cell.advance(time);
    }

    /** The cell of this application, with two other nodes. */
    public InMemoryCell cell() {
        return cell;
    }

    private static List<String> orDefault(String... roles) {
        return roles.length == 0 ? List.of(OnLeader.DEFAULT_ROLE) : List.of(roles);
    }

    private void requireContested(String role) {
        if (!elections.getObject().contests(role)) {
            throw new IllegalStateException(
                    "This application does not contest the role '%s': its context is stopped, paxoslease.roles.%s.eligible is false, or the bean that names it is not created yet"
                            .formatted(Printable.name(role), Printable.name(role)));
        }
    }

    private void refuse(String role) {
        grants.refuse(Set.of(Grants.ROLES + role));
    }

    private void awaitGrant(String role) {
        long start = System.nanoTime();
        for (int i = 0; !isAnnounced(role); i++) {
            cell.advance(i < FIRST_STEPS.size() ? FIRST_STEPS.get(i) : STEP);
            if (realTime.await(LOOK_MILLIS, () -> leadership(role) != null)
                    && !realTime.await(WORKING_CANDIDATE_MILLIS, () -> isAnnounced(role) || leadership(role) == null)) {
                return;
            }
            String leader = i < MANY_STEPS ? "" : leaderOf(role);
            if (!leader.isEmpty() || System.nanoTime() - start > TimeUnit.MILLISECONDS.toNanos(RealTime.LIMIT_MILLIS)) {
                refuse(role);
                throw new IllegalStateException((leader.isEmpty() ? "" : "Node '%s' leads it. ".formatted(leader))
                        + "This application did not become the leader of '%s', or not for long: does an @OnLeader lifecycle bean fail to start, or is the node stopped? See the log"
                                .formatted(Printable.name(role)));
            }
        }
    }

    /** The other node that leads the role; empty if none is known. */
    private String leaderOf(String role) {
        return elections
                .getObject()
                .leaderId(role)
                .filter(leader -> !leader.equals(nodeId))
                .orElse("");
    }

    private boolean isAnnounced(String role) {
        Leadership current = leadership(role);
        return current != null && announced(role) == current;
    }

    private void awaitRevocation(String role, Leadership ending) {
        boolean told = announced(role) == ending;
        long limit = told ? RealTime.LIMIT_MILLIS : WORKING_CANDIDATE_MILLIS;
        if (!realTime.await(limit, () -> told && announced(role) != ending) && told) {
            throw new IllegalStateException(
                    "Callbacks at the end of the leadership of '%s' take too long: check the thread paxoslease-leader-%s"
                            .formatted(Printable.name(role), Printable.name(role)));
        }
    }

    private @Nullable Leadership leadership(String role) {
        return elections.getObject().leadership(role).orElse(null);
    }

    private @Nullable Leadership announced(String role) {
        return elections.getObject().announcedLeadership(role).orElse(null);
    }
}
