package io.paxoslease.spring.leader;

import io.paxoslease.election.GuardedCall;
import io.paxoslease.election.LeaderElection;
import io.paxoslease.election.Leadership;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.ApplicationListener;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.event.ContextStartedEvent;

/**
 * The elections of the roles that {@link OnLeader}, {@link OnGranted}, {@link OnRevoked} and {@code paxoslease.roles} name,
 * one for each role. To be injected where code asks who leads,
 * or gives leadership up. Thread-safe.
 *
 * <p>A role that nothing of this application names is not stood for: it answers as a role that another node leads.
 */
public final class LeaderElections implements SmartLifecycle, DisposableBean, ApplicationListener<ContextStartedEvent> {

    /** What precedes a role in the name of its lease, so that a lock of the same name is another lease. */
    public static final String RESOURCE_PREFIX = "role:";

    /** After everything else has started, before anything else stops: the phase of Spring Integration's initiators. */
    static final int PHASE = Integer.MAX_VALUE - 1000;

    private static final Logger log = LoggerFactory.getLogger(LeaderElections.class);

    private final Object lock = new Object();
    private final Map<String, LeaderRole> roles = new ConcurrentHashMap<>();
    private final Map<String, Entry> entries = new ConcurrentHashMap<>();
    private final ElectionFactory factory;
    private final Map<String, RoleSettings> settings;
    private final ApplicationEventPublisher publisher;
    private final Duration stopTimeout;
    private volatile boolean running;

    /**
     * @param factory makes the election of each role
     * @param settings how to stand for roles, by name; those that are named here are stood for
     * @param publisher publishes {@link LeadershipEvent}s
     * @param stopTimeout how long {@link #stop()} waits for what runs when leadership ends
     */
    public LeaderElections(
            ElectionFactory factory,
            Map<String, RoleSettings> settings,
            ApplicationEventPublisher publisher,
            Duration stopTimeout) {
        this.factory = factory;
        this.settings = Map.copyOf(settings);
        this.publisher = publisher;
        this.stopTimeout = stopTimeout;
        settings.keySet().forEach(this::join);
    }

    /** The roles that this application names, whether this node stands for them or not. */
    public Set<String> roles() {
        return new TreeSet<>(roles.keySet());
    }

    /** Whether this node stands for the role at present, so that it may come to lead it. Never blocks for long. */
    public boolean standsFor(String role) {
        Entry entry = entries.get(role);
        return entry != null && entry.election().isRunning();
    }

    /**
     * Whether this node leads the role at this instant: the deadline is compared with the clock at each call. Local, never
     * blocks.
     */
    public boolean isLeader(String role) {
        Entry entry = entries.get(role);
        return entry != null && entry.election().isLeader();
    }

    /**
     * This node's leadership of the role, with its fencing token; empty when this node does not lead it. Local, never
     * blocks.
     */
    public Optional<Leadership> leadership(String role) {
        return election(role).flatMap(LeaderElection::leadership);
    }

    /**
     * The leadership of the role that everybody in this application has been told of: from when beans have been started and
     * listeners of the grant have returned, until listeners of its end have. So it may have ended. Local, never blocks.
     */
    public Optional<Leadership> announcedLeadership(String role) {
        return Optional.ofNullable(roles.get(role)).map(LeaderRole::announced);
    }

    /**
     * The id of the node that leads the role, as far as this node knows: certain when it is this node, else a hint. Waits
     * for the node's thread to answer.
     */
    public Optional<String> leaderId(String role) {
        return election(role).flatMap(LeaderElection::leaderId);
    }

    /**
     * Gives the leadership of the role up, so that another node may lead: revoked first, then released. Returns at once;
     * does nothing when this node does not lead it.
     */
    public void resign(String role) {
        election(role).ifPresent(LeaderElection::resign);
    }

