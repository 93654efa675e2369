package io.paxoslease.spring.autoconfigure.diagnostics;

import io.paxoslease.NodeStartException;
import io.paxoslease.jdbc.TableException;
import io.paxoslease.spring.proxy.AnnotationUsageException;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;

/** Analyses the failures that say themselves what to change: of a node's start, an annotation's use, or a table. */
final class ActionFailureAnalyzer implements FailureAnalyzer {

    @Override
    public @Nullable FailureAnalysis analyze(Throwable failure) {
        for (Throwable each = failure; each != null; each = each.getCause()) {
            if (each instanceof NodeStartException start) {
                String message = String.valueOf(start.getMessage()); // ends with the action
                String description =
                        message.substring(0, message.length() - start.action().length());
                return new FailureAnalysis(description.strip(), start.action(), start);
            }
            if (each instanceof AnnotationUsageException misuse) {
                return new FailureAnalysis(misuse.description(), misuse.action(), misuse);
            }
            if (each instanceof TableException table) {
                return new FailureAnalysis(table.description() + ".", table.action(), table);
            }
        }
        return null;
    }
}
