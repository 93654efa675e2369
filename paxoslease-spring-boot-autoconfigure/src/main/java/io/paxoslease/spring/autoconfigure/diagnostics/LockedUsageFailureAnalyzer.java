package io.paxoslease.spring.autoconfigure.diagnostics;

import io.paxoslease.spring.lock.LockedUsageException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Analyses a {@code @Locked} method that cannot be locked. */
final class LockedUsageFailureAnalyzer extends AbstractFailureAnalyzer<LockedUsageException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, LockedUsageException cause) {
        return new FailureAnalysis(cause.description(), cause.action(), cause);
    }
}
