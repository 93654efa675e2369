package io.paxoslease.clusters;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.testcontainers.DockerClientFactory;

/** The class needs a Docker engine, and the image. Where either cannot be had it is skipped, loudly. */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Tag("cluster")
@ExtendWith(RequiresDocker.Condition.class)
@interface RequiresDocker {

    /** Asks once. */
    final class Condition implements ExecutionCondition {

        private static final String MISSING = whatIsMissing();

        @Override
        public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
            if (MISSING.isEmpty()) {
                return ConditionEvaluationResult.enabled("a Docker engine answers and has the image");
            }
            if (context.getTestMethod().isEmpty()) {
                Banner.show(context.getDisplayName() + " SKIPPED: " + MISSING);
            }
            return ConditionEvaluationResult.disabled("SKIPPED: " + MISSING + "; nothing was tested");
        }

        private static String whatIsMissing() {
            if (!DockerClientFactory.instance().isDockerAvailable()) {
                return "no Docker engine answers here";
            }
            return Docker.hasImage(Docker.IMAGE)
                    ? ""
                    : "there is no image " + Docker.IMAGE + ", and it cannot be pulled";
        }
    }
}
