package io.paxoslease.spring.leader;

import io.paxoslease.election.ElectionOptions;
import io.paxoslease.election.Leadership;
import io.paxoslease.protocol.Printable;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.ApplicationEventPublisher;

/**
 * One role of this application: its settings, and the beans and listeners that are notified when it is granted and
 * revoked. The runner of the role's election calls the four steps, in their order, on the election's thread.
 */
final class LeaderRole {

    private static final Logger log = LoggerFactory.getLogger(LeaderRole.class);

    private final String name;
    private final RoleSettings settings;
    private final int phase;
    private final @Nullable String note;
    private final ApplicationEventPublisher publisher;
    private final Object source;
    private final ManagedBeans beans;
    private final RoleContest contest = new RoleContest();
    private final List<Runnable> grantees = new CopyOnWriteArrayList<>();
    private final LongAdder skipped = new LongAdder();
    private final LongAdder interrupted = new LongAdder();
    private final LongAdder overrun = new LongAdder();
    private volatile @Nullable Leadership announced;

    LeaderRole(String name, ElectionSettings elections, ApplicationEventPublisher publisher, Object source) {
        this.name = name;
        this.settings = elections.of(name);
        this.phase = elections.phase();
        this.note = elections.urls().note();
        this.publisher = publisher;
        this.source = source;
        this.beans = new ManagedBeans(name, elections.stopTimeout());
    }

    String name() {
        return name;
    }

    ElectionOptions options() {
        return ElectionOptions.builder()
                .leaseTime(settings.leaseTime())
                .coolDown(settings.coolDown())
                .note(note)
                .preference(settings.preference())
                .build();
    }

    boolean isEligible() {
        return settings.eligible();
    }

    RoleSettings settings() {
        return settings;
    }

    /** The phase of the elections among the application's lifecycle beans. */
    int phase() {
        return phase;
    }

    RoleContest contest() {
        return contest;
    }

    void warnOfLateEnd(Duration timeout) {
        log.warn(
                "Callbacks or guarded calls of the role '{}' took longer than {} after its leadership ended",
                this,
                timeout);
    }

    ManagedBeans beans() {
        return beans;
    }

    /**
     * Calls this on the election's thread after each grant, when listeners have returned; at once if the role is granted already.
     *
     * @param task returns at once and does not throw
     */
    void whenGranted(Runnable task) {
        grantees.add(task);
        if (announced != null) { // of a lazy bean
            task.run();
        }
    }

    /** The first step of a grant. If a bean throws here, leadership ends. */
    void start(Leadership leadership) {
        beans.start(leadership);
    }

    /** The last step of a grant. If a listener throws, leadership stays. */
    void announceGranted(Leadership leadership) {
        publish(new LeadershipGrantedEvent(source, leadership));
        announced = leadership;
        grantees.forEach(Runnable::run);
    }

    /** The first step of an end, before listeners: one that throws must not keep a bean running. */
    void stop() {
        beans.stop();
    }

    /** The last step of an end. */
    void announceRevoked(Leadership leadership) {
        publish(new LeadershipRevokedEvent(source, leadership));
        announced = null;
    }

    /** The leadership whose grant is announced and whose end is not; null between leaderships. */
    @Nullable
    Leadership announced() {
        return announced;
    }

    private void publish(LeadershipEvent event) {
        try {
            publisher.publishEvent(event);
        } catch (Exception | Error failure) { // user code: other JVM languages throw checked exceptions undeclared
            log.warn("A listener of {} failed; leadership is not affected", event, failure);
        }
    }

    void countSkipped() {
        skipped.increment();
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
        return new GuardedCallCounts(skipped.sum(), interrupted.sum(), overrun.sum());
    }

    @Override
    public String toString() {
        return Printable.name(name);
    }
}
