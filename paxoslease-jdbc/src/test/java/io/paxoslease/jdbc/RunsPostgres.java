package io.paxoslease.jdbc;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * One PostgreSQL server for the tests of this process, which ends with it. Without the binary for this machine, or a way to
 * run it, its tests are skipped.
 */
public final class RunsPostgres implements ExecutionCondition {

    private static @Nullable EmbeddedPostgres server;
    private static @Nullable String missing;

    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
        String why = start();
        return why == null
                ? ConditionEvaluationResult.enabled("PostgreSQL runs")
                : ConditionEvaluationResult.disabled("SKIPPED, without PostgreSQL: " + why);
    }

    private static synchronized @Nullable String start() {
        if (server == null && missing == null) {
            String system = System.getProperty("os.name") + " " + System.getProperty("os.arch");
            if (!system.toLowerCase(Locale.ROOT).equals("linux amd64")) {
                missing = "its binary is for Linux on amd64, and this is " + system;
            } else {
                try {
                    server = EmbeddedPostgres.builder()
                            .setServerConfig("fsync", "off")
                            .start();
                } catch (IOException | RuntimeException e) {
                    missing = "it does not start here: " + e;
                }
            }
            if (missing != null) {
                System.err.println("Tests of PostgreSQL are SKIPPED: " + missing);
            }
        }
        return missing;
    }

    /** Of the server's database, with user and password. */
    public static synchronized String url() {
        if (server == null) {
            throw new IllegalStateException("No PostgreSQL: @ExtendWith(RunsPostgres.class) comes first");
        }
        return server.getJdbcUrl("postgres", "postgres");
    }
}
