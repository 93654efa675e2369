package io.paxoslease.spring.lock;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.springframework.integration.jdbc.lock.DefaultLockRepository;
import org.springframework.integration.jdbc.lock.JdbcLockRegistry;
import org.springframework.integration.support.locks.LockRegistry;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabase;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseBuilder;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseType;

/** The contract over Spring Integration's registry in a database: shows that the contract asks for nothing odd. */
class JdbcLockRegistryContractTests extends LeasedLockContract {

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
        DefaultLockRepository repository = new DefaultLockRepository(dataSource);
        repository.setTransactionManager(new DataSourceTransactionManager(dataSource));
        repository.afterPropertiesSet();
        repository.afterSingletonsInstantiated();
        repository.start();
        repositories.add(repository);
        JdbcLockRegistry registry = new JdbcLockRegistry(repository, Duration.ofSeconds(60));
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
