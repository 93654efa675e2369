package io.paxoslease.election;

import io.paxoslease.AcquireOptions;
import io.paxoslease.NodeObserver;
import io.paxoslease.PaxosLeaseException;
import io.paxoslease.RevocationReason;
import io.paxoslease.node.HeldLease;
import io.paxoslease.node.LocalNode;
import io.paxoslease.node.Observers;
import io.paxoslease.node.Threads;
import io.paxoslease.protocol.Printable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The work of an election's thread between one start and the next stop: asks for the lease, calls the candidate. */
final class Candidacy implements Runnable {

    private static final Logger log = LoggerFactory.getLogger(LeaderElection.class);
    private static final long FIRST_BACK_OFF_MILLIS = 1_000;
    private static final long LONGEST_BACK_OFF_MILLIS = 30_000;
    private static final long RETRY_MILLIS = 1_000;
    private static final int MAX_DOUBLINGS = 5;

    /**
     * What an election is about.
     *
     * @param term the present term, for everybody to ask
     */
    record Subject(
            LocalNode node,
            String resource,
            String role,
            LeaderCandidate candidate,
            ElectionOptions options,
            AtomicReference<@Nullable ElectedTerm> term) {}

    private final Subject subject;
    private final AcquireOptions how;
    private final Thread thread;
    /** Threads of earlier candidacies, which may still be with the candidate after a stop that timed out. */
    private final List<Thread> before;

    private boolean stopping;
    /** Whether this thread waits in a place where stopping may interrupt it. */
    private boolean waiting;

    private int failures;
    /** Until its lease is released, which is later than the subject's term says. */
    private volatile @Nullable ElectedTerm serving;

    Candidacy(Subject subject, List<Thread> before) {
        this.subject = subject;
        this.before = before;
        this.how = how(subject);
        this.thread = Threads.daemon("paxoslease-leader-" + role(subject)).newThread(this);
    }

    private static AcquireOptions how(Subject subject) {
        Duration leaseTime = subject.options().leaseTime();
        Duration report = subject.options().reportEvery();
        AcquireOptions how =
                new AcquireOptions(leaseTime == null ? null : subject.node().holdersTime(leaseTime), true, null);
        return report == null ? how : how.waitingAtMost(report);
    }

    /** As it is written into the log, and names threads. */
    private static String role(Subject subject) {
        return Printable.name(subject.role());
    }

    Thread start() {
        thread.start();
        return thread;
    }

    /** Whether the candidate finished in time. */
    boolean stop(Duration timeout) {
        synchronized (this) {
            stopping = true;
            if (waiting) {
                thread.interrupt();
            }
        }
        ElectedTerm unfinished = serving;
        if (unfinished != null) {
            unfinished.removeCallsOf(Thread.currentThread());
            unfinished.end(ElectedTerm.End.STOPPED, timeout);
        }
        if (thread == Thread.currentThread()) {
            return true;
        }
        List<Thread> ending = new ArrayList<>(before);
        ending.add(thread);
        boolean done = joinAll(ending, timeout);
        unfinished = serving;
        if (!done && unfinished != null && !Thread.currentThread().isInterrupted()) {
            unfinished.release();
        }
        return done;
    }

    /** Whether these threads ended in time, this one apart. */
    static boolean joinAll(List<Thread> ending, Duration timeout) {
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

    @Override
    public void run() {
        awaitThoseBefore();
        while (!isStopping()) {
            try {
                stand();
            } catch (RuntimeException | Error fault) { // by then no lease is held any more
                goOnAfter(fault);
            }
        }
    }

    private void stand() {
        HeldLease lease = waitForLease();
        if (lease != null) {
            standBack(serve(lease));
        }
    }

    private ElectedTerm serve(HeldLease lease) {
        boolean served = false;
        try {
            ElectedTerm mine = new ElectedTerm(subject.role(), lease);
            serve(mine);
            served = true;
            return mine;
        } finally {
            if (!served) {
                lease.release();
            }
        }
    }

    /** An election without its thread would neither lead nor say so. */
    private void goOnAfter(Throwable fault) {
        failures++;
        try {
            log.error(
                    "The thread of the election for role '{}' found a fault: it holds no lease, and asks for one again after {} ms. See the cause",
                    subject.role(),
                    backOffMillis(),
                    fault);
            pause(backOffMillis());
        } catch (RuntimeException | Error again) {
            if (mayWait()) { // without the node's timer: there may be no memory for one
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(FIRST_BACK_OFF_MILLIS));
                waitNoMore();
            }
        }
    }

    private long backOffMillis() {
        return Math.min(LONGEST_BACK_OFF_MILLIS, FIRST_BACK_OFF_MILLIS << Math.min(failures, MAX_DOUBLINGS));
    }

    /** Calls to the candidate are serial, over restarts too. */
    private void awaitThoseBefore() {
        if (mayWait()) {
            try {
                for (Thread earlier : before) {
                    earlier.join();
                }
            } catch (InterruptedException e) {
                log.debug("Role '{}' is not stood for any more", role(subject));
            } finally {
                waitNoMore();
            }
        }
    }

