package io.paxoslease.store;

import org.junit.jupiter.api.Tag;

/** Over stores that compare and set. */
@Tag("slow")
class ReliableBySetTest extends ReliableRegisterContract {

    @Override
    boolean compares() {
        return true;
    }
}
