package io.paxoslease.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.Membership;
import io.paxoslease.MembershipStore;
import io.paxoslease.PaxosLease;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import tools.jackson.databind.json.JsonMapper;

/** The properties of the store that keeps the members of a cell. */
class MembershipStorePropertiesTest {

    private static final String STORE = "paxoslease.membership-store.";

    @TempDir
    private Path directory = Path.of("unset");

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(PaxosLeaseAutoConfiguration.class))
            .withPropertyValues(new TestCell(2).propertiesOf("n1"))
            .withPropertyValues("paxoslease.cell=shop");

    private static @Nullable MembershipStore store(ApplicationContext context) {
        return context.getBean(PaxosLease.class).monitor().options().membershipStore();
    }

    private static DataSource database() {
        JdbcDataSource database = new JdbcDataSource();
        database.setURL("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
        return database;
    }

    @Test
    void thereIsNoneByDefault() {
        runner.run(context -> assertThat(store(context)).isNull());
    }

    @Test
    void aFileKeepsWhatTheFirstNodeIsConfiguredWith() {
        Path file = directory.resolve("members");
        runner.withPropertyValues(STORE + "file=" + file).run(context -> {
            assertThat(context).hasNotFailed();
            assertThat(store(context)).isNotNull().returns("file " + file, MembershipStore::describe);
            assertThat(Files.readString(file)).contains("cell=shop\ngeneration=1\npeers.n1=127.0.0.1:");
        });
    }

    @Test
    void aTableIsInTheOnlyDatabase() {
        runner.withBean(DataSource.class, MembershipStorePropertiesTest::database)
                .withPropertyValues(STORE + "table=cells")
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThat(store(context))
                            .isNotNull()
                            .returns("row 'shop' of the table cells of H2", MembershipStore::describe);
                });
    }

    @Test
    void aTableIsInTheDatabaseThatIsNamed() {
        ApplicationContextRunner two = runner.withBean(
                        "first", DataSource.class, MembershipStorePropertiesTest::database)
                .withBean("second", DataSource.class, MembershipStorePropertiesTest::database)
                .withPropertyValues(STORE + "table=cells");
        two.withPropertyValues(STORE + "data-source=second")
                .run(context -> assertThat(context).hasNotFailed());
        assertRefused(two, STORE + "data-source", "There are several DataSources, [first, second]: name the one");
        assertRefused(two, STORE + "data-source", "Must be names of DataSource beans", STORE + "data-source=third");
    }

    @Test
    void aConfigMapIsInTheClusterOfThePod() {
        assertRefused(
                runner,
                "config map 'shop-members' of namespace 'shops'",
                "This process runs in no pod",
                STORE + "config-map=shop-members",
                STORE + "namespace=shops");
    }

    @Test
    void aBeanIsAStoreToo() {
        runner.withBean(MembershipStore.class, Fixed::new).run(context -> {
            assertThat(context).hasNotFailed();
            assertThat(store(context)).isInstanceOf(Fixed.class);
        });
        assertRefused(
                runner.withBean("mine", MembershipStore.class, Fixed::new),
                STORE + "file",
                "Stands beside the MembershipStore bean 'mine'",
                STORE + "file=" + directory.resolve("members"));
        runner.withBean("a", MembershipStore.class, Fixed::new)
                .withBean("b", MembershipStore.class, Fixed::new)
                .run(context -> assertThat(context.getStartupFailure())
                        .hasStackTraceContaining("There are several MembershipStore beans, [a, b]"));
    }

    @Test
    void aStandaloneNodeHasNoMembersToKeep() {
        runner.withPropertyValues(
                        "paxoslease.standalone=true", STORE + "file=" + directory.resolve("unmounted/members"))
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThat(store(context)).isNull();
                });
    }

    @Test
    void whatDoesNotGoTogetherIsReportedByProperty() {
        assertRefused(
                runner,
                STORE + "config-map",
                "Stands beside 'paxoslease.membership-store.file'",
                STORE + "file=" + directory.resolve("members"),
                STORE + "config-map=shop-members");
        assertRefused(
                runner,
                STORE + "namespace",
                "Belongs to 'paxoslease.membership-store.config-map'",
                STORE + "namespace=a");
        assertRefused(
                runner,
                STORE + "data-source",
                "Belongs to 'paxoslease.membership-store.table'",
                STORE + "data-source=a");
        assertRefused(
                runner,
                "paxoslease.membership-store",
                "Is for cells that run PaxosLease",
                "paxoslease.algorithm=flease",
                STORE + "file=" + directory.resolve("members"));
    }

    @Test
    void aValueThatCannotBeOneIsReportedByProperty() {
        assertRefused(runner, STORE + "file", "is no file", STORE + "file=/");
        assertRefused(runner, STORE + "data-source", "there is no DataSource", STORE + "table=cells");
        assertRefused(
                runner.withBean(DataSource.class, MembershipStorePropertiesTest::database),
                STORE + "table",
                "is no table name",
                STORE + "table=a;b");
        assertRefused(runner, STORE + "config-map", "is no name of a config map", STORE + "config-map=Shop");
    }

    @Test
    void aStoreThatCannotBeReadStopsTheStart() {
        assertRefused(
                runner,
                "Cannot read the file",
                "mount the file system that all nodes share",
                STORE + "file=" + directory.resolve("unmounted/members"));
    }

    @Test
    void aConfigMapNeedsJackson() {
        assertRefused(
                runner.withClassLoader(new FilteredClassLoader(JsonMapper.class)),
                STORE + "config-map",
                "add the dependency tools.jackson.core:jackson-databind",
                STORE + "config-map=shop-members");
    }

    private static void assertRefused(
            ApplicationContextRunner runner, String property, String reason, String... settings) {
        runner.withPropertyValues(settings).run(context -> assertThat(context.getStartupFailure())
                .hasStackTraceContaining(property)
                .hasStackTraceContaining(reason));
    }

    /** Keeps the last membership, as an application's own store does. */
    private static final class Fixed implements MembershipStore {

        private @Nullable Membership stored;

        @Override
        public synchronized @Nullable Membership read() {
            return stored;
        }

        @Override
        public synchronized boolean replace(@Nullable Membership expected, Membership next) {
            stored = next;
            return true;
        }

        @Override
        public String describe() {
            return "a field";
        }
    }
}
