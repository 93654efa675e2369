package io.paxoslease.spring.leader;

import io.paxoslease.PaxosLease;
import io.paxoslease.election.Leadership;
import io.paxoslease.protocol.Printable;
import io.paxoslease.spring.proxy.AnnotationUsageException;
import io.paxoslease.spring.runs.RunLog;
import io.paxoslease.spring.runs.ScheduledRun;
import java.lang.reflect.Method;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.util.ReflectionUtils;

/**
 * Records the runs of scheduled methods with {@link OnLeader.Missed#RUN_ON_GRANT}, and makes up for the latest one when this
 * node has become the leader. Thread-safe. Registered by the auto-configuration.
 */
final class MissedRuns implements SmartInitializingSingleton, DisposableBean {

    private static final Logger log = LoggerFactory.getLogger(OnLeader.class);

    /** What {@link #run} returns where leadership ended before the run could begin. */
    static final Object NOT_RUN = new Object();

    /** By the key of the task. */
    private final Map<String, RecordedMethod> tasks = new ConcurrentHashMap<>();

    private final ObjectProvider<RunLog> configured;
    private final ObjectProvider<PaxosLease> node;
    private final MissedRunScheduler schedule;
    private volatile boolean checked;
    private volatile @Nullable RunLog runs;

    /**
     * Looks beans up when it is first used.
     *
     * @param configured the application's log, if it has one; otherwise the members remember the runs
     */
    MissedRuns(ObjectProvider<RunLog> configured, ObjectProvider<PaxosLease> node, BeanFactory beans) {
        this(configured, node, MissedRunScheduler.of(beans));
    }

    MissedRuns(ObjectProvider<RunLog> configured, ObjectProvider<PaxosLease> node, MissedRunScheduler schedule) {
        this.configured = configured;
        this.node = node;
        this.schedule = schedule;
    }

    void add(RecordedTask task, LeaderRole role, BeanFactory beans, String name, Method method) {
        if (!beans.isSingleton(name)) {
            throw OnLeaderRules.misuse(
                    method,
                    "has missed = RUN_ON_GRANT, and its bean '%s' is no singleton: its runs could not be told apart."
                            .formatted(name),
                    "Make the bean a singleton, or leave missed out.");
        }
        RecordedMethod recorded = new RecordedMethod(task, role, method, () -> beans.getBean(name), schedule.now());
        RecordedMethod other = tasks.putIfAbsent(task.key(), recorded);
        if (other != null) {
            throw OnLeaderRules.misuse(
                    method,
                    "has missed = RUN_ON_GRANT, and so has %s, which has the same name and role: their runs could not be told apart."
                            .formatted(other.method),
                    "Rename one of the classes or methods, let them have different roles, or make one bean of the class.");
        }
        if (checked) {
            check(recorded);
        }
        role.whenGranted(() -> granted(recorded));
    }

    /** @throws AnnotationUsageException if nothing can remember the runs */
    @Override
    public void afterSingletonsInstantiated() {
        tasks.values().forEach(this::check);
        checked = true;
    }

    private void check(RecordedMethod recorded) {
        PaxosLease asked = node.getIfAvailable();
        if (asked != null
                && !asked.monitor().options().algorithm().hasMembers()
                && configured.getIfAvailable() == null) {
            throw OnLeaderRules.misuse(
                    recorded.method,
                    "has missed = RUN_ON_GRANT, and with algorithm 'storage' there are no members to remember runs.",
                    "Declare a JdbcRuns bean, or another RunLog.");
        }
    }

