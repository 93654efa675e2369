package io.paxoslease.spring.autoconfigure.diagnostics;

import io.paxoslease.jdbc.TableException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Analyses a table that is missing, or has another shape. */
final class TableFailureAnalyzer extends AbstractFailureAnalyzer<TableException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, TableException cause) {
        return new FailureAnalysis(cause.description() + ".", cause.action(), cause);
    }
}
