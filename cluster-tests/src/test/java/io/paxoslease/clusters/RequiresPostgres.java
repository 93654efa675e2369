package io.paxoslease.clusters;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.Locale;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;

/** The class runs a PostgreSQL server, whose binary is for Linux on amd64. Elsewhere it is skipped, loudly. */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(RequiresPostgres.Condition.class)
@interface RequiresPostgres {

    /** Asks for each class. */
    final class Condition implements ExecutionCondition {

        @Override
        public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
            String system = System.getProperty("os.name") + " " + System.getProperty("os.arch");
            if (system.toLowerCase(Locale.ROOT).equals("linux amd64")) {
                return ConditionEvaluationResult.enabled("the binary of PostgreSQL runs here");
            }
            String missing = "the binary of PostgreSQL is for Linux on amd64, and this is " + system;
            if (context.getTestMethod().isEmpty()) {
                Banner.show(context.getDisplayName() + " SKIPPED: " + missing);
            }
            return ConditionEvaluationResult.disabled("SKIPPED: " + missing);
        }
    }
}
