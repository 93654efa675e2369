package io.paxoslease.spring.autoconfigure.diagnostics;

import io.paxoslease.NodeStartException;
import java.util.Objects;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Analyses the failed start of a node, for instance because its port is in use or its own host does not resolve. */
final class NodeStartFailureAnalyzer extends AbstractFailureAnalyzer<NodeStartException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, NodeStartException cause) {
        String message = Objects.requireNonNullElse(cause.getMessage(), "The node could not start.");
        String action = cause.action();
        // The message ends with the action, for readers who only see the message.
        String description = message.endsWith(action) && message.length() > action.length()
                ? message.substring(0, message.length() - action.length()).strip()
                : message;
        return new FailureAnalysis(description, action, cause);
    }
}
