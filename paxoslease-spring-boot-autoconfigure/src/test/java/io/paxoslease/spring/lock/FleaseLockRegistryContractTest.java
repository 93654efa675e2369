package io.paxoslease.spring.lock;

/** The contract over Flease. */
class FleaseLockRegistryContractTest extends CellLockContract {

    FleaseLockRegistryContractTest() {
        super(LockCell.ofFlease());
    }
}