    /**
     * Makes the run that is due, and records it. Runs of one method are made one after the other.
     *
     * @return null also if the slot is finished already; {@link #NOT_RUN} if leadership has ended before the run could begin
     */
    @Nullable
    Object run(RecordedTask task, Leadership leadership, MethodInvocation invocation) throws Throwable {
        RecordedMethod recorded = tasks.get(task.key());
        if (recorded == null) {
            return invocation.proceed();
        }
        try {
            recorded.lock.lockInterruptibly();
        } catch (InterruptedException e) {
            if (leadership.isLeader()) {
                throw e;
            }
            return NOT_RUN;
        }
        try {
            Optional<Instant> slot = task.slots().firedAt(schedule.now());
            if (slot.isEmpty()) {
                return invocation.proceed();
            }
            ScheduledRun run = runOf(task, slot.get(), leadership);
            boolean begins = begin(recorded, run, leadership);
            if (!leadership.isLeader()) {
                log.debug("{} is left to the next leader: leadership has ended while the log was asked", run);
                return NOT_RUN;
            }
            if (!begins) {
                log.debug(
                        "{} was not run for {}: that slot is finished, or a later one",
                        Printable.name(task.name()),
                        run.slot());
                lookAfterTheNextSlot(recorded);
                return null;
            }
            return proceed(recorded, run, leadership, invocation);
        } finally {
            recorded.lock.unlock();
        }
    }

    /** The wall clock was set back, and the trigger has fired too early: it does not fire again for that slot. */
    private void lookAfterTheNextSlot(RecordedMethod recorded) {
        Instant next = recorded.task.slots().next(schedule.now());
        if (next != null) {
            schedule.at(next.plus(CronSlots.EARLY), recorded.task, recorded.looksLater, () -> makeUpFor(recorded));
        }
    }

    private ScheduledRun runOf(RecordedTask task, Instant slot, Leadership leadership) {
        String cell = node.getObject().monitor().options().cell();
        return new ScheduledRun(cell, task.role(), task.name(), slot, leadership.fencingToken());
    }

    /** False also if leadership has ended before the log answered. */
    private boolean begin(RecordedMethod recorded, ScheduledRun run, Leadership leadership) {
        try {
            return runLog().begin(run);
        } catch (RuntimeException | Error failure) {
            if (failure instanceof RuntimeException && !leadership.isLeader()) {
                log.debug("The log was not read or written for {}", run, failure);
                return false;
            }
            schedule.retry(recorded.task, recorded.looks, () -> makeUpFor(recorded));
            throw failure;
        }
    }

    private @Nullable Object proceed(
            RecordedMethod recorded, ScheduledRun run, Leadership leadership, MethodInvocation invocation)
            throws Throwable {
        boolean returned = false;
        ScheduledRun.Scope current = run.makeCurrent();
        try (current) {
            @Nullable Object result = invocation.proceed();
            returned = true;
            return result;
        } finally {
            // A method that fails while it leads is not repeated, as by any trigger. One that fails because the
            // leadership has ended leaves the slot to the next leader.
            if (returned || leadership.isLeader()) {
                finish(recorded, run);
            }
        }
    }

