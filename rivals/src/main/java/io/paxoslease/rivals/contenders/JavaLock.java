package io.paxoslease.rivals.contenders;

import io.paxoslease.rivals.Mutex;
import java.util.concurrent.locks.Lock;

/** A product's lock that is one of Java's. */
record JavaLock(Lock delegate) implements Mutex {

    @Override
    @SuppressWarnings("LockNotBeforeTry") // The caller's affair.
    public void lock() {
        delegate.lock();
    }

    @Override
    public void unlock() {
        delegate.unlock();
    }
}
