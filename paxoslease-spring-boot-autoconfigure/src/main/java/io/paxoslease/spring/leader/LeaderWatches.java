package io.paxoslease.spring.leader;

import io.paxoslease.AlgorithmOptions;
import io.paxoslease.PaxosLease;
import io.paxoslease.election.LeaderElection;
import io.paxoslease.watch.LeaseWatch;
import io.paxoslease.watch.LeaseWatchListener;
import io.paxoslease.watch.WatchedLease;
import io.paxoslease.watch.WatchedLease.State;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.SmartLifecycle;
import org.springframework.scheduling.concurrent.CustomizableThreadFactory;

/**
 * Watches who leads the roles of this application, and publishes each change. One watch for all roles: a role may be named late. Only the members
 * of a cell that runs PaxosLease tell of leaders; with another algorithm there are no events. Thread-safe.
 */
final class LeaderWatches implements SmartLifecycle {

    private static final Logger log = LoggerFactory.getLogger(LeaderWatches.class);
    private static final String PREFIX = LeaderElection.DEFAULT_PREFIX;
    private static final long IDLE_SECONDS = 10;

    private final Supplier<@Nullable PaxosLease> node;
    private final LeaderElections elections;
    private final ApplicationEventPublisher publisher;
    private final int phase;
    /** A listener that takes its time must not hold up the callbacks of the node, which tell of lost locks. */
    private final ThreadPoolExecutor thread;
    /** What no listener has been told of, by role. */
    private final Map<String, WatchedLease> untold = new LinkedHashMap<>();
    /** Whether the thread will look there. Guarded by the map. */
    private boolean scheduled;

    /** Whether it then compares all that was told with all that the watch knows. Guarded by the map. */
    private boolean catchesUp;

    /** The leaders that listeners have been told of. Of the thread alone. */
    private final Map<String, String> told = new HashMap<>();
    /** Who leads roles that this application does not name yet. Of the thread alone. */
    private final Map<String, WatchedLease> unnamed = new HashMap<>();

    private final LeaseWatchListener listener = new LeaseWatchListener() {
        @Override
        public void changed(List<WatchedLease> changes) {
            LeaderWatches.this.changed(changes);
        }

        @Override
        public void currentChanged(boolean current) {
            stall.nanos(current);
            if (current) {
                catchUp();
            }
        }
    };

    private final Stall stall = new Stall(System::nanoTime);
    private volatile String self = "";
    private volatile long longestLeaseNanos;
    private volatile boolean running;
    private volatile @Nullable LeaseWatch watch;

    LeaderWatches(
            Supplier<@Nullable PaxosLease> node,
            LeaderElections elections,
            ApplicationEventPublisher publisher,
            int phase) {
        this.node = node;
        this.elections = elections;
        this.publisher = publisher;
        this.phase = phase;
        CustomizableThreadFactory threads = new CustomizableThreadFactory("paxoslease-leader-events-");
        threads.setDaemon(true);
        this.thread =
                new ThreadPoolExecutor(1, 1, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), threads);
        this.thread.allowCoreThreadTimeOut(true);
    }

    /**
     * The lease of the role with its leader, as the members last told; empty if none leads, or if no majority has told of changes for longer than a
     * lease can last. Local, does not wait for the node.
     */
    Optional<WatchedLease> leader(String role) {
        LeaseWatch current = watch;
        return current == null || stall.nanos(current.isCurrent()) > longestLeaseNanos
                ? Optional.empty()
                : current.lease(PREFIX + role).filter(lease -> lease.owner() != null);
    }

    /** The same without this node: what members tell of it may be of an earlier life, or of a leadership that has ended here already. */
    Optional<WatchedLease> otherLeader(String role) {
        return leader(role).filter(lease -> !self.equals(lease.owner()));
    }

    @Override
    public void start() {
        running = true;
        elections.toldBy(this::otherLeader);
        elections.whenContested(this::watch);
    }

    /** An application without roles needs no node for it. Without the lock: it looks a bean up. */
    private void watch() {
        PaxosLease found = running && watch == null ? node.get() : null;
        if (found != null && found.monitor().options().algorithm() == AlgorithmOptions.PAXOSLEASE) {
            self = found.monitor().options().nodeId();
            longestLeaseNanos = found.monitor().options().maxLeaseTime().toNanos();
            LeaseWatch begun = found.watch(PREFIX, listener);
            if (!keep(begun)) {
                begun.close();
            }
        }
        if (watch != null) { // it may have been current before it was kept, and the role may have been named since
            catchUp();
        }
    }

    private synchronized boolean keep(LeaseWatch begun) {
        if (!running || watch != null) {
            return false;
        }
        watch = begun;
        return true;
    }

    @Override
    public void stop() {
        LeaseWatch ending;
        synchronized (this) {
            running = false;
            ending = watch;
            watch = null;
        }
        if (ending != null) {
            ending.close();
        }
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    @Override
    public int getPhase() {
        return phase;
    }

    private void changed(List<WatchedLease> changes) {
        synchronized (untold) {
            changes.forEach(lease -> untold.put(lease.resource().substring(PREFIX.length()), lease));
            schedule();
        }
    }

    private void catchUp() {
        synchronized (untold) {
            catchesUp = true;
            schedule();
        }
    }

    private void schedule() {
        if (!scheduled) {
            thread.execute(this::tell);
            scheduled = true; // last: without a thread for it the next change tries again
        }
    }

    private void tell() {
        Map<String, WatchedLease> changes;
        boolean all;
        synchronized (untold) {
            scheduled = false; // first: what there is no memory for is told with the next change
            changes = new LinkedHashMap<>(untold);
            untold.clear();
            all = catchesUp;
            catchesUp = false;
        }
        changes.forEach(this::tell);
        if (all) {
            tellNamed();
            tellGone();
        }
    }

    /** A bean that was created late may have named a role that has a leader already. */
    private void tellNamed() {
        Map.copyOf(unnamed).forEach(this::tell);
    }

    /** Publishes the end of leaderships that ended while the context was stopped, when nothing was watched. */
    private void tellGone() {
        LeaseWatch current = watch;
        if (current == null || !current.isCurrent()) {
            return;
        }
        Set<String> known = new HashSet<>(told.keySet());
        known.addAll(unnamed.keySet());
        for (String role : known) {
            if (current.lease(PREFIX + role).isEmpty()) {
                tell(role, new WatchedLease(PREFIX + role, State.FREE, null, null));
            }
        }
    }

    /** Who led last leads as long as it is not known that another does, or none. */
    private void tell(String role, WatchedLease lease) {
        String leader = lease.owner();
        if (leader == null) {
            unnamed.remove(role);
        }
        if (!elections.roles().contains(role)) {
            if (leader != null) {
                unnamed.put(role, lease);
            }
            return;
        }
        unnamed.remove(role);
        if (lease.state() == State.UNKNOWN && leader != null) {
            return;
        }
        String before = leader == null ? told.remove(role) : told.put(role, leader);
        if (leader == null ? before == null : leader.equals(before)) {
            return;
        }
        LeaderChangedEvent event = new LeaderChangedEvent(this, role, leader, before);
        try {
            publisher.publishEvent(event);
        } catch (Exception | Error failure) { // user code: other JVM languages throw checked exceptions undeclared
            log.warn("A listener of {} failed", event, failure);
        }
    }
}
