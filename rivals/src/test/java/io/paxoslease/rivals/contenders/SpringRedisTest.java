package io.paxoslease.rivals.contenders;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.rivals.Client;
import io.paxoslease.rivals.Mutex;
import io.paxoslease.rivals.Site;
import io.paxoslease.rivals.Tuning;
import java.util.List;
import java.util.concurrent.locks.Lock;
import org.junit.jupiter.api.Test;
import org.springframework.integration.redis.util.RedisLockRegistry.RedisLockType;

/** No Redis is needed to obtain locks, only to take them. */
class SpringRedisTest {

    private static final int LOCKS = 100_000;

    /** Else the memory of held locks would be that of few, and their holder could not unlock them. */
    @Test
    void theRegistryKeepsEveryLockThatAWorkloadHolds() {
        SpringRedis contender = new SpringRedis("redis-spin", "title", RedisLockType.SPIN_LOCK);
        try (Client client = contender.client(new Site(List.of("127.0.0.1:1"), Tuning.DEFAULT, false), 0)) {
            Lock first = lock(client.mutex("held-0"));
            for (int i = 1; i < LOCKS; i++) {
                client.mutex("held-" + i);
            }

            assertThat(lock(client.mutex("held-0"))).isSameAs(first);
        }
    }

    private static Lock lock(Mutex mutex) {
        return ((JavaLock) mutex).delegate();
    }
}