    /**
     * Lets the current thread in for work that only the leader may do, as a call of an {@link OnLeader} method is, and guards
     * it until the result is closed. Local, never blocks.
     *
     * @param interrupt whether the thread is interrupted when leadership ends meanwhile
     * @return empty when this node does not lead the role at this instant
     */
    public Optional<GuardedCall> enter(String role, boolean interrupt) {
        Entry entry = entries.get(role);
        return entry == null ? Optional.empty() : entry.election().enter(interrupt);
    }

    /** What became of the calls of {@link OnLeader} methods of that role; zeros when no bean names it. */
    public GuardedCallCounts callCounts(String role) {
        LeaderRole known = roles.get(role);
        return known == null ? new GuardedCallCounts(0, 0, 0) : known.counts();
    }

    /** Stands for the role from the start of this bean to its end, or from now on when it has started. */
    LeaderRole join(String role) {
        LeaderRole known = roles.get(role);
        if (known != null) {
            return known;
        }
        LeaderRole joined =
                new LeaderRole(role, settings.getOrDefault(role, RoleSettings.DEFAULT), publisher, this, stopTimeout);
        boolean started;
        synchronized (lock) {
            known = roles.putIfAbsent(role, joined);
            started = known == null && running;
        }
        if (started) {
            stand(joined);
        }
        return known == null ? joined : known;
    }

    @Override
    public void start() {
        List<LeaderRole> all;
        synchronized (lock) {
            running = true;
            all = List.copyOf(roles.values());
        }
        all.forEach(this::stand);
    }

    private void stand(LeaderRole role) {
        // Found without the lock: the search looks beans up, and who makes a bean may be waiting here in join.
        Entry found = entries.containsKey(role.name()) ? null : find(role);
        if (!role.isEligible()) {
            log.info("This node does not stand for the role '{}': paxoslease.roles.{}.eligible is false", role, role);
        }
        synchronized (lock) {
            if (found != null) {
                entries.putIfAbsent(role.name(), found);
            }
            Entry entry = entries.get(role.name());
            if (running && entry != null && entry.owned() && role.isEligible()) {
                entry.election().start();
            }
        }
    }

    private Entry find(LeaderRole role) {
        return factory.existing(role.name())
                .map(election -> new Entry(election, false))
                .orElseGet(() -> new Entry(factory.create(role), true));
    }

    /** Revokes every leadership and releases it, all at the same time, and waits until that is done or the time is up. */
    @Override
    public void stop() {
        List<Entry> owned;
        synchronized (lock) {
            running = false;
            owned = entries.values().stream().filter(Entry::owned).toList();
        }
        // Without the lock: a stop may run on this thread, and wait for code that needs it.
        List<CompletableFuture<Void>> stops =
                owned.stream().map(each -> stopping(each.election())).toList();
        CompletableFuture.allOf(stops.toArray(CompletableFuture[]::new)).join();
    }

    private CompletableFuture<Void> stopping(LeaderElection election) {
        CompletableFuture<Void> stopped = new CompletableFuture<>();
        BackgroundStop.start(election.role(), () -> stop(election), () -> stopped.complete(null));
        return stopped;
    }

    private void stop(LeaderElection election) {
        if (!election.stop(stopTimeout)) {
            log.warn("What runs when the leadership of '{}' ends took longer than {}", election.role(), stopTimeout);
        }
    }

    @Override
    public void stop(Runnable callback) {
        BackgroundStop.start("all", this::stop, callback);
    }

    @Override
    public void destroy() {
        stop();
    }

    /** An explicit start of the context starts whatever has a lifecycle and no proxy that prevents it. */
    @Override
    public void onApplicationEvent(ContextStartedEvent event) {
        roles.values().forEach(role -> role.beans().stopUnlessLeading());
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    @Override
    public int getPhase() {
        return PHASE;
    }

    private Optional<LeaderElection> election(String role) {
        return Optional.ofNullable(entries.get(role)).map(Entry::election);
    }

    /** @param owned whether the election is started and stopped here, and not by another bean */
    private record Entry(LeaderElection election, boolean owned) {}
}
