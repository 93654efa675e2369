package io.paxoslease.spring.autoconfigure;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.AcquireOptions;
import io.paxoslease.AlgorithmOptions;
import io.paxoslease.PaxosLease;
import io.paxoslease.storage.StorageOptions;
import io.paxoslease.store.JdbcRegister;
import io.paxoslease.store.Register;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.locks.Lock;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;
import org.springframework.integration.support.locks.LockRegistry;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;

/** {@code paxoslease.algorithm=storage}, from the properties to two applications that share a lock. */
@Tag("slow")
@SuppressWarnings("LockNotBeforeTry") // that it can be unlocked is what is tested
@ExtendWith(OutputCaptureExtension.class)
class StorageConfigurationTest {

    private static final Duration BOUND = Duration.ofMillis(400);

    private final Path directory;

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(PaxosLeaseTestSupport.autoConfigurations()))
            .withPropertyValues("paxoslease.algorithm=storage", "paxoslease.storage.access-bound=400ms");

    StorageConfigurationTest(@TempDir Path directory) {
        this.directory = directory;
    }

    private static DataSource database() {
        return new DriverManagerDataSource("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1", "sa", "");
    }

    private static StorageOptions storage(ApplicationContext context) {
        return (StorageOptions)
                context.getBean(PaxosLease.class).monitor().options().algorithm();
    }

    private static Lock lock(ApplicationContext context) {
        return context.getBean(LockRegistry.class).obtain("report");
    }

    private void assertRefused(ApplicationContextRunner context, String property, String reason) {
        context.run(failed -> assertThat(failed.getStartupFailure())
                .rootCause()
                .isInstanceOfSatisfying(Exception.class, root -> {
                    Throwable cause = failed.getStartupFailure();
                    while (!(cause instanceof InvalidConfigurationPropertyValueException)) {
                        cause = Objects.requireNonNull(cause).getCause();
                    }
                    InvalidConfigurationPropertyValueException refusal =
                            (InvalidConfigurationPropertyValueException) cause;
                    assertThat(refusal.getName()).isEqualTo(property);
                    assertThat(refusal.getReason()).contains(reason);
                }));
    }

    @Test
    void twoApplicationsWithOneDatabaseShareALock() {
        DataSource database = database();
        ApplicationContextRunner one = runner.withBean(DataSource.class, () -> database);
        one.run(first -> one.run(second -> {
            Lock lock = lock(first);
            lock.lock();
            try {
                assertThat(lock(second).tryLock()).isFalse();
            } finally {
                lock.unlock();
            }
            assertThat(storage(first).writeMode()).isEqualTo(StorageOptions.WriteMode.COMPARE_AND_SET);
            assertThat(storage(first).accessBound()).isEqualTo(BOUND);
            assertThat(new JdbcTemplate(database)
                            .queryForObject("select count(*) from paxoslease_register", Integer.class))
                    .isPositive();
        }));
    }

    private static ApplicationContextRunner named(ApplicationContextRunner runner, String application) {
        return runner.withPropertyValues("spring.application.name=" + application);
    }

    /** Each takes the lock of the same key while the other one has it, or not. */
    private static void assertShared(boolean shared, ApplicationContextRunner one, ApplicationContextRunner other) {
        one.run(first -> other.run(second -> {
            Lock lock = lock(first);
            lock.lock();
            try {
                assertThat(lock(second).tryLock()).isEqualTo(!shared);
            } finally {
                lock.unlock();
            }
        }));
    }

    @Test
    void applicationsOfDifferentNamesShareNoLeasesInOneDatabase() {
        DataSource database = database();
        ApplicationContextRunner any = runner.withBean(DataSource.class, () -> database);

        assertShared(true, named(any, "shop"), named(any, "shop"));
        assertShared(false, named(any, "shop"), named(any, "bank"));
        ApplicationContextRunner common = any.withPropertyValues("paxoslease.cell=common");
        assertShared(true, named(common, "shop"), named(common, "bank"));
    }

    @Test
    void applicationsOfDifferentNamesShareNoLeasesInOneDirectory() {
        ApplicationContextRunner any = runner.withPropertyValues("paxoslease.storage.directories=" + directory);

        assertShared(false, named(any, "shop"), named(any, "bank"));
        assertShared(true, named(any, "shop"), named(any, "shop"));
    }

    @Test
    void anApplicationWithoutANameIsWarnedThatItSharesItsLeases(CapturedOutput output) {
        ApplicationContextRunner any = runner.withPropertyValues("paxoslease.storage.directories=" + directory);
        named(any, "shop").run(context -> assertThat(context).hasNotFailed());
        any.withPropertyValues("paxoslease.cell=common")
                .run(context -> assertThat(context).hasNotFailed());
        assertThat(output).doesNotContain("This application has no name");

        any.run(context -> assertThat(output)
                .containsOnlyOnce("This application has no name: it shares its roles and locks")
                .contains("Set spring.application.name, or paxoslease.cell"));
    }

    @Test
    void twoApplicationsWithOneDirectoryShareALock() {
        ApplicationContextRunner one = runner.withPropertyValues("paxoslease.storage.directories=" + directory);
        one.run(first -> one.run(second -> {
            Lock lock = lock(first);
            lock.lock();
            try {
                assertThat(lock(second).tryLock()).isFalse();
            } finally {
                lock.unlock();
            }
            assertThat(storage(first).writeMode()).isEqualTo(StorageOptions.WriteMode.READ_WRITE);
            assertThat(storage(first).renewal()).isEqualTo(StorageOptions.Renewal.EVENTUAL);
        }));
    }

    @Test
    void tokensAreAboveTheConfiguredNumber() {
        long microsecondsSince1970 = 1_796_000_000_000_000L;
        runner.withBean(DataSource.class, StorageConfigurationTest::database)
                .withPropertyValues("paxoslease.storage.tokens-above=" + microsecondsSince1970)
                .run(context -> {
                    PaxosLease node = context.getBean(PaxosLease.class);
                    assertThat(node.acquire("report", AcquireOptions.renewing())
                                    .get(10, SECONDS)
                                    .fencingToken())
                            .isGreaterThan(microsecondsSince1970);
                });
    }

    @Test
    void ofThreeStoresOneMayBeMissing() {
        runner.withPropertyValues(
                        "paxoslease.storage.access-bound=200ms",
                        "paxoslease.storage.directories[0]=" + directory.resolve("a"),
                        "paxoslease.storage.directories[1]=" + directory.resolve("b"),
                        "paxoslease.storage.data-sources=broken",
                        "paxoslease.storage.initialize=true")
                .withBean("broken", DataSource.class, () -> new DriverManagerDataSource("jdbc:nothing:there"))
                .run(context -> {
                    Lock lock = lock(context);
                    lock.lock();
                    assertThat(lock(context)).isSameAs(lock);
                    lock.unlock();
                });
    }

    @Test
    void aRegisterOfTheApplicationsOwnTakesThePlaceOfTheConfiguredOne() {
        Register own = new JdbcRegister(database()).withInitializedSchema();
        runner.withBean(Register.class, () -> own)
                .run(context -> assertThat(storage(context).register()).isSameAs(own));
    }

    @Test
    void peersAreNotUsedAndANodeNeedsNoName() {
        runner.withPropertyValues("paxoslease.storage.directories=" + directory, "paxoslease.peers.a=127.0.0.1:1")
                .run(context -> {
                    assertThat(context.getBean(PaxosLease.class)
                                    .monitor()
                                    .options()
                                    .peers())
                            .isEmpty();
                    assertThat(context.getBean(PaxosLease.class)
                                    .monitor()
                                    .options()
                                    .nodeId())
                            .startsWith("client-");
                });
    }

    @Test
    void whatIsWrittenIsNoPartOfTheApplicationsTransactions() {
        DataSource database = database();
        runner.withBean(DataSource.class, () -> new TransactionAwareDataSourceProxy(database))
                .run(context -> {
                    Lock lock = lock(context);
                    lock.lock();
                    lock.unlock();
                    assertThat(context).hasNotFailed();
                });
    }

    @Test
    void withoutAStoreTheApplicationIsToldHowToNameOne() {
        assertRefused(runner, "paxoslease.storage.data-sources", "paxoslease.storage.directories");
    }

    @Test
    void ofSeveralDataSourcesOneIsToBeNamed() {
        ApplicationContextRunner two = runner.withBean("one", DataSource.class, StorageConfigurationTest::database)
                .withBean("other", DataSource.class, StorageConfigurationTest::database);
        assertRefused(two, "paxoslease.storage.data-sources", "[one, other]: name the one");
        assertRefused(
                two.withPropertyValues("paxoslease.storage.data-sources=third"),
                "paxoslease.storage.data-sources",
                "there are [one, other]");
        two.withPropertyValues("paxoslease.storage.data-sources=other")
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void anEvenNumberOfStoresIsRefused() {
        assertRefused(
                runner.withPropertyValues("paxoslease.storage.directories=%s,%s/b".formatted(directory, directory)),
                "paxoslease.storage.directories",
                "an odd number of them from 3 on");
    }

    @Test
    void whatIsOutOfBoundsIsNamed() {
        ApplicationContextRunner meeting = runner.withPropertyValues("paxoslease.storage.directories=" + directory);
        assertRefused(
                meeting.withPropertyValues("paxoslease.storage.access-bound=0"),
                "paxoslease.storage.access-bound",
                "must be above zero".substring(1));
        assertRefused(
                meeting.withPropertyValues("paxoslease.storage.write-mode=compare-and-set"),
                "paxoslease.storage.write-mode",
                "choose READ_WRITE");
        assertRefused(
                meeting.withPropertyValues("paxoslease.storage.tokens-above=-1"),
                "paxoslease.storage.tokens-above",
                "from 0 to 4503599627370496");
        assertRefused(
                runner.withBean(DataSource.class, StorageConfigurationTest::database)
                        .withPropertyValues("paxoslease.storage.table=drop table"),
                "paxoslease.storage.table",
                "is no table name");
        assertRefused(
                runner.withPropertyValues("paxoslease.algorithm=flease", "paxoslease.flease.clock-bound=0")
                        .withPropertyValues("paxoslease.node-id=a", "paxoslease.peers.a=127.0.0.1:1"),
                "paxoslease.flease.clock-bound",
                "at least 10 ms");
    }

    @Test
    void aStandaloneNodeNeedsNoStore() {
        runner.withPropertyValues("paxoslease.standalone=true").run(context -> assertThat(
                        context.getBean(PaxosLease.class).monitor().options().algorithm())
                .isEqualTo(AlgorithmOptions.PAXOSLEASE));
    }
}
