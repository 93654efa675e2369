package io.paxoslease.spring.lock;

/** The contract over PaxosLease. */
class PaxosLeaseLockRegistryContractTests extends CellLockContract {

    PaxosLeaseLockRegistryContractTests() {
        super(new LockCell());
    }
}
