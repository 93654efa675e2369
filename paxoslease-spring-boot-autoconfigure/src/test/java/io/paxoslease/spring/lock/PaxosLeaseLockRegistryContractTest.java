package io.paxoslease.spring.lock;

/** The contract over PaxosLease. */
class PaxosLeaseLockRegistryContractTest extends CellLockContract {

    PaxosLeaseLockRegistryContractTest() {
        super(new LockCell());
    }
}
