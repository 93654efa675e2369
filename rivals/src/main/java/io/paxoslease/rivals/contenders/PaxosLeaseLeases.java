package io.paxoslease.rivals.contenders;

import io.paxoslease.AcquireOptions;
import io.paxoslease.Lease;
import io.paxoslease.PaxosLease;
import io.paxoslease.rivals.Backend;
import io.paxoslease.rivals.Client;
import io.paxoslease.rivals.Contender;
import io.paxoslease.rivals.Mutex;
import io.paxoslease.rivals.Site;
import io.paxoslease.rivals.Tuning;
import io.paxoslease.rivals.Workload;
import io.paxoslease.rivals.backends.Members;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** PaxosLease's leases, without a lock over them. */
final class PaxosLeaseLeases implements Contender {

    private static final String NAME = "lease";

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public String title() {
        return "PaxosLease, tryAcquire and release";
    }

    @Override
    public String settings() {
        return PaxosLeaseNode.settings("; renewed until released");
    }

    @Override
    public Backend backend() {
        return new Members(NAME);
    }

    @Override
    public Set<Workload> workloads() {
        return EnumSet.complementOf(EnumSet.of(Workload.FAIL_OVER));
    }

    @Override
    public Duration leaseTime(Tuning tuning) {
        return PaxosLeaseNode.leaseTime(tuning);
    }

    @Override
    public Client client(Site site, int index) {
        return new Node(site, index);
    }

    private static final class Node extends PaxosLeaseNode {

        private final Map<String, Lease> held = new ConcurrentHashMap<>();

        Node(Site site, int index) {
            super(site, index);
        }

        @Override
        public Mutex mutex(String key) {
            return new LeaseMutex(node(), key, held);
        }
    }

    private record LeaseMutex(PaxosLease node, String key, Map<String, Lease> held) implements Mutex {

        @Override
        public void lock() throws InterruptedException {
            held.put(key, node.tryAcquire(key, AcquireOptions.renewing()).orElseThrow());
        }

        @Override
        public void unlock() {
            Lease lease = held.remove(key);
            if (lease != null) {
                lease.release();
            }
        }
    }
}
