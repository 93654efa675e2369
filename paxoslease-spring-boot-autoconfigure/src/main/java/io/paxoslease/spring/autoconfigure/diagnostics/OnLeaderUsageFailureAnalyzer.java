package io.paxoslease.spring.autoconfigure.diagnostics;

import io.paxoslease.spring.leader.OnLeaderUsageException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Analyses an {@code @OnLeader} method that cannot be guarded. */
final class OnLeaderUsageFailureAnalyzer extends AbstractFailureAnalyzer<OnLeaderUsageException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, OnLeaderUsageException cause) {
        return new FailureAnalysis(cause.description(), cause.action(), cause);
    }
}
