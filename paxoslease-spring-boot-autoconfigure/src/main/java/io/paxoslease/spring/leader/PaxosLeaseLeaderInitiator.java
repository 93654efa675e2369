package io.paxoslease.spring.leader;

import io.paxoslease.election.ElectionOptions;
import io.paxoslease.election.LeaderCandidate;
import io.paxoslease.election.LeaderElection;
import io.paxoslease.election.Leadership;
import io.paxoslease.PaxosLease;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.ApplicationEventPublisherAware;
import org.springframework.context.SmartLifecycle;
import org.springframework.integration.leader.Candidate;
import org.springframework.integration.leader.event.DefaultLeaderEventPublisher;
import org.springframework.integration.leader.event.LeaderEventPublisher;

/**
 * Stands for the role of a Spring Integration {@link Candidate}, calls it, and publishes
 * {@link org.springframework.integration.leader.event.OnGrantedEvent OnGrantedEvent} and
 * {@link org.springframework.integration.leader.event.OnRevokedEvent OnRevokedEvent}.
 *
 * <p>The candidate's calls and the events of one initiator come from one thread, one after the other. The candidate is
 * called first, then the event is published. {@link Candidate#onGranted} may do the leader's work and block: its thread
 * is interrupted when leadership ends, and since an event announces only what lasts, none is published for a leadership
 * that ends before {@code onGranted} has returned. When {@code onGranted} throws, leadership is given up and sought again
 * after a growing pause. What publishers and listeners throw is logged and changes nothing.
 *
 * <p>When leadership is given up ({@link LeaderContext#yield()}, {@link #stop()}), this node stops to be leader first,
 * then the candidate is revoked and the event published, and only then may another node lead.
 */
