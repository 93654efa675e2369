package io.paxoslease.election;

import io.paxoslease.HandOverException;
import io.paxoslease.PaxosLease;
import io.paxoslease.PaxosLeaseException;
import io.paxoslease.RevocationReason;
import io.paxoslease.monitor.LeaseStatus;
import io.paxoslease.node.LocalNode;
import io.paxoslease.node.NodeElection;
import io.paxoslease.node.ResourceNames;
import io.paxoslease.protocol.Note;
import io.paxoslease.protocol.Printable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * One node's candidacy for one role. While it is started it asks for the role's lease, keeps it renewed, and tells its
 * {@link LeaderCandidate}, on one thread of its own. Thread-safe.
 *
 * <p>A leadership that ends by choice (resign, stop) ends in this order: {@link #isLeader()} turns false, a blocking
 * {@link LeaderCandidate#onGranted} and the calls that were {@linkplain #enter let in} are interrupted,
 * {@link LeaderCandidate#onRevoked} runs, the calls end, and only then is the lease released; meanwhile it is renewed. If
 * this takes longer than thirty seconds, or than the timeout of {@link #stop}, the lease is released before it is finished, so that
 * a candidate that hangs does not block all other nodes. After resigning, this node does not contest the role for the
 * {@linkplain ElectionOptions#coolDown() cool-down}.
 *
 * <p>A leadership that is lost (the lease ran out, the node stopped) ends in the same order, except that there is no lease to
 * release: another node may lead before this one's candidate is told. The interrupt of a candidate that works then comes from
 * the node's callback executor, so a callback that hangs delays it. Stop the election before its node: a node that is stopped between
 * the grant and the end of {@code onRevoked}, or while a guarded call works, lets the lease expire, unless all that ends at once.
 */
public final class LeaderElection implements AutoCloseable {

    /** What precedes the role in the name of its lease by default. */
    public static final String DEFAULT_PREFIX = "role:";

    private final Candidacy.Subject subject;
    private final ElectionContest contest = new ElectionContest(this);
    private final AtomicReference<@Nullable ElectedTerm> term = new AtomicReference<>();
    private @Nullable Candidacy candidacy;
    /** Those that may still be with the candidate after a stop that timed out, and the present one. */
    private final List<Candidacy> earlier = new ArrayList<>(1);

    private LeaderElection(Builder builder, LeaderCandidate candidate) {
        LocalNode local = LocalNode.of(builder.node);
        Duration leaseTime = builder.options.leaseTime();
        if (leaseTime != null) {
            local.leaseTimes()
                    .check("The lease time of the role '%s'".formatted(Printable.name(builder.role)), leaseTime);
            local.leaseTimes().checkRenewable(leaseTime);
        }
        local.algorithm().checkNote(Note.check(builder.options.note()));
        this.subject = new Candidacy.Subject(
                local,
                ResourceNames.check(builder.resource),
                builder.role,
                Objects.requireNonNull(candidate, "candidate"),
                builder.options,
                term);
    }

    /**
     * Starts a candidacy of that node for that role.
     *
     * @param node asks for the lease; start it first
     * @param role what {@link Leadership#role()} answers; every candidate names the same
     */
    public static Builder builder(PaxosLease node, String role) {
        return new Builder(node, role);
    }

    /** The elections that are started on that node. */
    public static List<LeaderElection> on(PaxosLease node) {
        return LocalNode.of(node).contests().stream()
                .filter(ElectionContest.class::isInstance)
                .map(each -> ((ElectionContest) each).election())
                .toList();
    }

    /** The role that this node contests. */
    public String role() {
        return subject.role();
    }

    /** The name of the role's lease. */
    public String resource() {
        return subject.resource();
    }

    /** Starts to contest the role; does nothing when started. May be called again after a stop. */
    public synchronized void start() {
        if (candidacy == null) {
            earlier.removeIf(Candidacy::hasEnded);
            Candidacy started = new Candidacy(subject, List.copyOf(earlier));
            candidacy = started;
            subject.node().contest(contest); // before it may lead: what leads is resigned from, and not just taken away
            try {
                started.start();
                earlier.add(started);
            } catch (Error withoutThread) { // a later start may get one
                candidacy = null;
                subject.node().contestNoMore(contest);
                throw withoutThread;
            }
        }
    }

    /** Whether this node contests the role. */
    public synchronized boolean isRunning() {
        return candidacy != null;
    }

    /** Whether this node leads at this instant. Local: compares the deadline with the clock at each call. */
    public boolean isLeader() {
        ElectedTerm current = term.get();
        return current != null && current.isLeader();
    }

    /** The leadership of this node at this instant; empty when it does not lead. */
    public Optional<Leadership> leadership() {
        ElectedTerm current = term.get();
        return current != null && current.isLeader() ? Optional.of(current) : Optional.empty();
    }

    /**
     * Lets the current thread in for a call that only the leader may make, and guards it until it is closed. Local: compares
     * the deadline with the clock.
     *
     * <pre>{@code
     * try (GuardedCall call = election.enter(true).orElse(null)) {
     *     if (call != null) { ... }
     * }
     * }</pre>
     *
     * @param interrupt whether the thread is interrupted when leadership ends during the call
     * @return empty when this node does not lead at this instant
     */
    public Optional<GuardedCall> enter(boolean interrupt) {
        ElectedTerm current = term.get();
        return current == null ? Optional.empty() : Optional.ofNullable(GuardedCall.enter(current, interrupt));
    }

    /**
     * Begins work that continues after the current call, on whatever threads, and guards it until it is closed. Local: compares the
     * deadline with the clock.
     *
     * @param onEnd called at most once, when leadership ends during the work, by the thread that ends it or on the callback executor: it is
     *     to cancel the work without waiting for it, and the work is to be closed once it has ended
     * @return empty when this node does not lead at this instant
     */
    public Optional<GuardedWork> begin(Runnable onEnd) {
        ElectedTerm current = term.get();
        Objects.requireNonNull(onEnd, "onEnd");
        return current == null ? Optional.empty() : Optional.ofNullable(GuardedWork.begin(current, onEnd));
    }

    /**
     * The node that leads, as far as this node knows: certain when it is this node, else a hint. Asks the node's thread and
     * waits for its answer.
     *
     * @throws PaxosLeaseException when the node's thread does not answer
     */
    public Optional<String> leaderId() {
        LocalNode node = subject.node();
        if (isLeader()) {
            return Optional.of(node.options().nodeId());
        }
        return node.status(subject.resource())
                .map(LeaseStatus::owner)
                .filter(owner -> !owner.equals(node.options().nodeId()));
    }

    /** Gives leadership up, if there is one, and stands back for the cool-down. Returns at once. */
    public void resign() {
        ElectedTerm current = term.get();
        if (current != null) {
            current.resign();
        }
    }

    /**
     * Gives leadership up in favour of that node: the members are asked whether it waits for the role, then this leadership ends as by
     * {@link #resign()}, and that node leads next, unless it stops waiting in between. Blocks for up to half a second; the leadership ends in the background.
     *
     * @param nodeId the next leader
     * @throws NotLeaderException when this node does not lead
     * @throws HandOverException when that node does not wait for the role, or no majority answers: this node leads on, and no work has been
     *     interrupted
     * @throws IllegalArgumentException when no other node can have that id
     */
    public void handOver(String nodeId) {
        if (!resignTo(nodeId)) {
            throw new NotLeaderException(
                    role(),
                    "Node '%s' does not lead role '%s': ask its leader to hand it over"
                            .formatted(subject.nodeId(), subject.printableRole()));
        }
    }

    private boolean resignTo(String nodeId) {
        ElectedTerm current = term.get();
        if (current == null || !current.isLeader()) {
            return false;
        }
        current.resignTo(nodeId);
        return true;
    }

    /**
     * Stops contesting the role: revokes, then releases. If this node leads, the youngest candidate that is ready leads next, or the first of
     * {@link ElectionOptions#preference()} that is ready; if none is, the candidate that has waited longest. A guarded call of the calling thread is neither interrupted nor waited for.
     *
     * @param timeout how long to wait for the candidate and for guarded calls; then the lease is released in any case
     * @return whether the candidate finished in time
     */
    public boolean stop(Duration timeout) {
        return stop(ElectedTerm.End.STOPPED, timeout);
    }

    /**
     * Stops as {@link #stop} does, because the health of this node does not allow it to lead: the end of its leadership is logged and told to
     * observers as {@link RevocationReason#UNHEALTHY}.
     *
     * @param timeout how long to wait for the candidate and for guarded calls; then the lease is released in any case
     * @return whether the candidate finished in time
     */
    public boolean stopUnhealthy(Duration timeout) {
        return stop(ElectedTerm.End.UNHEALTHY, timeout);
    }

    private boolean stop(ElectedTerm.End reason, Duration timeout) {
        Candidacy stopped;
        List<Candidacy> ending;
        synchronized (this) {
            ending = List.copyOf(earlier); // first: if it fails, for want of memory, this can be stopped again
            stopped = candidacy;
            candidacy = null;
        }
        boolean done = stopped == null ? Candidacy.awaitAll(ending, timeout) : stopped.stop(reason, timeout);
        synchronized (this) {
            if (candidacy == null) {
                subject.node().contestNoMore(contest);
            }
        }
        return done;
    }

    /** Stops, and waits up to thirty seconds for the candidate. */
    @Override
    public void close() {
        stop(ElectedTerm.FINISH_LIMIT);
    }

    /** This election as its node sees it. */
    private record ElectionContest(LeaderElection election) implements NodeElection {
        @Override
        public String role() {
            return election.role();
        }

        @Override
        public String resource() {
            return election.resource();
        }

        @Override
        public boolean isLeader() {
            return election.isLeader();
        }

        @Override
        public void resign() {
            election.resign();
        }

        @Override
        public boolean resignTo(String nodeId) {
            return election.resignTo(nodeId);
        }
    }

    /** Collects what an election needs. Not thread-safe. */
    public static final class Builder {

        private final PaxosLease node;
        private final String role;
        private String resource;
        private ElectionOptions options = ElectionOptions.defaults();

        private Builder(PaxosLease node, String role) {
            this.node = Objects.requireNonNull(node, "node");
            this.role = Objects.requireNonNull(role, "role");
            this.resource = DEFAULT_PREFIX + role;
        }

        /** The name of the role's lease, the same on every node. Default: {@code role:} and the role. */
        public Builder resource(String name) {
            this.resource = Objects.requireNonNull(name, "resource");
            return this;
        }

        /** How to contest the role. Default: {@link ElectionOptions#defaults()}. */
        public Builder options(ElectionOptions how) {
            this.options = Objects.requireNonNull(how, "options");
            return this;
        }

        /**
         * Makes the election; {@link LeaderElection#start()} it then.
         *
         * @param candidate told of grants and revocations
         * @throws IllegalArgumentException when the resource's name is empty or too long, or the lease time is above the cell's maximum, or too
         *     short for the access bound of the store
         */
        public LeaderElection build(LeaderCandidate candidate) {
            return new LeaderElection(this, candidate);
        }
    }
}
