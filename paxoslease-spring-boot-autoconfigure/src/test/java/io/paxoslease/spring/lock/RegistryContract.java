package io.paxoslease.spring.lock;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.springframework.integration.support.locks.ExpirableLockRegistry;
import org.springframework.integration.support.locks.LockRegistry;
import org.springframework.integration.support.locks.RenewableLockRegistry;

/** The base of the contract tests: registries of several nodes, and threads. */
abstract class RegistryContract {

    /** Another one in each test. */
    String key = "";

    private final List<Actor> actors = new ArrayList<>();

    /** A registry of its own on that node; there are three nodes, and any number is one of them. */
    abstract LockRegistry<?> registry(int node);

    abstract Set<Difference> differences();

    @BeforeEach
    void chooseKey() {
        key = "key-" + UUID.randomUUID();
    }

    @AfterEach
    void endActors() {
        actors.forEach(Actor::close);
        actors.clear();
    }

    final boolean differs(Difference difference) {
        return differences().contains(difference);
    }

    /** The rule is about something that the registry does not have. */
    final void assumeNot(Difference difference) {
        Assumptions.assumeFalse(differs(difference), difference::toString);
    }

    final Actor actor() {
        Actor actor = new Actor();
        actors.add(actor);
        return actor;
    }

    final Lock lock(int node) {
        return registry(node).obtain(key);
    }

    static RenewableLockRegistry<?> renewable(LockRegistry<?> registry) {
        return (RenewableLockRegistry<?>) registry;
    }

    static void forgetUnused(LockRegistry<?> registry) {
        ((ExpirableLockRegistry<?>) registry).expireUnusedOlderThan(0);
    }

    static void take(Lock lock) throws InterruptedException {
        assertThat(lock.tryLock(Actor.LIMIT_SECONDS, TimeUnit.SECONDS)).isTrue();
    }

    /** The lock is free, and stays so. */
    static boolean takesAndLeaves(Lock lock) throws InterruptedException {
        if (!lock.tryLock(Actor.LIMIT_SECONDS, TimeUnit.SECONDS)) {
            return false;
        }
        lock.unlock();
        return true;
    }

    static Duration since(long startNanos) {
        return Duration.ofNanos(System.nanoTime() - startNanos);
    }
}
