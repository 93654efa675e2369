package io.paxoslease.spring.lock;

import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.springframework.integration.support.locks.LockRegistry;

/** The contract over three nodes. */
class PaxosLeaseLockRegistryContractTests extends LeasedLockContract {

    private static LockCell cell;

    @BeforeAll
    static void start() {
        cell = new LockCell();
    }

    @AfterAll
    static void stop() {
        cell.close();
    }

    @Override
    LockRegistry<?> registry(int node) {
        return cell.registry(node);
    }

    @Override
    Set<Difference> differences() {
        return Difference.ofPaxosLease();
    }

    @Override
    AutoCloseable outage() {
        cell.node(1).stop();
        cell.node(2).stop();
        return cell::start;
    }
}
