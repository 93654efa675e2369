package io.paxoslease.election;

import io.paxoslease.AcquireOptions;
import io.paxoslease.PaxosLeaseException;
import io.paxoslease.node.HeldLease;
import io.paxoslease.node.LocalNode;
import io.paxoslease.node.Observers;
import io.paxoslease.node.PendingLease;
import io.paxoslease.node.Threads;
import io.paxoslease.protocol.Printable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The work of an election's thread between one start and the next stop: asks for the lease, calls the candidate. */
final class Candidacy implements Runnable {

    private static final Logger log = LoggerFactory.getLogger(LeaderElection.class);
    private static final long RETRY_MILLIS = 1_000;

    /**
     * What an election is about.
     *
     * @param term the present term, null when there is none; read by all threads
     */
    record Subject(
            LocalNode node,
            String resource,
            String role,
            LeaderCandidate candidate,
            ElectionOptions options,
            AtomicReference<@Nullable ElectedTerm> term) {

        /** As it is written into the log, and names threads. */
        String printableRole() {
            return Printable.name(role);
        }

        String nodeId() {
            return node.options().nodeId();
        }

        Observers observers() {
            return node.observers();
        }
    }

    private final Subject subject;
    private final Thread thread;
    /** Earlier ones, which may still be with the candidate after a stop that timed out. */
    private final List<Candidacy> before;

    private final CompletableFuture<Void> ended = new CompletableFuture<>();

    private boolean stopping;
    /** Whether this thread waits in a place where stopping may interrupt it. */
    private boolean waiting;

    private final BackOff backOff = new BackOff();
    /** Since when this node has waited for its present or next term, by its wall clock; zero: it does not yet. */
    private long contestedSinceMicros;

    /** Until its lease is released, which is later than the subject's term says. */
    private volatile @Nullable ElectedTerm serving;

    Candidacy(Subject subject, List<Candidacy> before) {
        this.subject = subject;
        this.before = before;
        this.thread =
                Threads.daemon("paxoslease-leader-" + subject.printableRole()).newThread(this);
    }

    /** Worked out each time: a client may learn only meanwhile what the members say. */
    private AcquireOptions how() {
        Duration leaseTime = subject.options().leaseTime();
        return AcquireOptions.builder()
                .leaseTime(
                        leaseTime == null ? null : subject.node().leaseTimes().holdersTime(leaseTime))
                .maxWait(subject.options().reportEvery())
                .note(subject.options().note())
                .build();
    }

    void start() {
        thread.start();
    }

    boolean hasEnded() {
        return ended.isDone();
    }

    /** Whether the candidate finished in time. */
    boolean stop(ElectedTerm.End reason, Duration timeout) {
        synchronized (this) {
            stopping = true;
            if (waiting) {
                thread.interrupt();
            }
        }
        ElectedTerm unfinished = serving;
        if (unfinished != null) {
            unfinished.guard().removeCallsOf(Thread.currentThread());
            unfinished.end(reason, timeout);
        }
        if (thread == Thread.currentThread()) {
            return true;
        }
        List<Candidacy> ending = new ArrayList<>(before);
        ending.add(this);
        boolean done = awaitAll(ending, timeout);
        ElectedTerm still = serving;
        if (!done && still != null && !Thread.currentThread().isInterrupted()) {
            still.release();
        }
        return done && (unfinished == null || !unfinished.wasCutShort());
    }

    /** Whether these ended in time by the node's clock, the one of this thread apart; keeps the interrupt flag. */
    static boolean awaitAll(List<Candidacy> ending, Duration timeout) {
        List<Candidacy> others = ending.stream()
                .filter(each -> each.thread != Thread.currentThread())
                .toList();
        if (others.isEmpty()) {
            return true;
        }
        CompletableFuture<Void> all =
                CompletableFuture.allOf(others.stream().map(each -> each.ended).toArray(CompletableFuture[]::new));
        try {
            return others.get(0)
                    .subject
                    .node()
                    .clock()
                    .await(ElectedTerm.nanos(timeout), nanos -> Threads.isDone(all, nanos));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return all.isDone();
        }
    }

