package io.paxoslease.rivals.contenders;

import io.paxoslease.rivals.Backend;
import io.paxoslease.rivals.Client;
import io.paxoslease.rivals.Contender;
import io.paxoslease.rivals.Mutex;
import io.paxoslease.rivals.Site;
import io.paxoslease.rivals.Tuning;
import io.paxoslease.rivals.backends.Redis;
import java.time.Duration;
import org.redisson.Redisson;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/** Redisson's RLock. */
final class RedissonLocks implements Contender {

    private static final Duration WATCHDOG = Duration.ofSeconds(30);
    private static final Duration SHORT = Duration.ofSeconds(2);

    @Override
    public String name() {
        return "redisson";
    }

    @Override
    public String title() {
        return "Redis, Redisson RLock";
    }

    @Override
    public String settings() {
        return "%s; %s without replicas or persistence; watchdog %d s, tuned %d s"
                .formatted(Contender.jar(Redisson.class), backend().version(), WATCHDOG.toSeconds(), SHORT.toSeconds());
    }

    @Override
    public Backend backend() {
        return new Redis();
    }

    @Override
    public Duration leaseTime(Tuning tuning) {
        return tuning.time(WATCHDOG, SHORT);
    }

    @Override
    public Client client(Site site, int index) {
        Config config = new Config();
        config.useSingleServer().setAddress("redis://" + site.addresses().get(0));
        if (site.isTuned()) {
            config.setLockWatchdogTimeout(SHORT.toMillis());
        }
        return new Locks(Redisson.create(config));
    }

    private record Locks(RedissonClient redisson) implements Client {

        @Override
        public Mutex mutex(String key) {
            return new JavaLock(redisson.getLock(key));
        }

        @Override
        public void close() {
            redisson.shutdown();
        }
    }
}
