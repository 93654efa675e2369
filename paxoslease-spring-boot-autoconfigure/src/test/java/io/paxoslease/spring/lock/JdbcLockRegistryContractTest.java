package io.paxoslease.spring.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.ConcurrentModificationException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.integration.jdbc.lock.DefaultLockRepository;
import org.springframework.integration.jdbc.lock.JdbcLockRegistry;
import org.springframework.integration.support.locks.LockRegistry;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabase;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseBuilder;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseType;

/** The contract over Spring Integration's registry in a database: shows that the contract asks for nothing odd. */
@Tag("slow")
@SuppressWarnings("LockNotBeforeTry") // when and how a lock is unlocked is what is tested
class JdbcLockRegistryContractTest extends LeasedLockContract {

    private static EmbeddedDatabase database;
    private static Switch dataSource;

    private final List<DefaultLockRepository> repositories = new ArrayList<>();

    @BeforeAll
    static void start() {
        database = new EmbeddedDatabaseBuilder()
                .setType(EmbeddedDatabaseType.H2)
                .generateUniqueName(true)
                .addScript("classpath:org/springframework/integration/jdbc/schema-h2.sql")
                .build();
        dataSource = new Switch(database);
    }

    @AfterAll
    static void stop() {
        database.shutdown();
    }

    @AfterEach
    void closeRepositories() {
        repositories.forEach(DefaultLockRepository::close);
    }

    /** Each has a repository of its own, as if it were in another process. */
    @Override
    LockRegistry<?> registry(int node) {
        return registryOf(Duration.ofSeconds(60));
    }

    private JdbcLockRegistry registryOf(Duration ttl) {
        DefaultLockRepository repository = new DefaultLockRepository(dataSource);
        repository.setTransactionManager(new DataSourceTransactionManager(dataSource));
        repository.afterPropertiesSet();
        repository.afterSingletonsInstantiated();
        repository.start();
        repositories.add(repository);
        JdbcLockRegistry registry = new JdbcLockRegistry(repository, ttl);
        registry.setIdleBetweenTries(Duration.ofMillis(10));
        return registry;
    }

    @Override
    Set<Difference> differences() {
        return Difference.ofJdbcRegistry();
    }

    @Override
    AutoCloseable outage() {
        dataSource.off = true;
        return () -> dataSource.off = false;
    }

    /** {@link Difference#SHORT_FOREVER} */
    @Test
    void theLongestWaitDoesNotWait() throws Exception {
        Lock held = lock(0);
        Lock elsewhere = lock(1);
        held.lock();
        assertThat(actor().asks(() -> elsewhere.tryLock(Long.MAX_VALUE, TimeUnit.MILLISECONDS)))
                .isFalse();
        held.unlock();
    }

    /** {@link Difference#FORGETS_WHAT_IS_ONLY_OBTAINED} */
    @Test
    void aLockThatIsOnlyObtainedIsForgotten() {
        LockRegistry<?> registry = registry(0);
        Lock obtained = registry.obtain(key);
        await().untilAsserted(() -> {
            forgetUnused(registry);
            assertThat(registry.obtain(key)).isNotSameAs(obtained);
        });
    }

    /** {@link Difference#NO_AUTOMATIC_RENEWAL} */
    @Test
    void aLockWithoutRenewalEndsWithItsTimeToLive() throws Exception {
        JdbcLockRegistry registry = registryOf(Duration.ofMillis(300));
        Lock held = registry.obtain(key);
        held.lock();
        Lock elsewhere = lock(1);
        assertThat(actor().asks(() -> takesAndLeaves(elsewhere))).isTrue();
        assertThatExceptionOfType(ConcurrentModificationException.class).isThrownBy(held::unlock);
    }

    /** Gives no connection while it is off. */
    private static final class Switch extends DelegatingDataSource {

        private volatile boolean off;

        private Switch(EmbeddedDatabase database) {
            super(database);
        }

        @Override
        public Connection getConnection() throws SQLException {
            if (off) {
                throw new SQLNonTransientConnectionException("off");
            }
            return super.getConnection();
        }
    }
}
