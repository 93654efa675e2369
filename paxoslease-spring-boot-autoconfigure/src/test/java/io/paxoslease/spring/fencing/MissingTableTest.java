package io.paxoslease.spring.fencing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.paxoslease.spring.autoconfigure.FailureAnalyses;
import io.paxoslease.spring.autoconfigure.PaxosLeaseTestSupport;
import io.paxoslease.spring.runs.RunLog;
import java.sql.Connection;
import java.util.Objects;
import java.util.UUID;
import java.util.function.Function;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.boot.LazyInitializationBeanFactoryPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

/** An application whose tables are missing, or are other ones, does not start, and tells what creates them. */
@ExtendWith(OutputCaptureExtension.class)
class MissingTableTest {

    /** What has a table. */
    enum Owner {
        FENCE("paxoslease_fence", fenced(JdbcFence.class, JdbcFence::new)),
        RUNS("paxoslease_runs", fenced(JdbcRuns.class, JdbcRuns::new)),
        DECLARED_RUN_LOG("paxoslease_runs", fenced(RunLog.class, JdbcRuns::new)),
        LEASES(
                "paxoslease_register",
                runner -> runner.withPropertyValues("paxoslease.standalone=false", "paxoslease.algorithm=storage")),
        MEMBERS(
                "paxoslease_membership",
                runner -> runner.withPropertyValues(
                        "paxoslease.standalone=false",
                        "paxoslease.mode=client",
                        "paxoslease.peers.a=127.0.0.1:1",
                        "paxoslease.membership-store.table=paxoslease_membership"));

        private final String table;

        @SuppressWarnings("ImmutableEnumChecker") // a function without state
        private final Function<ApplicationContextRunner, ApplicationContextRunner> owning;

        Owner(String table, Function<ApplicationContextRunner, ApplicationContextRunner> owning) {
            this.table = table;
            this.owning = owning;
        }

        private static <T> Function<ApplicationContextRunner, ApplicationContextRunner> fenced(
                Class<T> type, Function<DataSource, T> owner) {
            return runner -> runner.withInitializer(context -> ((GenericApplicationContext) context)
                    .registerBean(type, () -> owner.apply(context.getBean(DataSource.class))));
        }
    }

    private final DataSource database =
            new DriverManagerDataSource("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1", "sa", "");
    private final JdbcTemplate jdbc = new JdbcTemplate(database);

    private final ApplicationContextRunner runner = PaxosLeaseTestSupport.runner()
            .withConfiguration(AutoConfigurations.of(PaxosLeaseFencingAutoConfiguration.class))
            .withBean("dataSource", DataSource.class, () -> database);

    private static final String NEVER = "paxoslease.jdbc.initialize-schema=never";

    private FailureAnalysis refusal(ApplicationContextRunner application) {
        FailureAnalysis[] analysis = new FailureAnalysis[1];
        application.run(context -> analysis[0] = FailureAnalyses.of(context.getStartupFailure()));
        return Objects.requireNonNull(analysis[0]);
    }

    @ParameterizedTest
    @EnumSource
    void theStatementOfTheMessageCanBePasted(Owner owner) {
        ApplicationContextRunner application = owner.owning.apply(runner.withPropertyValues(NEVER));
        FailureAnalysis refusal = refusal(application);
        assertThat(refusal.getDescription()).contains("Cannot read the table " + owner.table + " of H2");
        assertThat(refusal.getDescription() + refusal.getAction()).doesNotContain("\\u000a");
        assertThat(refusal.getAction()).contains("'paxoslease.jdbc.initialize-schema=always'");

        jdbc.execute(statementOf(refusal));
        application.run(context -> assertThat(context).hasNotFailed());
    }

    @ParameterizedTest
    @EnumSource
    void aTableIsCreatedInAnEmbeddedDatabase(Owner owner) {
        owner.owning.apply(runner).run(context -> {
            assertThat(context).hasNotFailed();
            assertThat(jdbc.queryForList("select * from " + owner.table)).hasSizeBetween(0, 1);
        });
    }

    @ParameterizedTest
    @EnumSource
    void aTableOfAnotherShapeIsRefused(Owner owner) {
        jdbc.execute("create table " + owner.table + " (mine int)");
        FailureAnalysis refusal = refusal(owner.owning.apply(runner));
        assertThat(refusal.getDescription())
                .contains("The table " + owner.table + " of H2 is another one: it has the columns [mine], and not [");
    }

    /** As a migration does it: while the beans are created, in whatever order. */
    @ParameterizedTest
    @EnumSource
    void aTableThatAMigrationCreatesIsThere(Owner owner) {
        String create = statementFor(owner);
        owner.owning
                .apply(runner.withPropertyValues(NEVER))
                .withBean("zMigration", InitializingBean.class, () -> () -> jdbc.execute(create))
                .run(context -> assertThat(context).hasNotFailed());
    }

    private String statementFor(Owner owner) {
        return statementOf(refusal(owner.owning.apply(runner.withPropertyValues(NEVER))));
    }

    private static String statementOf(FailureAnalysis refusal) {
        String action = Objects.requireNonNull(refusal.getAction());
        return action.substring(action.indexOf("create table"));
    }

    /** Otherwise the application is up, and no run is made. */
    @ParameterizedTest
    @EnumSource
    void lazyInitializationDelaysNoCheck(Owner owner) {
        FailureAnalysis refusal = refusal(owner.owning.apply(runner.withPropertyValues(NEVER)
                .withInitializer(context ->
                        context.addBeanFactoryPostProcessor(new LazyInitializationBeanFactoryPostProcessor()))));
        assertThat(refusal.getDescription()).contains("Cannot read the table " + owner.table + " of H2");
    }

    @Test
    void aLazyBeanIsCheckedWhenItIsCreated() {
        runner.withPropertyValues(NEVER)
                .withBean(JdbcRuns.class, () -> new JdbcRuns(database), definition -> definition.setLazyInit(true))
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThat(catchThrowable(() -> context.getBean(JdbcRuns.class)))
                            .hasStackTraceContaining("Cannot read the table paxoslease_runs of H2");
                });
    }

    @Test
    void lazyBeansAreCreatedAfterMigrations() {
        runner.withBean("fence", JdbcFence.class, () -> new JdbcFence(database))
                .withBean("runs", JdbcRuns.class, () -> new JdbcRuns(database))
                .withBean("log", RunLog.class, () -> new JdbcRuns(database), definition -> definition.setLazyInit(true))
                .run(context -> assertThat(new AfterDatabaseInitialization().detect(context.getBeanFactory()))
                        .containsExactlyInAnyOrder("fence", "runs", "log"));
    }

    /** With any other DataSource it would not either. */
    @Test
    void aDatabaseThatIsDownDoesNotStopTheStart(CapturedOutput output) {
        runner.withBean(JdbcRuns.class, () -> new JdbcRuns(new DriverManagerDataSource("jdbc:nothing:there")))
                .run(context -> assertThat(context).hasNotFailed());
        assertThat(output).contains("It is not known whether the table paxoslease_runs can be used: Cannot reach the");
    }

    @Test
    void theCheckGivesItsConnectionBackAsItCame() throws Exception {
        try (Connection connection = database.getConnection()) {
            connection.setAutoCommit(false);
            DataSource single = new SingleConnectionDataSource(connection, true);
            runner.withBean(JdbcFence.class, () -> new JdbcFence(single)).run(context -> {
                assertThat(context).hasNotFailed();
                assertThat(connection.getAutoCommit()).isFalse();
            });
        }
    }
}
