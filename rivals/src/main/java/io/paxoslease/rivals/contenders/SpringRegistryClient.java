package io.paxoslease.rivals.contenders;

import io.paxoslease.rivals.Client;
import io.paxoslease.rivals.Mutex;
import org.springframework.integration.support.locks.LockRegistry;

/** What clients of Spring Integration's lock registries have in common. */
abstract class SpringRegistryClient implements Client {

    /**
     * More than any workload holds. By default a registry forgets all but 256 lock objects, held or not, and the object that is
     * obtained for such a key next cannot unlock what the forgotten one has locked.
     */
    static final int CACHE_CAPACITY = 1_000_000;

    private final LockRegistry<?> registry;
    private final SpringElection election;

    SpringRegistryClient(LockRegistry<?> registry) {
        this.registry = registry;
        this.election = new SpringElection(registry);
    }

    @Override
    public Mutex mutex(String key) {
        return new JavaLock(registry.obtain(key));
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
}
