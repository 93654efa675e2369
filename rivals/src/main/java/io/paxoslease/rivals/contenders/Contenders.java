package io.paxoslease.rivals.contenders;

import io.paxoslease.rivals.Contender;
import java.util.List;
import java.util.stream.Collectors;
import org.springframework.integration.redis.util.RedisLockRegistry.RedisLockType;

/** Everything there is to compare. */
public final class Contenders {

    /** The floor: asking another process anything cannot be faster. */
    public static final String FLOOR = "tcp";

    private static final List<Contender> ALL = List.of(
            new TcpFloor(),
            new LocalLocks(),
            new PaxosLeaseLocks("ours", "PaxosLease, locks, nothing kept", LockSettings.throughTheCell()),
            new PaxosLeaseLocks("ours-kept", "PaxosLease, locks, as by default", LockSettings.kept()),
            new PaxosLeaseLeases(),
            new SpringRedis("redis-spin", "Redis, Spring Integration, spin", RedisLockType.SPIN_LOCK),
            new SpringRedis("redis-pubsub", "Redis, Spring Integration, pub/sub", RedisLockType.PUB_SUB_LOCK),
            new RedissonLocks(),
            new HazelcastLocks(),
            new CuratorLocks(),
            new EtcdLocks(),
            new SpringJdbc());

    private Contenders() {}

    /** In the order of the tables. */
    public static List<Contender> all() {
        return ALL;
    }

    /**
     * The contender of that name.
     *
     * @throws IllegalArgumentException when there is none
     */
    public static Contender of(String name) {
        return ALL.stream()
                .filter(each -> each.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("Unknown contender '%s': there are %s"
                        .formatted(name, ALL.stream().map(Contender::name).collect(Collectors.joining(", ")))));
    }
}
