package io.paxoslease.spring.autoconfigure.diagnostics;

import io.paxoslease.spring.proxy.AnnotationUsageException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Analyses an annotation that cannot be applied, such as {@code @OnLeader} on a private method. */
final class AnnotationUsageFailureAnalyzer extends AbstractFailureAnalyzer<AnnotationUsageException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, AnnotationUsageException cause) {
        return new FailureAnalysis(cause.description(), cause.action(), cause);
    }
}
