package io.paxoslease.rivals.contenders;

import io.paxoslease.locks.LeaseLock;
import io.paxoslease.locks.LeaseLocks;
import io.paxoslease.locks.LockOptions;
import io.paxoslease.rivals.Backend;
import io.paxoslease.rivals.Client;
import io.paxoslease.rivals.Contender;
import io.paxoslease.rivals.Mutex;
import io.paxoslease.rivals.Site;
import io.paxoslease.rivals.Tuning;
import io.paxoslease.rivals.backends.Members;
import java.time.Duration;

/** PaxosLease's locks. */
record PaxosLeaseLocks(String name, String title, LockOptions options) implements Contender {

    @Override
    public String settings() {
        return PaxosLeaseNode.settings(", " + options);
    }

    @Override
    public Backend backend() {
        return new Members(name);
    }

    @Override
    public Duration leaseTime(Tuning tuning) {
        return PaxosLeaseNode.leaseTime(tuning);
    }

    @Override
    public Client client(Site site, int index) {
        return new Node(site, index, options);
    }

    private static final class Node extends PaxosLeaseNode {

        private final LeaseLocks locks;

        Node(Site site, int index, LockOptions options) {
            super(site, index);
            locks = new LeaseLocks(node(), options);
        }

        @Override
        public Mutex mutex(String key) {
            LeaseLock lock = locks.get(key);
            return new JavaLock(lock);
        }
    }
}
