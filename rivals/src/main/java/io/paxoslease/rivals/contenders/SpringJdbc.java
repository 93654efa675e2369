package io.paxoslease.rivals.contenders;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.paxoslease.rivals.Backend;
import io.paxoslease.rivals.Client;
import io.paxoslease.rivals.Contender;
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
        return ("%s, %s, %d connections; %s, fsync=off, synchronous_commit=off; ttl %d s, tuned %d s; renewed by its user;"
                        + " cacheCapacity %d")
                .formatted(
                        Contender.jar(JdbcLockRegistry.class),
                        Contender.jar(Driver.class),
                        CONNECTIONS,
                        backend().version(),
                        TTL.toSeconds(),
                        SHORT.toSeconds(),
                        SpringRegistryClient.CACHE_CAPACITY);
    }

    @Override
    public Backend backend() {
        return new Postgres();
    }

    @Override
    public Duration leaseTime(Tuning tuning) {
        return tuning.time(TTL, SHORT);
    }

    @Override
    public Client client(Site site, int index) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(Postgres.url(site));
        config.setMaximumPoolSize(CONNECTIONS);
        HikariDataSource connections = new HikariDataSource(config);
        return new Registry(connections, registry(connections, site), site);
    }

    private static Duration ttl(Site site) {
        return site.tuning().time(TTL, SHORT);
    }

    private static JdbcLockRegistry registry(HikariDataSource connections, Site site) {
        DefaultLockRepository repository = new DefaultLockRepository(connections);
        repository.setTransactionManager(new JdbcTransactionManager(connections));
        repository.afterPropertiesSet();
        repository.afterSingletonsInstantiated();
        repository.start();
        JdbcLockRegistry registry = new JdbcLockRegistry(repository, ttl(site));
        registry.setCacheCapacity(SpringRegistryClient.CACHE_CAPACITY);
        return registry;
    }

    private static final class Registry extends SpringRegistryClient {

        private final HikariDataSource connections;
        private final JdbcLockRegistry registry;
        private final Duration renewal;

        Registry(HikariDataSource connections, JdbcLockRegistry registry, Site site) {
            super(registry);
            this.connections = connections;
            this.registry = registry;
            this.renewal = site.heldLong() ? ttl(site).dividedBy(3) : Duration.ZERO;
        }

        @Override
        public Duration renewByHand() {
            return renewal;
        }

        @Override
        public void renew(String key) {
            registry.renewLock(key);
        }

        @Override
        public void close() {
            connections.close();
        }
    }
}
