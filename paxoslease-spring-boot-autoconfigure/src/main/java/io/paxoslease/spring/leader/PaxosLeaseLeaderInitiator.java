package io.paxoslease.spring.leader;

import io.paxoslease.PaxosLease;
import io.paxoslease.election.ElectionOptions;
import io.paxoslease.election.LeaderCandidate;
import io.paxoslease.election.LeaderElection;
import io.paxoslease.election.Leadership;
import io.paxoslease.protocol.Printable;
import io.paxoslease.spring.proxy.AnnotationUsageException;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryAware;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.ApplicationEventPublisherAware;
import org.springframework.context.SmartLifecycle;
import org.springframework.integration.leader.Candidate;
import org.springframework.integration.leader.event.DefaultLeaderEventPublisher;
import org.springframework.integration.leader.event.LeaderEventPublisher;

/**
 * Contests the role of a Spring Integration {@link Candidate}, calls it, and publishes
 * {@link org.springframework.integration.leader.event.OnGrantedEvent OnGrantedEvent} and
 * {@link org.springframework.integration.leader.event.OnRevokedEvent OnRevokedEvent}.
 *
 * <p>The candidate's calls and the events of one initiator come from one thread, one after the other. The candidate is
 * called first, then the event is published. {@link Candidate#onGranted} may do the leader's work and block: its thread
 * is interrupted when leadership ends. No event is published for a leadership that ends before {@code onGranted} has
 * returned. If {@code onGranted} throws, the node resigns and contests the role again after a growing pause. If a
 * publisher or listener throws, the failure is logged and leadership stays.
 *
 * <p>At a voluntary end ({@link LeaderContext#yield()}, {@link #stop()}) this node first ceases to lead, then the
 * candidate is revoked and the event published, and only then may another node lead.
 */
public final class PaxosLeaseLeaderInitiator
        implements SmartLifecycle, DisposableBean, ApplicationEventPublisherAware, BeanFactoryAware, RoleElection {

    private static final Logger log = LoggerFactory.getLogger(PaxosLeaseLeaderInitiator.class);

    /**
     * Shorter than Spring Boot's 30 s for a shutdown phase, so that the log names the late callback before the
     * container gives up.
     */
    private static final Duration DEFAULT_STOP_TIMEOUT = Duration.ofSeconds(25);

    private final PaxosLease node;
    private final Candidate candidate;
    private final ElectionOptions options;
    private volatile LeaderElection election;
    /** Whether other beans use the election, so that it cannot be replaced any more. */
    private volatile boolean shared;

    private volatile @Nullable BeanFactory beans;
    private volatile @Nullable LeaderRole role;
    private volatile @Nullable LeaderEventPublisher eventPublisher;
    private volatile @Nullable ApplicationEventPublisher applicationEventPublisher;
    private Duration stopTimeout = DEFAULT_STOP_TIMEOUT;
    private boolean autoStartup = true;
    private @Nullable Integer phase;

    /**
     * @param node takes part in the election
     * @param candidate its role is contested; {@link Candidate#getId()} is for the candidate's own use, the cell knows
     *     this node by its node id
     * @throws IllegalArgumentException if the role's name is too long
     */
    public PaxosLeaseLeaderInitiator(PaxosLease node, Candidate candidate) {
        this(node, candidate, ElectionOptions.defaults());
    }

    /**
     * @param node takes part in the election
     * @param candidate its role is contested
     * @param options the options of the election
     * @throws IllegalArgumentException if the role's name is too long, or the lease time above the cell's maximum
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
        return LeaderElection.builder(node, role).options(options).build(callbacks);
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
     * Whether
     * {@link org.springframework.integration.leader.event.OnFailedToAcquireMutexEvent OnFailedToAcquireMutexEvent} is
     * published each time this node has waited for one lease time without becoming the leader. Default false.
     *
     * @throws IllegalStateException if this was started, or other beans use its election already
     */
    public void setPublishFailedEvents(boolean publishFailedEvents) {
        if (isRunning() || shared) {
            throw new IllegalStateException(
                    "Set publishFailedEvents before the initiator is started, where the bean is created");
        }
        Duration leaseTime =
                options.leaseTime() == null ? node.monitor().options().leaseTime() : options.leaseTime();
        Duration every = publishFailedEvents ? leaseTime : null;
        election = newElection(
                node, candidate, options.toBuilder().reportEvery(every).build(), new Callbacks());
    }

    /** Publishes the events instead of a {@link DefaultLeaderEventPublisher} on the application context. */
    public void setLeaderEventPublisher(LeaderEventPublisher publisher) {
        this.eventPublisher = publisher;
    }

    @Override
    public void setApplicationEventPublisher(ApplicationEventPublisher publisher) {
        this.applicationEventPublisher = publisher;
    }

    /** @throws AnnotationUsageException if the elections belong to a parent context: they would contest the role beside this, or not know it */
    @Override
    public void setBeanFactory(BeanFactory beanFactory) {
        if (beanFactory instanceof ListableBeanFactory factory && LifecycleHandover.isOfChild(factory)) {
            throw new AnnotationUsageException(
                    "The PaxosLeaseLeaderInitiator of the role '%s' belongs to a child of the application context that has the elections, which do not find it there."
                            .formatted(Printable.name(roleName())),
                    "Move it to the parent context.");
        }
        this.beans = beanFactory;
    }

    /**
     * How long {@link #stop()} waits for {@code onRevoked} and listeners before the lease is released. Default 25 s.
     */
    public void setStopTimeout(Duration timeout) {
        this.stopTimeout = timeout;
    }

    /** Whether the container starts this. Default true. */
    public void setAutoStartup(boolean autoStartup) {
        this.autoStartup = autoStartup;
    }

    /** When the container starts and stops this. Default {@code paxoslease.phase}. */
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

    /** Does nothing if {@code paxoslease.roles.<name>.eligible} is false. */
    @Override
    public void start() {
        LeaderRole hooks = role;
        if (hooks == null) {
            election.start();
        } else if (hooks.isEligible()) {
            hooks.contest().start(election);
        }
    }

    /** Revokes and releases leadership, and waits until that is done or the timeout is over. */
    @Override
    public void stop() {
        LeaderRole hooks = role;
        boolean done =
                hooks == null ? election.stop(stopTimeout) : hooks.contest().stop(election, stopTimeout);
        if (!done) {
            log.warn("onRevoked of {} or a listener took longer than {}", Printable.text(candidate), stopTimeout);
        }
    }

    @Override
    public void stop(Runnable callback) {
        BackgroundStops.start(beans, election.role(), this::stop, callback);
    }

    /** After a stop, what is still running has been waited for. */
    @Override
    public void destroy() {
        if (isRunning()) {
            stop();
        }
    }

    /** Whether this was started and not stopped, also while the role is not contested because the application is not ready or not healthy. */
    @Override
    public boolean isRunning() {
        LeaderRole hooks = role;
        return election.isRunning() || (hooks != null && hooks.contest().isStarted(election));
    }

    @Override
    public boolean isAutoStartup() {
        return autoStartup;
    }

    @Override
    public int getPhase() {
        Integer chosen = phase;
        LeaderRole hooks = role;
        if (chosen != null) {
            return chosen;
        }
        return hooks == null ? ElectionSettings.DEFAULT_PHASE : hooks.phase();
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
        } catch (Exception | Error failure) { // user code: other JVM languages throw checked exceptions undeclared
            log.warn(
                    "{} failed for the role '{}'; leadership is not affected",
                    Printable.text(who),
                    Printable.name(election.role()),
                    failure);
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
                return; // a bean that consumed the interrupt of its start would leave none for the candidate
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