    @Override
    public void run() {
        try {
            awaitEarlierCandidacies();
            while (!isStopping()) {
                try {
                    contest();
                } catch (RuntimeException | Error fault) { // by then no lease is held any more
                    retryAfter(fault);
                }
            }
        } finally {
            ended.complete(null);
        }
    }

    private void contest() {
        contestedSinceMicros =
                contestedSinceMicros == 0 ? subject.node().clock().read().wallMicros() : contestedSinceMicros;
        HeldLease lease = awaitLease();
        if (lease != null) {
            ElectedTerm ended = serve(lease);
            contestedSinceMicros = 0;
            if (ended.reason() == ElectedTerm.End.CANDIDATE_FAILED) {
                pause(Math.max(coolDownMillis(), backOff.millis()));
            } else if (ended.reason() == ElectedTerm.End.RESIGNED) {
                pause(coolDownMillis());
            }
        }
    }

    private long coolDownMillis() {
        return subject.options().coolDown().toMillis();
    }

    private ElectedTerm serve(HeldLease lease) {
        try {
            ElectedTerm term = new ElectedTerm(subject.role(), lease);
            long now = subject.node().clock().read().wallMicros();
            term.succeededBy(new Succession(subject.options().preference(), contestedSinceMicros, now));
            serving = term;
            new CandidateRun(subject, term, backOff).run(this::isStopping);
            return term;
        } finally {
            lease.release(); // does nothing, unless the term could not begin
            serving = null;
        }
    }

    /** An election without its thread would neither lead nor say so. */
    private void retryAfter(Throwable fault) {
        backOff.failed();
        try {
            log.error(
                    "The thread of the election for role '{}' found a fault: it holds no lease, and asks for one again after {} ms. See the cause",
                    subject.printableRole(),
                    backOff.millis(),
                    fault);
            pause(backOff.millis());
        } catch (RuntimeException | Error again) {
            if (mayWait()) { // without the node's timer: there may be no memory for one
                Threads.park(TimeUnit.MILLISECONDS.toNanos(BackOff.FIRST_MILLIS));
                waitNoMore();
            }
        }
    }

    /** Calls to the candidate are serial, over restarts too. */
    private void awaitEarlierCandidacies() {
        if (mayWait()) {
            try {
                for (Candidacy earlier : before) {
                    earlier.ended.get();
                }
            } catch (InterruptedException | ExecutionException e) {
                logStop();
            } finally {
                waitNoMore();
            }
        }
    }

    private @Nullable HeldLease awaitLease() {
        HeldLease lease = null;
        boolean passedOver = false;
        if (!mayWait()) {
            return null;
        }
        try {
            PendingLease asked = subject.node().request(subject.resource(), how());
            lease = asked == null ? null : asked.await();
            passedOver = lease == null;
        } catch (InterruptedException e) {
            logStop();
        } catch (PaxosLeaseException e) {
            log.debug("Role '{}' cannot be contested now", subject.printableRole(), e);
            pause(RETRY_MILLIS);
        } finally {
            waitNoMore();
        }
        if (passedOver && !isStopping()) {
            report();
        }
        return lease;
    }

    private void report() {
        try {
            subject.candidate().onNotGranted();
        } catch (RuntimeException | Error e) { // user code
            log.warn("The candidate for role '{}' failed in onNotGranted", subject.printableRole(), e);
        }
        Thread.interrupted();
    }

    private void pause(long millis) {
        if (mayWait()) {
            try {
                subject.node().pause(Duration.ofMillis(millis));
            } catch (InterruptedException e) {
                logStop();
            } finally {
                waitNoMore();
            }
        }
    }

    private void logStop() {
        log.debug("Role '{}' is no longer contested", subject.printableRole());
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
