package io.paxoslease;

import io.paxoslease.runtime.Threads;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ThreadFactory;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One node's candidacy for one role. While it is started it asks for the role's lease, keeps it renewed, and tells its
 * {@link LeaderCandidate}, on one thread of its own. Thread-safe.
 *
 * <p>A leadership that ends by choice (resign, stop) ends in this order: {@link #isLeader()} turns false, a blocking
 * {@link LeaderCandidate#onGranted} is interrupted, {@link LeaderCandidate#onRevoked} runs, and only then is the lease
 * released; meanwhile it is renewed. When the candidate does not finish within thirty seconds, or the time that {@link #stop} was given, the lease is released all the
 * same, so that a hanging candidate does not keep every other node waiting for ever. After resigning, this node stands
 * back for a second.
 */
public final class LeaderElection implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(LeaderElection.class);
    private static final long COOL_DOWN_MILLIS = 1_000;
    private static final long LONGEST_COOL_DOWN_MILLIS = 30_000;
    private static final int MAX_DOUBLINGS = 5;

    private final PaxosLease node;
    private final String resource;
    private final String role;
    private final LeaderCandidate candidate;
    private final ThreadFactory threads;
    private volatile @Nullable ElectedTerm term;
    private @Nullable Candidacy candidacy;
    /** Threads of earlier candidacies, which may still be with the candidate after a stop that timed out. */
    private final List<Thread> earlier = new ArrayList<>(1);

    /**
     * @param node asks for the lease; start it first
     * @param resource the lease's name, the same on every node, for instance {@code role:billing}
     * @param role what {@link Leadership#role()} answers
     * @param candidate told of grants and revocations
     */
    public LeaderElection(PaxosLease node, String resource, String role, LeaderCandidate candidate) {
        this.node = Objects.requireNonNull(node, "node");
        this.resource = PaxosLease.checkResource(resource);
        this.role = Objects.requireNonNull(role, "role");
        this.candidate = Objects.requireNonNull(candidate, "candidate");
        this.threads = Threads.daemon("paxoslease-leader-" + role);
    }

    /** The role that is stood for. */
    public String role() {
        return role;
    }

    /** Starts to stand for the role; does nothing when started. May be called again after a stop. */
    public synchronized void start() {
        if (candidacy == null) {
            earlier.removeIf(thread -> !thread.isAlive());
            Candidacy started = new Candidacy(List.copyOf(earlier));
            candidacy = started;
            started.thread.start();
            earlier.add(started.thread);
        }
    }

    /** Whether this node stands for the role. */
    public synchronized boolean isRunning() {
        return candidacy != null;
    }

    /** Whether this node leads at this instant. Local: compares the deadline with the clock at each call. */
    public boolean isLeader() {
        ElectedTerm current = term;
        return current != null && current.isLeader();
    }

    /** The leadership of this node at this instant; empty when it does not lead. */
    public Optional<Leadership> leadership() {
        ElectedTerm current = term;
        return current != null && current.isLeader() ? Optional.of(current) : Optional.empty();
    }

    /**
     * The node that leads, as far as this node knows: certain when it is this node, else a hint. Asks the node's thread and
     * waits for its answer.
     *
     * @throws PaxosLeaseException when the node's thread does not answer
     */
    public Optional<String> leaderId() {
        if (isLeader()) {
            return Optional.of(node.options().nodeId());
        }
        return node.status(resource)
                .map(LeaseStatus::owner)
                .filter(owner -> !owner.equals(node.options().nodeId()));
    }

    /** Gives leadership up, if there is one, and stands back for a second. Returns at once. */
    public void resign() {
        ElectedTerm current = term;
        if (current != null) {
            current.resign();
        }
    }

    /**
     * Stands for the role no more: revokes, then releases.
     *
     * @param timeout how long to wait for the candidate; after that the lease is released all the same
     * @return whether the candidate finished in time
     */
    public boolean stop(Duration timeout) {
        Candidacy stopped;
        List<Thread> ending;
        synchronized (this) {
            stopped = candidacy;
            candidacy = null;
            ending = List.copyOf(earlier);
        }
        return stopped == null ? joinAll(ending, timeout) : stopped.stop(timeout);
    }

    /** Whether these threads ended in time, this one apart. */
    private static boolean joinAll(List<Thread> ending, Duration timeout) {
        long deadline = System.nanoTime() + ElectedTerm.millis(timeout) * 1_000_000;
        List<Thread> others = ending.stream()
                .filter(thread -> thread != Thread.currentThread())
                .toList();
        try {
            for (Thread thread : others) {
                thread.join(Math.max(1, (deadline - System.nanoTime() + 999_999) / 1_000_000));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return others.stream().noneMatch(Thread::isAlive);
    }

    /** Stops, and waits up to thirty seconds for the candidate. */
    @Override
    public void close() {
        stop(ElectedTerm.PATIENCE);
    }

    /** The work of one thread between one start and the next stop. */
    private final class Candidacy implements Runnable {

        private final Thread thread = threads.newThread(this);
        private final List<Thread> before;
        private boolean stopping;
        /** Whether this thread waits in a place where stopping may interrupt it. */
        private boolean waiting;

        private int failures;
        /** Until its lease is released, which is later than {@link #term} says. */
        private volatile @Nullable ElectedTerm serving;

        Candidacy(List<Thread> before) {
            this.before = before;
        }

        boolean stop(Duration timeout) {
            synchronized (this) {
                stopping = true;
                if (waiting) {
                    thread.interrupt();
                }
            }
            ElectedTerm current = term;
            if (current != null) {
                current.end(ElectedTerm.End.STOPPED, timeout);
            }
            if (thread == Thread.currentThread()) {
                return true;
            }
            List<Thread> ending = new ArrayList<>(before);
            ending.add(thread);
            boolean done = joinAll(ending, timeout);
            ElectedTerm unfinished = serving;
            if (!done && unfinished != null && !Thread.currentThread().isInterrupted()) {
                unfinished.lease().release();
            }
            return done;
        }

        @Override
        public void run() {
            awaitThoseBefore();
            while (!isStopping()) {
                HeldLease lease = waitForLease();
                if (lease != null) {
                    ElectedTerm mine = new ElectedTerm(role, lease);
                    serve(mine);
                    standBack(mine);
                }
            }
        }

        /** Calls to the candidate are serial, over restarts too. */
        private void awaitThoseBefore() {
            if (mayWait()) {
                try {
                    for (Thread thread : before) {
                        thread.join();
                    }
                } catch (InterruptedException e) {
                    log.debug("Role '{}' is not stood for any more", role);
                } finally {
                    waitNoMore();
                }
            }
        }

        private @Nullable HeldLease waitForLease() {
            if (!mayWait()) {
                return null;
            }
            try {
                return node.await(resource, AcquireOptions.renewing()).orElse(null);
            } catch (InterruptedException e) {
                return null;
            } catch (PaxosLeaseException e) {
                log.debug("Role '{}' cannot be stood for now", role, e);
                pause(COOL_DOWN_MILLIS);
                return null;
            } finally {
                waitNoMore();
            }
        }

        /** State changes come before callbacks, and a voluntary end releases after them. */
        private void serve(ElectedTerm mine) {
            serving = mine;
            term = mine;
            if (isStopping()) {
                mine.end(ElectedTerm.End.STOPPED, ElectedTerm.PATIENCE);
            }
            boolean told = mine.begin();
            if (told) {
                log.info(
                        "Node '{}' leads role '{}' (fencing token {})",
                        node.options().nodeId(),
                        role,
                        mine.fencingToken());
                work(mine);
            }
            term = null;
            if (told) {
                log.info(
                        "Node '{}' leads role '{}' no more ({})", node.options().nodeId(), role, mine.story());
                revoke(mine);
            }
            mine.lease().release();
            serving = null;
        }

        private void work(ElectedTerm mine) {
            try {
                mine.work(candidate);
                failures = 0;
            } catch (InterruptedException e) {
                // Either the end of this term, or somebody else's interrupt, which means the same.
                mine.end(ElectedTerm.End.CANDIDATE_FAILED, ElectedTerm.PATIENCE);
            } catch (Exception | Error e) { // user code, which may throw undeclared
                log.error("The candidate for role '{}' failed: its leadership is given up", role, e);
                failures++;
                mine.end(ElectedTerm.End.CANDIDATE_FAILED, ElectedTerm.PATIENCE);
            }
            awaitEnd(mine);
        }

        private void awaitEnd(ElectedTerm mine) {
            while (mine.reason() == null) {
                try {
                    mine.awaitEnd();
                } catch (InterruptedException e) {
                    mine.end(ElectedTerm.End.CANDIDATE_FAILED, ElectedTerm.PATIENCE);
                }
            }
        }

        private void revoke(ElectedTerm mine) {
            try {
                candidate.onRevoked(mine);
            } catch (Exception | Error e) { // user code, which may throw undeclared
                log.error("The candidate for role '{}' failed while it was revoked", role, e);
            }
            Thread.interrupted();
        }

        private void standBack(ElectedTerm mine) {
            if (mine.reason() == ElectedTerm.End.CANDIDATE_FAILED) {
                pause(Math.min(LONGEST_COOL_DOWN_MILLIS, COOL_DOWN_MILLIS << Math.min(failures, MAX_DOUBLINGS)));
            } else if (mine.reason() == ElectedTerm.End.RESIGNED) {
                pause(COOL_DOWN_MILLIS);
            }
        }

        private void pause(long millis) {
            if (mayWait()) {
                try {
                    Thread.sleep(millis);
                } catch (InterruptedException e) {
                    log.debug("Role '{}' is not stood for any more", role);
                } finally {
                    waitNoMore();
                }
            }
        }

        private synchronized boolean isStopping() {
            return stopping;
        }

        private synchronized boolean mayWait() {
            waiting = !stopping;
            return waiting;
        }

        /** An interrupt that was meant to end the wait must not reach the candidate. */
        private synchronized void waitNoMore() {
            waiting = false;
            Thread.interrupted();
        }
    }
}
