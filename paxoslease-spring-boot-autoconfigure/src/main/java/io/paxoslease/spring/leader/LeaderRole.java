package io.paxoslease.spring.leader;

import io.paxoslease.election.ElectionOptions;
import io.paxoslease.election.Leadership;
import io.paxoslease.protocol.Printable;
import java.time.Duration;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.ApplicationEventPublisher;

/**
 * One role of this application: how it is stood for, and what is told when it is granted and revoked. Whoever runs the
 * role's election calls the four steps, in their order, on the election's thread.
 */
public final class LeaderRole {

    private static final Logger log = LoggerFactory.getLogger(LeaderElections.class);

    private final String name;
    private final RoleSettings settings;
    private final ApplicationEventPublisher publisher;
    private final Object source;
    private final ManagedBeans beans;
    private final LongAdder refused = new LongAdder();
    private final LongAdder interrupted = new LongAdder();
    private final LongAdder overrun = new LongAdder();
    private volatile @Nullable Leadership announced;

    LeaderRole(
            String name,
            RoleSettings settings,
            ApplicationEventPublisher publisher,
            Object source,
            Duration stopTimeout) {
        this.name = name;
        this.settings = settings;
        this.publisher = publisher;
        this.source = source;
        this.beans = new ManagedBeans(name, stopTimeout);
    }

    /** The role's name. */
    public String name() {
        return name;
    }

    /** How to stand for it. */
    public ElectionOptions options() {
        return ElectionOptions.defaults().withLeaseTime(settings.leaseTime()).withCoolDown(settings.coolDown());
    }

    /** Whether this node stands for it. */
    public boolean isEligible() {
        return settings.eligible();
    }

    ManagedBeans beans() {
        return beans;
    }

    /** First of all: what a bean throws here ends leadership. */
    void start(Leadership leadership) {
        beans.start(leadership);
    }

    /** Last: what a listener throws changes nothing. */
    void announceGranted(Leadership leadership) {
        publish(new LeadershipGrantedEvent(source, leadership));
        announced = leadership;
    }

    /** First of all: a listener that throws stops those after it, and must not keep a bean running. */
    void stop() {
        beans.stop();
    }

    /** Last. */
    void announceRevoked(Leadership leadership) {
        publish(new LeadershipRevokedEvent(source, leadership));
        announced = null;
    }

    /** What everybody has been told of, and nobody that it has ended; null between leaderships. */
    @Nullable
    Leadership announced() {
        return announced;
    }

    private void publish(LeadershipEvent event) {
        try {
            publisher.publishEvent(event);
        } catch (Exception | Error failure) { // users' code: other JVM languages throw checked ones undeclared
            log.warn("A listener of {} failed; leadership is not affected", event, failure);
        }
    }

    void countRefused() {
        refused.increment();
    }

    void count(boolean wasInterrupted, boolean hasOverrun) {
        if (wasInterrupted) {
            interrupted.increment();
        }
        if (hasOverrun) {
            overrun.increment();
        }
    }

    GuardedCallCounts counts() {
        return new GuardedCallCounts(refused.sum(), interrupted.sum(), overrun.sum());
    }

    @Override
    public String toString() {
        return Printable.name(name);
    }
}
