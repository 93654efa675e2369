package io.paxoslease.benchmarks;

import io.paxoslease.AcquireOptions;
import io.paxoslease.Lease;
import io.paxoslease.PaxosLease;
import io.paxoslease.PaxosLeaseOptions;
import io.paxoslease.locks.LeaseLock;
import io.paxoslease.locks.LeaseLocks;
import io.paxoslease.locks.LockOptions;
import io.paxoslease.protocol.Event;
import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Quorum;
import io.paxoslease.protocol.Reading;
import io.paxoslease.protocol.Timing;
import io.paxoslease.protocol.paxos.Ballot;
import io.paxoslease.protocol.paxos.Node;
import io.paxoslease.protocol.paxos.PaxosMessage;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.LongAdder;

/** What {@link CliffsBenchmark} makes many of. */
final class CliffLoads {

    private static final Duration LEASE_TIME = Duration.ofSeconds(60);
    private static final int AT_ONCE = 1_000;

    private CliffLoads() {}

    private static PaxosLease start() {
        PaxosLease node = PaxosLease.create(PaxosLeaseOptions.builder("one")
                .leaseTime(LEASE_TIME)
                .maxLeaseTime(LEASE_TIME)
                .build());
        node.start();
        return node;
    }

    /** A node, and the leases that are taken on it. */
    private abstract static class OfNode implements CliffsBenchmark.Load {

        final PaxosLease node = start();
        private int held;

        /** Holds leases until there are so many. */
        final void hold(int size) {
            List<CompletableFuture<Lease>> asked = new ArrayList<>();
            while (held < size) {
                asked.add(node.acquire("resource%08d".formatted(held++), AcquireOptions.renewing()));
                if (asked.size() == AT_ONCE || held == size) {
                    asked.forEach(CompletableFuture::join);
                    asked.clear();
                }
            }
        }

        @Override
        public void close() {
            node.close();
        }
    }

    /** Locks of new keys, each once. */
    private abstract static class NewKeys extends OfNode {

        final LeaseLocks locks = new LeaseLocks(node, LockOptions.defaults());
        int used;

        @SuppressWarnings("LockNotBeforeTry") // nothing in between can fail
        final void lockAndUnlock() {
            LeaseLock lock = locks.get("key%012d".formatted(used++));
            lock.lock();
            lock.unlock();
        }

        @Override
        public long run(long end) {
            long count = 0;
            while (System.nanoTime() - end < 0) {
                lockAndUnlock();
                count++;
            }
            return count;
        }
    }

    /** One thread holds so many locks. */
    static final class LocksHeld extends NewKeys {

        private int held;

        @Override
        @SuppressWarnings("LockNotBeforeTry") // they end with the node
        public void growTo(int size) {
            while (held < size) {
                locks.get("held%012d".formatted(held++)).lock();
            }
        }
    }

    /** So many keys have been used, one after the other. */
    static final class KeysUsed extends NewKeys {

        @Override
        public void growTo(int size) {
            while (used < size) {
                lockAndUnlock();
            }
        }
    }

    /** The node holds so many leases. */
    static final class LeasesHeld extends OfNode {

        @Override
        public void growTo(int size) {
            hold(size);
        }

        @Override
        public long run(long end) throws InterruptedException {
            long count = 0;
            while (System.nanoTime() - end < 0) {
                LocalCell.acquire(node).release();
                count++;
            }
            return count;
        }
    }

    /** What the meters and the actuator's page ask of a node that holds so many leases. */
    static final class StatusOfMany extends OfNode {

        private List<String> page = List.of();

        @Override
        public void growTo(int size) {
            hold(size);
            List<String> all = node.monitor().resources();
            page = List.copyOf(all.subList(0, Math.min(100, all.size())));
        }

        @Override
        public long run(long end) {
            long count = 0;
            while (System.nanoTime() - end < 0) {
                if (node.monitor().heldLeases() == 0
                        || node.monitor().status(page).isEmpty()) {
                    throw new IllegalStateException("Nothing is held");
                }
                count++;
            }
            return count;
        }
    }

    /** So many requests wait for one lease, which goes from the first to the next; each asks again at the end of the line. */
    static final class Waiting extends OfNode {

        private final ArrayDeque<CompletableFuture<Lease>> line = new ArrayDeque<>();

        private void ask() {
            line.add(node.acquire("wanted", AcquireOptions.renewing()));
        }

        @Override
        public void growTo(int size) {
            while (line.size() < size) {
                ask();
            }
        }

        @Override
        public long run(long end) {
            long count = 0;
            while (System.nanoTime() - end < 0) {
                Lease lease = line.remove().join();
                ask();
                lease.release();
                count++;
            }
            return count;
        }
    }

    /** So many threads want one lock, again and again. */
    static final class Threads extends OfNode {

        private final LeaseLocks locks = new LeaseLocks(node, LockOptions.defaults());
        private int size;

        @Override
        public void growTo(int threads) {
            size = threads;
        }

        @Override
        public long run(long end) throws InterruptedException {
            LongAdder count = new LongAdder();
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < size; i++) {
                threads.add(new Thread(() -> lockUntil(end, count), "locking"));
            }
            threads.forEach(Thread::start);
            for (Thread thread : threads) {
                thread.join();
            }
            return count.sum();
        }

        @SuppressWarnings("LockNotBeforeTry") // nothing in between can fail
        private void lockUntil(long end, LongAdder count) {
            LeaseLock lock = locks.get("one");
            while (System.nanoTime() - end < 0) {
                lock.lock();
                lock.unlock();
                count.increment();
            }
        }
    }

    /** An acceptor remembers a lease of each of so many owners; each operation is one of another owner, which replaces an old one. */
    static final class Owners implements CliffsBenchmark.Load {

        private static final NodeId SELF = new NodeId("a");

        private final Reading now = new Reading(new Moment(0), System.currentTimeMillis() * 1_000);
        private final Node acceptor = new Node(
                SELF,
                new Quorum(List.of(SELF, new NodeId("b"), new NodeId("c"))),
                new Timing(LEASE_TIME, 0.1),
                null,
                () -> new Incarnation(1, 1),
                new SplittableRandom(1),
                now);
        private int owners;

        private void propose(int resource, int owner) {
            Ballot ballot = new Ballot(now.wallMicros() + 1 + owner, new Incarnation(2, owner));
            NodeId node = new NodeId("n" + owner);
            String name = "resource%08d".formatted(resource);
            acceptor.step(
                    new Event.Received(node, new PaxosMessage.Propose(name, ballot, LEASE_TIME.toNanos(), owner)), now);
        }

        private void release(int resource, int owner) {
            PaxosMessage.Release release = new PaxosMessage.Release(
                    "resource%08d".formatted(resource), new Incarnation(2, owner), now.wallMicros() + 1 + owner);
            acceptor.step(new Event.Received(new NodeId("n" + owner), release), now);
        }

        @Override
        public void growTo(int size) {
            while (owners < size) {
                propose(owners, owners);
                owners++;
            }
        }

        /** A lease goes from its owner to one that has not been there before, and back. */
        @Override
        public long run(long end) {
            long count = 0;
            int step = 0;
            while (System.nanoTime() - end < 0) {
                int resource = step++ % owners;
                int other = owners + step;
                release(resource, resource);
                propose(resource, other);
                release(resource, other);
                propose(resource, other + 1);
                release(resource, other + 1);
                count++;
            }
            return count;
        }
    }
}
