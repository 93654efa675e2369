package io.paxoslease.rivals.contenders;

import io.paxoslease.rivals.Backend;
import io.paxoslease.rivals.Client;
import io.paxoslease.rivals.Contender;
import io.paxoslease.rivals.Mutex;
import io.paxoslease.rivals.Site;
import io.paxoslease.rivals.Workload;
import io.paxoslease.rivals.backends.NoServers;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;

/** The ceiling: locks of one process. Both instances share them. */
final class LocalLocks implements Contender {

    private static final Map<String, ReentrantLock> LOCKS = new ConcurrentHashMap<>();

    @Override
    public String name() {
        return "local";
    }

    @Override
    public String title() {
        return "(ceiling) ReentrantLock in one process";
    }

    @Override
    public String settings() {
        return "java.util.concurrent, unfair, in a ConcurrentHashMap";
    }

    @Override
    public Backend backend() {
        return new NoServers();
    }

    @Override
    public Set<Workload> workloads() {
        return EnumSet.of(Workload.UNCONTENDED, Workload.OWN_KEYS, Workload.CONTENDED, Workload.MEMORY);
    }

    @Override
    public Client client(Site site, int index) {
        return new Client() {
            @Override
            public Mutex mutex(String key) {
                return new JavaLock(LOCKS.computeIfAbsent(key, absent -> new ReentrantLock()));
            }

            @Override
            public void close() {
                LOCKS.clear();
            }
        };
    }
}
