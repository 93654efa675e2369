package io.paxoslease.rivals.contenders;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.paxoslease.rivals.Backend;
import io.paxoslease.rivals.Client;
import io.paxoslease.rivals.Contender;
import io.paxoslease.rivals.Mutex;
import io.paxoslease.rivals.Site;
import io.paxoslease.rivals.Tuning;
import io.paxoslease.rivals.backends.Postgres;
import java.time.Duration;
import org.postgresql.Driver;
import org.springframework.integration.jdbc.lock.DefaultLockRepository;
import org.springframework.integration.jdbc.lock.JdbcLockRegistry;
import org.springframework.jdbc.support.JdbcTransactionManager;

/** Spring Integration's lock registry over PostgreSQL. */
final class SpringJdbc implements Contender {

    private static final Duration TTL = JdbcLockRegistry.DEFAULT_TTL;
    private static final Duration SHORT = Duration.ofSeconds(1);
    private static final int CONNECTIONS = 20;

    @Override
    public String name() {
        return "jdbc";
    }

    @Override
    public String title() {
        return "PostgreSQL, Spring Integration";
    }

    @Override
    public String settings() {
        return "%s, %s, %d connections; %s, fsync=off, synchronous_commit=off; ttl %d s, tuned %d s; renewed by its user"
                .formatted(
                        Contender.jar(JdbcLockRegistry.class),
                        Contender.jar(Driver.class),
                        CONNECTIONS,
                        backend().version(),
                        TTL.toSeconds(),
                        SHORT.toSeconds());
    }

    @Override
    public Backend backend() {
        return new Postgres();
    }

    @Override
    public Duration leaseTime(Tuning tuning) {
        return tuning == Tuning.TUNED ? SHORT : TTL;
    }

    @Override
    public Client client(Site site, int index) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(Postgres.url(site));
        config.setMaximumPoolSize(CONNECTIONS);
        return new Registry(new HikariDataSource(config), site);
    }

    private static final class Registry implements Client {

        private final HikariDataSource connections;
        private final JdbcLockRegistry registry;
        private final SpringElection election;
        private final Duration renewal;

        Registry(HikariDataSource connections, Site site) {
            Duration ttl = site.isTuned() ? SHORT : TTL;
            this.connections = connections;
            this.renewal = site.heldLong() ? ttl.dividedBy(3) : Duration.ZERO;
            DefaultLockRepository repository = new DefaultLockRepository(connections);
            repository.setTransactionManager(new JdbcTransactionManager(connections));
            repository.afterPropertiesSet();
            repository.afterSingletonsInstantiated();
            repository.start();
            registry = new JdbcLockRegistry(repository, ttl);
            if (site.heldLong()) {
                registry.setCacheCapacity(1_000_000);
            }
            election = new SpringElection(registry);
        }

        @Override
        public Mutex mutex(String key) {
            return new JavaLock(registry.obtain(key));
        }

        @Override
        public Duration renewByHand() {
            return renewal;
        }

        @Override
        public void renew(String key) {
            registry.renewLock(key);
        }

        /** Keys share local locks: threads that hold many of them wait for each other for ever. */
        @Override
        public int holders() {
            return 1;
        }

        @Override
        public void stand(String role, Runnable granted) {
            election.stand(role, granted);
        }

        @Override
        public void resign(String role) {
            election.resign();
        }

        @Override
        public void close() {
            connections.close();
        }
    }
}