public final class PaxosLeaseLeaderInitiator
        implements SmartLifecycle, DisposableBean, ApplicationEventPublisherAware, RoleElection {

    private static final Logger log = LoggerFactory.getLogger(PaxosLeaseLeaderInitiator.class);

    /** Shorter than Spring Boot's 30 s for a shutdown phase, so that this says who was late, not only the container. */
    private static final Duration DEFAULT_STOP_TIMEOUT = Duration.ofSeconds(25);

    private final PaxosLease node;
    private final Candidate candidate;
    private final ElectionOptions options;
    private volatile LeaderElection election;
    /** Whether the election is known to others, so that it cannot be replaced any more. */
    private volatile boolean shared;

    private volatile @Nullable LeaderRole role;
    private volatile @Nullable LeaderEventPublisher eventPublisher;
    private volatile @Nullable ApplicationEventPublisher applicationEventPublisher;
    private Duration stopTimeout = DEFAULT_STOP_TIMEOUT;
    private boolean autoStartup = true;
    private int phase = LeaderElections.PHASE;

    /**
     * @param node takes part in the election
     * @param candidate whose role is stood for; {@link Candidate#getId()} is for the candidate's own use, the cell knows
     *     this node by its node id
     * @throws IllegalArgumentException when the role's name is too long
     */
    public PaxosLeaseLeaderInitiator(PaxosLease node, Candidate candidate) {
        this(node, candidate, ElectionOptions.defaults());
    }

    /**
     * @param node takes part in the election
     * @param candidate whose role is stood for
     * @param options how to stand for it
     * @throws IllegalArgumentException when the role's name is too long, or the lease time above the cell's maximum
     */
    public PaxosLeaseLeaderInitiator(PaxosLease node, Candidate candidate, ElectionOptions options) {
        this.node = node;
        this.candidate = candidate;
        this.options = options;
        this.election = newElection(node, candidate, options, new Callbacks());
    }

    private static LeaderElection newElection(
            PaxosLease node, Candidate candidate, ElectionOptions options, LeaderCandidate callbacks) {
        String role = candidate.getRole();
        return new LeaderElection(node, LeaderElections.RESOURCE_PREFIX + role, role, callbacks, options);
    }

    /** Whether this node leads at this instant: the deadline is compared with the clock at each call. */
    public boolean isLeader() {
        return election.isLeader();
    }

    /** The current leadership's context, or one that does not lead. */
    public LeaderContext getContext() {
        return new ElectionContext(election, election.leadership().orElse(null));
    }

    /**
     * Whether {@link org.springframework.integration.leader.event.OnFailedToAcquireMutexEvent OnFailedToAcquireMutexEvent} is
     * published each time that this node has waited for one lease time without becoming the leader. Default false.
     *
     * @throws IllegalStateException when this was started, or others ask its election already
     */
    public void setPublishFailedEvents(boolean publishFailedEvents) {
        if (isRunning() || shared) {
            throw new IllegalStateException(
                    "Set publishFailedEvents before the initiator is started, where the bean is made");
        }
        Duration leaseTime = options.leaseTime() == null ? node.options().leaseTime() : options.leaseTime();
        Duration every = publishFailedEvents ? leaseTime : null;
        election = newElection(node, candidate, options.reportingEvery(every), new Callbacks());
    }

    /** Publishes the events instead of a {@link DefaultLeaderEventPublisher} on the application context. */
    public void setLeaderEventPublisher(LeaderEventPublisher publisher) {
        this.eventPublisher = publisher;
    }

    @Override
    public void setApplicationEventPublisher(ApplicationEventPublisher publisher) {
        this.applicationEventPublisher = publisher;
    }

    /** How long {@link #stop()} waits for {@code onRevoked} and listeners before the lease is released. Default 25 s. */
    public void setStopTimeout(Duration timeout) {
        this.stopTimeout = timeout;
    }

    /** Whether the container starts this. Default true. */
    public void setAutoStartup(boolean autoStartup) {
        this.autoStartup = autoStartup;
    }

    /** When the container starts and stops this. Default {@code Integer.MAX_VALUE - 1000}. */
    public void setPhase(int phase) {
        this.phase = phase;
    }

    @Override
    public String roleName() {
        return election.role();
    }

    @Override
    public void setRole(LeaderRole role) {
        this.role = role;
    }

    /** Does nothing when {@code paxoslease.roles.<name>.eligible} is false. */
    @Override
    public void start() {
        LeaderRole hooks = role;
        if (hooks == null || hooks.isEligible()) {
            election.start();
        }
    }

    /** Revokes and releases leadership, and waits until that is done or the time is up. */
    @Override
    public void stop() {
        if (!election.stop(stopTimeout)) {
            log.warn("onRevoked of {} or a listener took longer than {}", candidate, stopTimeout);
        }
    }

    @Override
    public void stop(Runnable callback) {
        BackgroundStop.start(election.role(), this::stop, callback);
    }

    @Override
    public void destroy() {
        stop();
    }

    @Override
    public boolean isRunning() {
        return election.isRunning();
    }

    @Override
    public boolean isAutoStartup() {
        return autoStartup;
    }

    @Override
    public int getPhase() {
        return phase;
    }

    LeaderElection election() {
        shared = true;
        return election;
    }

    private void publish(Consumer<LeaderEventPublisher> event) {
        ApplicationEventPublisher fallback = applicationEventPublisher;
        LeaderEventPublisher publisher = eventPublisher;
        if (publisher == null && fallback != null) {
            publisher = new DefaultLeaderEventPublisher(fallback);
        }
        if (publisher != null) {
            run("A publisher or listener of leader events", publisher, event);
        }
    }

    private <T> void run(String who, T argument, Consumer<T> action) {
        try {
            action.accept(argument);
        } catch (Exception | Error failure) { // users' code: other JVM languages throw checked ones undeclared
            log.warn("{} failed for the role '{}'; leadership is not affected", who, election.role(), failure);
        }
    }

    /** Called on the election's thread only. */
    private final class Callbacks implements LeaderCandidate {

        private final PaxosLeaseLeaderInitiator source = PaxosLeaseLeaderInitiator.this;
        private @Nullable ElectionContext granted;
        private boolean called;
        private boolean announced;

        @Override
        public void onGranted(Leadership leadership) throws InterruptedException {
            ElectionContext context = new ElectionContext(election, leadership);
            granted = context;
            called = false;
            announced = false;
            LeaderRole hooks = role;
            if (hooks != null) {
                hooks.start(leadership);
            }
            if (!context.isLeader()) {
                return; // a bean that took its start's interrupt for itself would leave none for the candidate
            }
            called = true;
            candidate.onGranted(context);
            if (context.isLeader()) {
                announced = true;
                publish(publisher -> publisher.publishOnGranted(source, context, candidate.getRole()));
                if (hooks != null) {
                    hooks.announceGranted(leadership);
                }
            }
        }

        @Override
        public void onRevoked(Leadership leadership) {
            ElectionContext context = granted == null ? new ElectionContext(election, leadership) : granted;
            granted = null;
            LeaderRole hooks = role;
            try {
                if (hooks != null) {
                    hooks.stop();
                }
            } finally {
                tellRevoked(leadership, context, hooks);
            }
        }

        private void tellRevoked(Leadership leadership, ElectionContext context, @Nullable LeaderRole hooks) {
            if (called) {
                run("onRevoked of " + candidate, context, candidate::onRevoked);
            }
            if (announced) {
                publish(publisher -> publisher.publishOnRevoked(source, context, candidate.getRole()));
                if (hooks != null) {
                    hooks.announceRevoked(leadership);
                }
            }
        }

        @Override
        public void onNotGranted() {
            ElectionContext context = new ElectionContext(election, null);
            publish(publisher -> publisher.publishOnFailedToAcquire(source, context, candidate.getRole()));
        }
    }
}