    private @Nullable HeldLease waitForLease() {
        HeldLease lease = null;
        boolean passedOver = false;
        if (!mayWait()) {
            return null;
        }
        try {
            lease = subject.node().await(subject.resource(), how).orElse(null);
            passedOver = lease == null;
        } catch (InterruptedException e) {
            log.debug("Role '{}' is not stood for any more", role(subject));
        } catch (PaxosLeaseException e) {
            log.debug("Role '{}' cannot be stood for now", role(subject), e);
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
            log.warn("The candidate for role '{}' failed while it was told that it does not lead", role(subject), e);
        }
        Thread.interrupted();
    }

    /** State changes come before callbacks, and a voluntary end releases after them. */
    private void serve(ElectedTerm mine) {
        serving = mine;
        subject.term().set(mine);
        GuardedCall work = null;
        boolean faultless = false;
        try {
            if (isStopping()) {
                mine.end(ElectedTerm.End.STOPPED, ElectedTerm.PATIENCE);
            }
            work = begin(mine);
            if (work != null) {
                work(mine, work);
            }
            faultless = true;
        } finally {
            subject.term().set(null);
            finish(mine, work != null, faultless);
        }
    }

    /** Null when the candidate is not to be told, since leadership ended before. */
    private @Nullable GuardedCall begin(ElectedTerm mine) {
        GuardedCall work = mine.begin();
        boolean said = false;
        try {
            if (work != null) {
                sayGranted(mine);
            }
            said = true;
        } finally {
            if (work != null && !said) {
                work.close();
            }
        }
        return work;
    }

    /** @param granted whether the candidate has been called, so that it is to be revoked, also after a fault of this thread */
    private void finish(ElectedTerm mine, boolean granted, boolean faultless) {
        try {
            if (!faultless) {
                mine.end(ElectedTerm.End.CANDIDATE_FAILED, ElectedTerm.PATIENCE);
            }
            mine.interrupt();
            if (granted) {
                try {
                    sayRevoked(mine);
                } finally {
                    revoke(mine);
                }
            }
            if (mine.reason() != ElectedTerm.End.LOST) {
                mine.awaitCalls();
            }
        } finally {
            mine.release();
            serving = null;
        }
    }

    private void sayGranted(ElectedTerm mine) {
        log.atInfo()
                .addKeyValue("node", nodeId())
                .addKeyValue("role", role(subject))
                .addKeyValue("fencingToken", mine.fencingToken())
                .log("Node '{}' leads role '{}' (fencing token {})", nodeId(), role(subject), mine.fencingToken());
        observers().tell(observer -> observer.granted(subject.role()));
    }

    private void sayRevoked(ElectedTerm mine) {
        RevocationReason reason = mine.revocation();
        log.atInfo()
                .addKeyValue("node", nodeId())
                .addKeyValue("role", role(subject))
                .addKeyValue("fencingToken", mine.fencingToken())
                .addKeyValue("reason", reason)
                .log("Node '{}' leads role '{}' no more ({})", nodeId(), role(subject), mine.story());
        observers().tell(observer -> observer.revoked(subject.role(), reason));
    }

    private Observers observers() {
        return subject.node().observers();
    }

    private String nodeId() {
        return subject.node().options().nodeId();
    }

    private void work(ElectedTerm mine, GuardedCall work) {
        try (work) {
            observers().around(NodeObserver.Kind.GRANTED, subject.role(), () -> subject.candidate()
                    .onGranted(mine));
            failures = 0;
        } catch (InterruptedException e) {
            // Either the end of this term, or somebody else's interrupt, which means the same.
            mine.end(ElectedTerm.End.CANDIDATE_FAILED, ElectedTerm.PATIENCE);
        } catch (Exception | Error e) { // user code, which may throw undeclared
            failures++;
            mine.end(ElectedTerm.End.CANDIDATE_FAILED, ElectedTerm.PATIENCE);
            log.error("The candidate for role '{}' failed: its leadership is given up", role(subject), e);
        }
        if (mine.reason() != null) {
            Thread.interrupted(); // whoever sent it, it was for the work
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
            observers().around(NodeObserver.Kind.REVOKED, subject.role(), () -> subject.candidate()
                    .onRevoked(mine));
        } catch (Exception | Error e) { // user code, which may throw undeclared
            log.error("The candidate for role '{}' failed while it was revoked", role(subject), e);
        }
        Thread.interrupted();
    }

    private void standBack(ElectedTerm mine) {
        long coolDown = subject.options().coolDown().toMillis();
        if (mine.reason() == ElectedTerm.End.CANDIDATE_FAILED) {
            pause(Math.max(coolDown, backOffMillis()));
        } else if (mine.reason() == ElectedTerm.End.RESIGNED) {
            pause(coolDown);
        }
    }

    private void pause(long millis) {
        if (mayWait()) {
            try {
                subject.node().pause(Duration.ofMillis(millis));
            } catch (InterruptedException e) {
                log.debug("Role '{}' is not stood for any more", role(subject));
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
