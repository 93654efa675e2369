package io.paxoslease.spring.lock;

import org.junit.jupiter.api.Tag;

/** The contract over PaxosLease. */
@Tag("slow")
@Tag("jdk")
class PaxosLeaseLockRegistryContractTest extends CellLockContract {

    PaxosLeaseLockRegistryContractTest() {
        super(new LockCell());
    }
}
