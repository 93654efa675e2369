package io.paxoslease.clusters;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.testcontainers.DockerClientFactory;

/** The class needs a Docker engine. Where none answers it is skipped, loudly. */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(RequiresDocker.Condition.class)
@interface RequiresDocker {

    /** Asks once. */
    final class Condition implements ExecutionCondition {

        private static final boolean AVAILABLE = DockerClientFactory.instance().isDockerAvailable();

        @Override
        public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
            if (AVAILABLE) {
                return ConditionEvaluationResult.enabled("a Docker engine answers");
            }
            if (context.getTestMethod().isEmpty()) {
                Banner.show(context.getDisplayName() + " SKIPPED: no Docker engine answers here");
            }
            return ConditionEvaluationResult.disabled("SKIPPED: no Docker engine answers here; nothing was tested");
        }
    }
}
