package io.paxoslease.spring.lock;

/** The contract over Flease. */
class FleaseLockRegistryContractTests extends CellLockContract {

    FleaseLockRegistryContractTests() {
        super(LockCell.ofFlease());
    }
}
