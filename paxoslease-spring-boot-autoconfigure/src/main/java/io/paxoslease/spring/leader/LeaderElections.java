package io.paxoslease.spring.leader;

import io.paxoslease.election.GuardedCall;
import io.paxoslease.election.GuardedWork;
import io.paxoslease.election.LeaderElection;
import io.paxoslease.election.Leadership;
import io.paxoslease.protocol.Printable;
import io.paxoslease.spring.leader.RoleContest.Obstacle;
import io.paxoslease.watch.WatchedLease;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryAware;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.ApplicationListener;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.event.ContextStartedEvent;

/**
 * The elections of the roles that {@link OnLeader}, {@link OnGranted}, {@link OnRevoked} and {@code paxoslease.roles}
 * name, one for each role. Inject it to query or resign leaderships. Thread-safe.
 *
 * <p>A role that this application does not name is not contested. Each method that takes a role throws an {@link IllegalArgumentException} for such a
 * role once this bean has started: before, a bean may still name it, and the answer is that of a role that another node leads.
 */
public final class LeaderElections
        implements SmartLifecycle, DisposableBean, BeanFactoryAware, ApplicationListener<ContextStartedEvent> {

    private static final Logger log = LoggerFactory.getLogger(LeaderElections.class);

    private final Object lock = new Object();
    private final Map<String, LeaderRole> roles = new ConcurrentHashMap<>();
    private final Map<String, Entry> entries = new ConcurrentHashMap<>();
    private final ElectionFactory factory;
    private final ElectionSettings settings;
    private final ApplicationEventPublisher publisher;
    private final HealthWatches watches;
    private volatile Runnable contested = () -> {};
    private volatile Function<String, Optional<WatchedLease>> told = role -> Optional.empty();
    private volatile boolean running;
    /** Whether every bean that is not created on demand has named its roles. */
    private volatile boolean named;

    private volatile @Nullable BeanFactory beans;
    private boolean begun;

    LeaderElections(
            ElectionFactory factory,
            ElectionSettings settings,
            ObjectProvider<HealthGroups> health,
            ApplicationEventPublisher publisher) {
        this.factory = factory;
        this.settings = settings;
        this.publisher = publisher;
        this.watches = new HealthWatches(health, settings.stopTimeout());
        settings.roles().keySet().forEach(this::join);
    }

    @Override
    public void setBeanFactory(BeanFactory beanFactory) {
        this.beans = beanFactory;
    }

    /** The roles that this application names, also those for which this node is not eligible. */
    public Set<String> roles() {
        return new TreeSet<>(roles.keySet());
    }

    /** Whether this node contests the role at present, so that it may become its leader. Never blocks for long. */
    public boolean contests(String role) {
        return election(role).map(LeaderElection::isRunning).orElse(false);
    }

    /**
     * Whether this node leads the role at this instant: the deadline is compared with the clock at each call. Local,
     * never blocks.
     */
    public boolean isLeader(String role) {
        return election(role).map(LeaderElection::isLeader).orElse(false);
    }

    /**
     * This node's leadership of the role, with its fencing token; empty if this node does not lead it. Local, never
     * blocks.
     */
    public Optional<Leadership> leadership(String role) {
        return election(role).flatMap(LeaderElection::leadership);
    }

    /**
     * The leadership of the role that is announced in this application: from the time that beans have started and
     * listeners of the grant have returned, until listeners of its end have returned. So it may have ended. Local,
     * never blocks.
     */
    public Optional<Leadership> announcedLeadership(String role) {
        requireNamed(role);
        return Optional.ofNullable(roles.get(role)).map(LeaderRole::announced);
    }

    /**
     * The id of the node that leads the role, if this node knows it: certain if it is this node, otherwise a hint.
     * The members push each change, so the answer is local if they name another node. Otherwise it waits for the node's thread.
     */
    public Optional<String> leaderId(String role) {
        Optional<LeaderElection> election = election(role);
        return otherLeader(role).map(WatchedLease::owner).or(() -> election.flatMap(LeaderElection::leaderId));
    }

    /** The lease of the role with its leader on another node, as the members last told; empty if this node leads. Local. */
    Optional<WatchedLease> otherLeader(String role) {
        return isLeader(role) ? Optional.empty() : told.apply(role);
    }

    /** Tells which other node leads a role, as far as members have told. */
    void toldBy(Function<String, Optional<WatchedLease>> source) {
        told = source;
    }

    /** The name of the role's lease. */
    Optional<String> resource(String role) {
        return election(role).map(LeaderElection::resource);
    }

    /**
     * Resigns the leadership of the role, so that another node may lead: it is revoked first, then released. Returns at
     * once; does nothing if this node does not lead it.
     */
    public void resign(String role) {
        election(role).ifPresent(LeaderElection::resign);
    }

    /**
     * Begins a guarded call on the current thread, like a call of an {@link OnLeader} method; it ends when the result
     * is closed. Local, never blocks.
     *
     * @param interrupt whether the thread is interrupted if leadership ends during the call
     * @return empty if this node does not lead the role at this instant
     */
    public Optional<GuardedCall> enter(String role, boolean interrupt) {
        return election(role).flatMap(election -> election.enter(interrupt));
    }

    /**
     * Begins work that goes on after the current call, on whatever threads, until the result is closed. Local, never blocks.
     *
     * @param onEnd called at most once, when leadership ends during the work: it is to cancel the work
     * @return empty if this node does not lead the role at this instant
     */
    public Optional<GuardedWork> begin(String role, Runnable onEnd) {
        return election(role).flatMap(election -> election.begin(onEnd));
    }

    /** Counts of the calls of {@link OnLeader} methods of that role; zeros if no bean names it. */
    public GuardedCallCounts callCounts(String role) {
        LeaderRole known = roles.get(role);
        return known == null ? new GuardedCallCounts(0, 0, 0) : known.counts();
    }

    /** Contests the role from the start of this bean to its end, or from now on if it has started. */
    LeaderRole join(String role) {
        LeaderRole known = roles.get(role);
        if (known != null) {
            return known;
        }
        LeaderRole joined = new LeaderRole(role, settings, publisher, this);
        boolean started;
        synchronized (lock) {
            if (!begun) {
                joined.contest().add(Obstacle.APPLICATION_NOT_READY);
            }
            known = roles.putIfAbsent(role, joined);
            started = known == null && running;
        }
        if (started) {
            contest(joined);
        }
        return known == null ? joined : known;
    }

    /**
     * The application is ready to lead: contests the roles from now on while this bean is started. Does nothing when called again.
     */
    public void begin() {
        synchronized (lock) {
            begun = true;
            roles.values().forEach(role -> role.contest().remove(Obstacle.APPLICATION_NOT_READY));
        }
    }

    /** @throws RuntimeException if a role requires a health group that does not exist */
    @Override
    public void start() {
        List<LeaderRole> all;
        watches.start(roles.values()); // without the lock: it looks beans up
        synchronized (lock) {
            running = true;
            named = true;
            all = List.copyOf(roles.values());
        }
        all.forEach(this::contest);
    }

    private void contest(LeaderRole role) {
        // Found without the lock: the search looks beans up, and a thread that creates a bean may wait here in join.
        Entry found = entries.containsKey(role.name()) ? null : find(role);
        if (!role.isEligible()) {
            log.info(
                    "This node does not contest the role '{}': {}.eligible is false",
                    role,
                    Printable.text(ElectionSettings.property(role.name())));
        }
        synchronized (lock) {
            if (found != null) {
                entries.putIfAbsent(role.name(), found);
            }
            Entry entry = entries.get(role.name());
            if (running && entry != null && entry.owned() && role.isEligible()) {
                role.contest().start(entry.election());
            }
        }
        contested.run();
    }

    /** Calls this from now on when a role is contested, or asked for by an instance that is not eligible; at once if one is. */
    void whenContested(Runnable listener) {
        contested = listener;
        if (!entries.isEmpty()) {
            listener.run();
        }
    }

    private Entry find(LeaderRole role) {
        return factory.existing(role.name())
                .map(election -> new Entry(election, false))
                .orElseGet(() -> new Entry(factory.create(role), true));
    }

    /**
     * Revokes and releases every leadership, all at the same time, and waits until that is done or the timeout is over.
     */
    @Override
    public void stop() {
        List<Entry> owned;
        synchronized (lock) {
            running = false;
            owned = entries.values().stream().filter(Entry::owned).toList();
        }
        watches.stop();
        // Without the lock: a stop may run on this thread, and wait for code that needs the lock.
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
        LeaderRole role = join(election.role());
        if (!role.contest().stop(election, settings.stopTimeout())) {
            role.warnOfLateEnd(settings.stopTimeout());
        }
    }

    @Override
    public void stop(Runnable callback) {
        BackgroundStops.start(beans, "all", this::stop, callback);
    }

    /** After a stop, what is still running has been waited for. */
    @Override
    public void destroy() {
        if (running) {
            stop();
        }
        roles.values().forEach(role -> role.beans().contextClosed());
    }

    /** An explicit start of the context also starts managed beans that have no proxy to prevent it. */
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
        return settings.phase();
    }

    private Optional<LeaderElection> election(String role) {
        Entry entry = entries.get(role);
        if (entry == null) {
            requireNamed(role);
            return Optional.empty();
        }
        return Optional.of(entry.election());
    }

    private void requireNamed(String role) {
        if (named && !roles.containsKey(role) && !isNamedLater(role)) {
            throw new IllegalArgumentException(
                    "This application does not contest the role '%s', because no bean or property names it. Its roles are %s"
                            .formatted(Printable.name(role), roles()));
        }
    }

    /** Whether a bean that is created on demand names the role: it is contested from then on. */
    private boolean isNamedLater(String role) {
        BeanFactory factory = beans;
        return factory != null
                && factory.getBeanProvider(OnLeaderPostProcessor.class).stream()
                        .anyMatch(processor -> processor.isNamedLater(role));
    }

    /** @param owned whether the election is started and stopped here, and not by another bean */
    private record Entry(LeaderElection election, boolean owned) {}
}