    /** Before the lease is released, and without the interrupt of the end of leadership, which is for the run. */
    private void finish(RecordedMethod recorded, ScheduledRun run) {
        boolean interrupted = Thread.interrupted();
        try {
            try {
                runLog().finish(run);
            } catch (RuntimeException failure) {
                if (!Thread.interrupted()) {
                    throw failure;
                }
                interrupted = true;
                runLog().finish(run);
            }
        } catch (RuntimeException failure) {
            log.error("{} has finished, but that could not be recorded; trying again", run, failure);
            recorded.unrecorded.set(run);
            schedule.retry(recorded.task, recorded.finishes, () -> finishLater(recorded));
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** As long as this tenure lasts, and until another run begins. */
    private void finishLater(RecordedMethod recorded) {
        ScheduledRun run = recorded.unrecorded.getAndSet(null);
        Leadership leadership = recorded.role.announced();
        if (run == null) {
            return;
        }
        if (leadership == null || !leadership.isLeader() || leadership.fencingToken() != run.token()) {
            log.warn("It could not be recorded that {} has finished: a new leader makes it again", run);
            return;
        }
        try {
            runLog().finish(run);
        } catch (IllegalStateException another) {
            log.debug("{} is not the latest run any more", run, another);
        } catch (RuntimeException failure) {
            log.warn("It cannot be recorded that {} has finished; trying again: {}", run, failure.toString());
            recorded.unrecorded.compareAndSet(null, run); // unless a later one has finished meanwhile
            schedule.retry(recorded.task, recorded.finishes, () -> finishLater(recorded));
        }
    }

    /** On the election's thread: the log is asked on one of the scheduler. */
    private void granted(RecordedMethod recorded) {
        Instant now = schedule.now();
        recorded.grantedAt = now;
        schedule.at(now, recorded.task, recorded.looks, () -> makeUpFor(recorded));
    }

    private void makeUpFor(RecordedMethod recorded) {
        Leadership leadership = recorded.role.announced();
        CronSlots slots = recorded.task.slots();
        Optional<Instant> slot = slots.latest(schedule.now());
        if (leadership == null || !leadership.isLeader() || slot.isEmpty()) {
            return;
        }
        ScheduledRun run = runOf(recorded.task, slot.get(), leadership);
        boolean missed;
        try {
            // What was due at the grant is what may count as finished if nothing is known; a slot since then may not.
            Optional<Instant> atGrant = slots.latest(recorded.grantedAt).filter(run.slot()::isAfter);
            if (atGrant.isPresent()) {
                runLog().isMissed(runOf(recorded.task, atGrant.get(), leadership));
            }
            missed = runLog().isMissed(run);
        } catch (RuntimeException failure) {
            if (!leadership.isLeader()) {
                log.debug("The log was not read for {}", run, failure);
                return;
            }
            log.warn(
                    "It cannot be found out whether a run was missed; asking again in {}: {}",
                    MissedRunScheduler.RETRY,
                    run,
                    failure);
            schedule.retry(recorded.task, recorded.looks, () -> makeUpFor(recorded));
            return;
        }
        boolean isNextDue = !slots.firedAt(schedule.now()).equals(slot); // its trigger makes that one
        if (missed && !isNextDue) {
            log.info("Making up for a run that no leader has finished: {}", run);
            recorded.call();
        }
    }

    private RunLog runLog() {
        RunLog found = runs;
        if (found == null) {
            found = configured.getIfAvailable(() -> RunLog.inMemoryOf(node.getObject()));
            runs = found;
        }
        return found;
    }

    @Override
    public void destroy() throws Exception {
        schedule.close();
    }

    private static final class RecordedMethod {

        private final RecordedTask task;
        private final LeaderRole role;
        private final Method method;
        /** The bean with all its proxies. */
        private final Supplier<Object> bean;

        /** Held by the run that is made. */
        private final ReentrantLock lock = new ReentrantLock(true);
        /** Whether a look for a missed run is scheduled. */
        private final AtomicBoolean looks = new AtomicBoolean();
        /** Whether one after the next slot is scheduled. */
        private final AtomicBoolean looksLater = new AtomicBoolean();
        /** Whether another try to record an end is scheduled: of the run that is {@link #unrecorded} then. */
        private final AtomicBoolean finishes = new AtomicBoolean();
        /** The latest run that has finished without a record of it; null: none. */
        private final AtomicReference<@Nullable ScheduledRun> unrecorded = new AtomicReference<>();
        /** When this node has become the leader last. */
        private volatile Instant grantedAt;

        RecordedMethod(RecordedTask task, LeaderRole role, Method method, Supplier<Object> bean, Instant now) {
            this.task = task;
            this.role = role;
            this.method = method;
            this.bean = bean;
            this.grantedAt = now;
        }

        /** Calls the method, as its trigger does. */
        void call() {
            Object target = bean.get();
            Method invocable = AopUtils.selectInvocableMethod(method, target.getClass());
            ReflectionUtils.makeAccessible(invocable);
            ReflectionUtils.invokeMethod(invocable, target);
        }
    }
}
