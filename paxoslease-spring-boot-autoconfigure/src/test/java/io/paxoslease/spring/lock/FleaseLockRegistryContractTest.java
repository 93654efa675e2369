package io.paxoslease.spring.lock;

import org.junit.jupiter.api.Tag;

/** The contract over Flease. */
@Tag("slow")
class FleaseLockRegistryContractTest extends CellLockContract {

    FleaseLockRegistryContractTest() {
        super(LockCell.ofFlease());
    }
}
