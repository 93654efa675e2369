package io.paxoslease.election;

import io.paxoslease.RevocationReason;
import io.paxoslease.monitor.NodeObserver;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * Takes the candidate through one leadership, on the election's thread: granted, at work, revoked. State changes come before
 * callbacks, and a leadership that ends by choice is released after them.
 */
record CandidateRun(Candidacy.Subject subject, ElectedTerm term, BackOff backOff) {

    private static final Logger log = LoggerFactory.getLogger(LeaderElection.class);

    /** @param stopping whether the election is to stop; checked once the term can be seen, so that a stop sees the term or is seen here */
    void run(BooleanSupplier stopping) {
        subject.term().set(term);
        GuardedCall work = null;
        boolean faultless = false;
        try {
            if (stopping.getAsBoolean()) {
                term.end(ElectedTerm.End.STOPPED, ElectedTerm.FINISH_LIMIT);
            }
            work = begin();
            if (work != null) {
                work(work);
            }
            faultless = true;
        } finally {
            subject.term().set(null);
            finish(work != null, faultless);
        }
    }

    /**
     * The candidate's work, as a call on this thread: from here on the end of the term interrupts this thread, and no interrupt of
     * ours reaches what this thread does after it. Null when the candidate is not to be told, because leadership ended before.
     */
    private @Nullable GuardedCall begin() {
        GuardedCall work = GuardedCall.enter(term, true);
        if (work != null) {
            try {
                term.candidateBegins();
                tellGranted();
            } catch (RuntimeException | Error fault) {
                work.close();
                throw fault;
            }
        }
        return work;
    }

    private void work(GuardedCall work) {
        try (work) {
            subject.observers().around(NodeObserver.Kind.GRANTED, subject.role(), () -> subject.candidate()
                    .onGranted(term));
            backOff.succeeded();
        } catch (InterruptedException e) {
            // Either the end of this term, or an interrupt from elsewhere, which means the same.
            term.end(ElectedTerm.End.CANDIDATE_FAILED, ElectedTerm.FINISH_LIMIT);
        } catch (Exception | Error e) { // user code, which may throw undeclared
            backOff.failed();
            term.end(ElectedTerm.End.CANDIDATE_FAILED, ElectedTerm.FINISH_LIMIT);
            log.error("The candidate for role '{}' failed: giving up its leadership", subject.printableRole(), e);
        }
        if (term.reason() != null) {
            Thread.interrupted(); // it was for the work
        }
        awaitEnd();
    }

    private void awaitEnd() {
        while (term.reason() == null) {
            try {
                term.awaitEnd();
            } catch (InterruptedException e) {
                term.end(ElectedTerm.End.CANDIDATE_FAILED, ElectedTerm.FINISH_LIMIT);
            }
        }
    }

    /** @param granted whether the candidate was called: then it is revoked, also after a fault of this thread */
    private void finish(boolean granted, boolean faultless) {
        try {
            try {
                if (!faultless) {
                    term.end(ElectedTerm.End.CANDIDATE_FAILED, ElectedTerm.FINISH_LIMIT);
                }
                term.interrupt();
            } finally {
                if (granted) {
                    tellAndRevoke();
                }
                term.candidateHasEnded();
            }
            if (term.reason() != ElectedTerm.End.LOST) {
                term.guard().awaitParts();
                term.awaitSuccessor();
            }
        } finally {
            term.release();
        }
    }

    private void tellAndRevoke() {
        try {
            tellRevoked();
        } finally {
            revoke();
        }
    }

    private void revoke() {
        subject.observers()
                .callSurely(
                        NodeObserver.Kind.REVOKED,
                        subject::role,
                        () -> {
                            subject.candidate().onRevoked(term);
                            return true;
                        },
                        failure -> log.error(
                                "The candidate for role '{}' failed in its revocation",
                                subject.printableRole(),
                                failure));
        Thread.interrupted();
    }

    private LoggingEventBuilder news() {
        return log.atInfo()
                .addKeyValue("node", subject.nodeId())
                .addKeyValue("role", subject.printableRole())
                .addKeyValue("fencingToken", term.fencingToken());
    }

    private void tellGranted() {
        news().log(
                        "Node '{}' leads role '{}' (fencing token {})",
                        subject.nodeId(),
                        subject.printableRole(),
                        term.fencingToken());
        subject.observers().tell(observer -> observer.granted(subject.role()));
    }

    private void tellRevoked() {
        RevocationReason reason = term.revocation();
        news().addKeyValue("reason", reason)
                .log(
                        "Node '{}' no longer leads role '{}' ({})",
                        subject.nodeId(),
                        subject.printableRole(),
                        term.describeEnd());
        subject.observers().tell(observer -> observer.revoked(subject.role(), reason));
    }
}
