package io.paxoslease.rivals.contenders;

import io.lettuce.core.RedisClient;
import io.lettuce.core.resource.ClientResources;
import io.paxoslease.rivals.Backend;
import io.paxoslease.rivals.Client;
import io.paxoslease.rivals.Contender;
import io.paxoslease.rivals.Site;
import io.paxoslease.rivals.Tuning;
import io.paxoslease.rivals.Workload;
import io.paxoslease.rivals.backends.Redis;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.integration.redis.util.RedisLockRegistry;
import org.springframework.integration.redis.util.RedisLockRegistry.RedisLockType;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

/** Spring Integration's lock registry over Redis. */
record SpringRedis(String name, String title, RedisLockType type) implements Contender {

    private static final Duration EXPIRE = Duration.ofSeconds(60);
    private static final Duration SHORT = Duration.ofSeconds(2);

    @Override
    public String settings() {
        return "%s, %s, %s; %s without replicas or persistence; expireAfter %d s, tuned %d s; renewed only where held long; cacheCapacity %d"
                .formatted(
                        Contender.jar(RedisLockRegistry.class),
                        Contender.jar(RedisClient.class),
                        type,
                        backend().version(),
                        EXPIRE.toSeconds(),
                        SHORT.toSeconds(),
                        SpringRegistryClient.CACHE_CAPACITY);
    }

    @Override
    public Backend backend() {
        return new Redis();
    }

    @Override
    public Set<Workload> workloads() {
        return type == RedisLockType.SPIN_LOCK ? EnumSet.allOf(Workload.class) : Contender.super.workloads();
    }

    @Override
    public Duration leaseTime(Tuning tuning) {
        return tuning.time(EXPIRE, SHORT);
    }

    @Override
    public Client client(Site site, int index) {
        LettuceClientConfiguration.LettuceClientConfigurationBuilder lettuce = LettuceClientConfiguration.builder();
        if (site.isCrowded()) {
            lettuce.clientResources(Shared.RESOURCES);
        }
        LettuceConnectionFactory connections = new LettuceConnectionFactory(
                new RedisStandaloneConfiguration("127.0.0.1", site.port(0)), lettuce.build());
        connections.afterPropertiesSet();
        connections.start();
        return new Registry(connections, registry(connections, site));
    }

    private RedisLockRegistry registry(LettuceConnectionFactory connections, Site site) {
        RedisLockRegistry registry =
                new RedisLockRegistry(connections, "locks", site.tuning().time(EXPIRE, SHORT));
        registry.setRedisLockType(type);
        registry.setCacheCapacity(site.isCrowded() ? 1 : SpringRegistryClient.CACHE_CAPACITY);
        if (site.heldLong()) {
            registry.setRenewalTaskScheduler(site.isCrowded() ? Shared.SCHEDULER : scheduler());
        }
        return registry;
    }

    private static ThreadPoolTaskScheduler scheduler() {
        ThreadPoolTaskScheduler scheduler = new ThreadPoolTaskScheduler();
        scheduler.setDaemon(true);
        scheduler.initialize();
        return scheduler;
    }

    /** What thousands of clients need only once. */
    private static final class Shared {
        static final ClientResources RESOURCES = ClientResources.create();
        static final ThreadPoolTaskScheduler SCHEDULER = scheduler();

        private Shared() {}
    }

    private static final class Registry extends SpringRegistryClient {

        private final LettuceConnectionFactory connections;
        private final RedisLockRegistry registry;

        Registry(LettuceConnectionFactory connections, RedisLockRegistry registry) {
            super(registry);
            this.connections = connections;
            this.registry = registry;
        }

        @Override
        public void awaitReady() {
            connections.getConnection().close(); // opens the one that all share
        }

        @Override
        public void close() {
            registry.destroy();
            connections.destroy();
        }
    }
}
