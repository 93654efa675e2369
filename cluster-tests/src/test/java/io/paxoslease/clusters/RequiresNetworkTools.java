package io.paxoslease.clusters;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;

/** The test changes the network inside of containers: on Linux, as root, with a local engine. Elsewhere it is skipped, loudly. */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(RequiresNetworkTools.Condition.class)
@interface RequiresNetworkTools {

    /** Asks for each test. */
    final class Condition implements ExecutionCondition {

        @Override
        public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
            String missing = NetworkFaults.whatIsMissing();
            if (missing.isEmpty()) {
                return ConditionEvaluationResult.enabled("root on Linux, with nsenter, tc and iptables");
            }
            Banner.show(context.getDisplayName() + " SKIPPED: " + missing);
            return ConditionEvaluationResult.disabled("SKIPPED: " + missing);
        }
    }
}
