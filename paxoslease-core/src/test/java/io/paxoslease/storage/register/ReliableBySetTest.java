package io.paxoslease.storage.register;

/** Over stores that compare and set. */
class ReliableBySetTest extends ReliableRegisterContract {

    @Override
    boolean compares() {
        return true;
    }
}
