package io.paxoslease.spring.autoconfigure;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Names the dependency that an algorithm needs. */
final class MissingAlgorithmFailureAnalyzer extends AbstractFailureAnalyzer<MissingAlgorithmException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, MissingAlgorithmException cause) {
        return new FailureAnalysis(
                "The algorithm '%s' (paxoslease.algorithm) is in the artifact io.paxoslease:paxoslease-%s, which is not on the class path."
                        .formatted(cause.algorithm(), cause.algorithm()),
                "Add the dependency io.paxoslease:paxoslease-%s in the version of the starter, or remove paxoslease.algorithm: by default the instances agree by PaxosLease."
                        .formatted(cause.algorithm()),
                cause);
    }
}
