package io.paxoslease.store;

/** Over stores that compare and set. */
class ReliableBySetTest extends ReliableRegisterContract {

    @Override
    boolean compares() {
        return true;
    }
}
