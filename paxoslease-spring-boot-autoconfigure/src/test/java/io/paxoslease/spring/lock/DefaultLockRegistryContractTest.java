package io.paxoslease.spring.lock;

import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.springframework.integration.support.locks.DefaultLockRegistry;
import org.springframework.integration.support.locks.LockRegistry;

/** The contract over Spring Integration's registry without a store: shows that the contract asks for nothing odd. */
@Tag("slow")
class DefaultLockRegistryContractTest extends LeasedLockContract {

    private final DefaultLockRegistry registry = new DefaultLockRegistry();

    @Override
    LockRegistry<?> registry(int node) {
        return registry;
    }

    @Override
    Set<Difference> differences() {
        return Difference.ofDefaultRegistry();
    }

    @Override
    AutoCloseable outage() {
        throw new UnsupportedOperationException();
    }
}
