package io.paxoslease.spring.leader;

import static io.paxoslease.spring.leader.OnLeader.Missed.RUN_ON_GRANT;
import static io.paxoslease.spring.leader.OnLeader.Otherwise.FAIL;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;
import static org.awaitility.Awaitility.await;

import io.paxoslease.PaxosLease;
import io.paxoslease.PaxosLeaseException;
import io.paxoslease.PaxosLeaseOptions;
import io.paxoslease.election.LeaderElection;
import io.paxoslease.election.NotLeaderException;
import io.paxoslease.spring.proxy.AnnotationUsageException;
import io.paxoslease.spring.runs.RunLog;
import io.paxoslease.spring.runs.ScheduledRun;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Delayed;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Scope;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.task.TaskRejectedException;
import org.springframework.scheduling.SchedulingAwareRunnable;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.scheduling.concurrent.SimpleAsyncTaskScheduler;

@Tag("slow")
@ExtendWith(OutputCaptureExtension.class)
class MissedRunsTest {

    private static final Instant SLOT = Instant.parse("2026-11-25T03:00:00Z");
    private static final Instant BEFORE = SLOT.minus(Duration.ofDays(1));

    private static final Map<String, Object> PROPERTIES =
            Map.of("nightly", "0 0 3 * * *", "off", "-", "zone", "UTC", "role", "reports", "long", "x".repeat(230));

    private final StubbedElections elections = new StubbedElections();
    private final Scheduler scheduler = new Scheduler();
    private final ScriptedLog runLog = new ScriptedLog();
    private final SettableClock clock = new SettableClock(SLOT.plusSeconds(600));
    private @Nullable AnnotationConfigApplicationContext context;

    @AfterEach
    void close() {
        if (context != null) {
            context.close();
        }
        elections.stop();
    }

    private <T> T bean(Class<T> type) {
        return open(type).getBean(type);
    }

    private AnnotationConfigApplicationContext open(Class<?>... types) {
        MissedRuns missed = new MissedRuns(
                provider(() -> runLog), provider(MissedRunsTest::node), new MissedRunScheduler(scheduler, clock));
        AnnotationConfigApplicationContext opened = new AnnotationConfigApplicationContext();
        opened.registerBean(MissedRuns.class, () -> missed);
        opened.registerBean(
                OnLeaderPostProcessor.class, () -> new OnLeaderPostProcessor(elections, () -> null, () -> missed));
        opened.getEnvironment().getPropertySources().addFirst(new MapPropertySource("test", PROPERTIES));
        opened.register(types);
        context = opened;
        opened.refresh();
        return opened;
    }

    /** Returns when the role is announced and its methods are to be looked at. */
    private LeaderElection grant() {
        CountDownLatch told = new CountDownLatch(1);
        elections.join("reports").whenGranted(told::countDown);
        LeaderElection election = elections.lead("reports");
        await().until(() -> told.getCount() == 0);
        return election;
    }

    private static PaxosLease node() {
        return PaxosLease.create(PaxosLeaseOptions.builder("stub").cell("shop").build());
    }

    private static <T> ObjectProvider<T> provider(Supplier<T> supplier) {
        return new ObjectProvider<>() {
            @Override
            public T getObject() {
                return supplier.get();
            }
        };
    }

    @Test
    void aNewLeaderMakesUpForTheLatestSlotThatIsNotFinished() {
        Reports reports = bean(Reports.class);
        grant();
        assertThat(reports.runs()).isEmpty();

        scheduler.runAll();

        assertThat(reports.runs()).containsExactly(SLOT);
        assertThat(runLog.calls)
                .containsExactly(
                        "isMissed 2026-11-25T03:00:00Z", "begin 2026-11-25T03:00:00Z", "finish 2026-11-25T03:00:00Z");
        ScheduledRun run = runLog.latest();
        assertThat(run.cell()).isEqualTo("shop");
        assertThat(run.role()).isEqualTo("reports");
        assertThat(run.task()).isEqualTo("Reports.nightly()");
        assertThat(run.token()).isPositive();
        assertThat(ScheduledRun.current()).isEmpty();
    }

    @Test
    void aSlotThatIsFinishedIsNotMadeUpFor() {
        Reports reports = bean(Reports.class);
        runLog.finished = SLOT;
        grant();
        scheduler.runAll();
        assertThat(reports.runs()).isEmpty();
        assertThat(runLog.calls).containsExactly("isMissed 2026-11-25T03:00:00Z");
    }

    @Test
    void itIsLookedAtAfterEachGrantByTheSchedulerOfTheMethod() {
        bean(Reports.class);
        grant().resign();
        await().until(() -> scheduler.planned.size() == 1);
        assertThat(scheduler.planned.remove()).isEqualTo(new Planned("nights", clock.instant()));
        scheduler.tasks.remove().run();
        await().until(() -> scheduler.planned.size() == 1);
        assertThat(scheduler.planned.remove()).isEqualTo(new Planned("nights", clock.instant()));
    }

    @Test
    void aFollowerNeitherMakesUpNorAsks() {
        Reports reports = bean(Reports.class);
        grant();
        elections.loseEverything();
        await().until(() -> elections.announced("reports") == null);
        scheduler.runAll();
        reports.nightly();
        assertThat(reports.runs()).isEmpty();
        assertThat(runLog.calls).isEmpty();
    }

    @Test
    void aLogThatCannotBeReadIsAskedAgainAfterTenSeconds() {
        Reports reports = bean(Reports.class);
        runLog.failures.set(1);
        grant();
        scheduler.runAll();
        assertThat(reports.runs()).isEmpty();
        assertThat(scheduler.planned)
                .last()
                .isEqualTo(new Planned("nights", clock.instant().plusSeconds(10)));

        scheduler.runAll();
        assertThat(reports.runs()).containsExactly(SLOT);
        assertThat(scheduler.tasks).isEmpty();
    }

    @Test
    void aRunThatIsDueIsRecordedAndMadeOnce() {
        Reports reports = bean(Reports.class);
        grant();
        scheduler.tasks.clear();
        reports.nightly();
        reports.nightly();
        assertThat(reports.runs()).containsExactly(SLOT);
        assertThat(runLog.calls)
                .containsExactly(
                        "begin 2026-11-25T03:00:00Z", "finish 2026-11-25T03:00:00Z", "begin 2026-11-25T03:00:00Z");
    }

    @Test
    void aTriggerThatFiresALittleEarlyMakesTheRunOfItsSlot() {
        Reports reports = bean(Reports.class);
        grant();
        runLog.finished = BEFORE;
        clock.now = SLOT.minusMillis(500);
        reports.nightly();
        assertThat(reports.runs()).containsExactly(SLOT);
    }

    @Test
    void aRunThatFailsOnTheLeaderIsFinished() {
        Reports reports = bean(Reports.class);
        grant();
        reports.work(() -> {
            throw new IllegalStateException("no paper");
        });
        assertThatThrownBy(reports::nightly).hasMessage("no paper");
        assertThat(runLog.calls).contains("finish 2026-11-25T03:00:00Z");
    }

    @Test
    void aRunThatFailsAfterLeadershipHasEndedIsLeftToTheNextLeader() {
        Reports reports = bean(Reports.class);
        grant();
        reports.work(() -> {
            elections.loseEverything();
            throw new IllegalStateException("interrupted");
        });
        assertThatThrownBy(reports::nightly).hasMessage("interrupted");
        assertThat(runLog.calls).containsExactly("begin 2026-11-25T03:00:00Z");
    }

    @Test
    void aRunThatReturnsIsFinishedAndTheInterruptDoesNotDisturbTheLog() {
        Reports reports = bean(Reports.class);
        grant();
        reports.work(() -> Thread.currentThread().interrupt());
        reports.nightly();
        assertThat(Thread.interrupted()).isTrue();
        assertThat(runLog.calls).contains("finish 2026-11-25T03:00:00Z");
        assertThat(runLog.wasInterrupted).isFalse();
    }

    @Test
    void theEndOfALaterRunIsRecordedThoughThatOfAnEarlierOneStillWaits() {
        Instant slot = SLOT.plusSeconds(600); // of the clock
        Often often = bean(Often.class);
        runLog.finished = slot.minusSeconds(5);
        grant();
        scheduler.tasks.clear();
        often.work(() -> runLog.failures.set(1));
        often.everyFiveSeconds();
        clock.now = slot.plusSeconds(5);
        often.everyFiveSeconds();
        assertThat(runLog.calls).containsExactly("begin 2026-11-25T03:10:00Z", "begin 2026-11-25T03:10:05Z");
        assertThat(scheduler.tasks).hasSize(1);

        scheduler.runAll();

        assertThat(runLog.calls).last().isEqualTo("finish 2026-11-25T03:10:05Z");
        assertThat(scheduler.tasks).isEmpty();
    }

    @Test
    void anEndThatCannotBeRecordedIsRecordedLaterAsLongAsTheNodeLeads() {
        Reports reports = bean(Reports.class);
        grant();
        scheduler.tasks.clear();
        reports.work(() -> runLog.failures.set(2));
        reports.nightly();
        assertThat(reports.runs()).containsExactly(SLOT);
        assertThat(scheduler.planned)
                .last()
                .isEqualTo(new Planned("nights", clock.instant().plusSeconds(10)));
        scheduler.runAll();
        assertThat(runLog.calls).doesNotContain("finish 2026-11-25T03:00:00Z");
        scheduler.runAll();
        assertThat(runLog.calls).contains("finish 2026-11-25T03:00:00Z");
        assertThat(scheduler.tasks).isEmpty();
    }

    @Test
    void anEndThatCannotBeRecordedIsLeftWhenTheNodeLeadsNoMore() {
        Reports reports = bean(Reports.class);
        grant();
        scheduler.tasks.clear();
        reports.work(() -> runLog.failures.set(1));
        reports.nightly();
        elections.loseEverything();
        await().until(() -> elections.announced("reports") == null);
        scheduler.runAll();
        assertThat(runLog.calls).containsExactly("begin 2026-11-25T03:00:00Z");
        assertThat(scheduler.tasks).isEmpty();
    }

    /** Its scheduler logs whatever a method throws, with its stack. */
    @Test
    void aRunIsSkippedAfterLeadershipHasEndedWhileTheLogWasAsked() {
        Reports reports = bean(Reports.class);
        grant();
        scheduler.tasks.clear();
        runLog.meanwhile = elections::loseEverything;
        reports.nightly();
        assertThat(reports.runs()).isEmpty();
        assertThat(runLog.calls).containsExactly("begin 2026-11-25T03:00:00Z");
        assertThat(elections.calls).hasSize(2).first().isEqualTo("refused");
        assertThat(elections.calls).last(STRING).doesNotContain("overrun");
    }

    @Test
    void aRunIsSkippedWhenTheLogFailsBecauseLeadershipHasEnded(CapturedOutput output) {
        Reports reports = bean(Reports.class);
        grant();
        runLog.meanwhile = () -> {
            elections.loseEverything();
            throw new PaxosLeaseException("interrupted");
        };
        reports.nightly();
        scheduler.runAll(); // the look after the grant
        assertThat(reports.runs()).isEmpty();
        assertThat(scheduler.tasks).isEmpty();
        assertThat(output).doesNotContain("interrupted");
    }

    @Test
    void aLookThatFailsBecauseLeadershipHasEndedIsNotRepeated(CapturedOutput output) {
        Reports reports = bean(Reports.class);
        grant();
        runLog.whileLooking = () -> {
            elections.loseEverything();
            throw new PaxosLeaseException("interrupted");
        };
        scheduler.runAll();
        assertThat(runLog.calls).containsExactly("isMissed 2026-11-25T03:00:00Z");
        assertThat(reports.runs()).isEmpty();
        assertThat(scheduler.tasks).isEmpty();
        assertThat(output).doesNotContain("asking again");
    }

    @Test
    void aRunThatMayFailIsRefusedAfterLeadershipHasEndedWhileTheLogWasAsked() {
        Strict strict = bean(Strict.class);
        grant();
        runLog.meanwhile = elections::loseEverything;
        assertThatExceptionOfType(NotLeaderException.class).isThrownBy(strict::nightly);
        assertThat(strict.runs()).isZero();
    }

    @Test
    void aRunThatWaitsForAnotherOneIsSkippedWhenLeadershipEnds() throws InterruptedException {
        Reports reports = bean(Reports.class);
        grant();
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        reports.work(() -> {
            inside.countDown();
            await().until(() -> goOn.getCount() == 0);
        });
        Thread first = new Thread(reports::nightly);
        first.setUncaughtExceptionHandler((thread, failure) -> {}); // the wait in its run is interrupted
        first.start();
        inside.await();
        AtomicReference<@Nullable Throwable> thrown = new AtomicReference<>();
        Thread second = new Thread(reports::nightly);
        second.setUncaughtExceptionHandler((thread, failure) -> thrown.set(failure));
        second.start();
        await().until(() -> second.getState() == Thread.State.WAITING);
        elections.loseEverything();
        second.join();
        goOn.countDown();
        first.join();
        assertThat(thrown.get()).isNull();
        assertThat(elections.calls).contains("refused");
        assertThat(reports.runs()).containsExactly(SLOT);
    }

    /** The scheduler may be busy, or the log away, from before a slot until after it. */
    @Test
    void whereNothingIsKnownASlotSinceTheGrantIsNotLost() {
        Reports reports = bean(Reports.class);
        runLog.finished = null;
        grant();
        clock.now = SLOT.plus(Duration.ofDays(1)).plusSeconds(5);
        scheduler.runAll();
        assertThat(reports.runs()).containsExactly(SLOT.plus(Duration.ofDays(1)));
    }

    @Test
    void whereNothingIsKnownNothingWasMissed() {
        Reports reports = bean(Reports.class);
        runLog.finished = null;
        grant();
        scheduler.runAll();
        assertThat(reports.runs()).isEmpty();
    }

    /** After the wall clock was set back: Spring's trigger goes on with the day after. */
    @Test
    void aTriggerThatFiresMuchTooEarlyIsMadeUpForAfterItsSlot() {
        Reports reports = bean(Reports.class);
        runLog.finished = BEFORE;
        clock.now = SLOT.minusSeconds(5);
        grant();
        scheduler.runAll();
        reports.nightly();
        assertThat(reports.runs()).isEmpty();
        assertThat(scheduler.planned).last().isEqualTo(new Planned("nights", SLOT.plusSeconds(1)));
        clock.now = SLOT.plusSeconds(1);
        scheduler.runAll();
        assertThat(reports.runs()).containsExactly(SLOT);
    }

    @Test
    void aSlotThatIsAboutToComeIsLeftToItsTrigger() {
        Reports reports = bean(Reports.class);
        clock.now = SLOT.plus(Duration.ofDays(1)).minusMillis(500);
        grant();
        scheduler.runAll();
        assertThat(reports.runs()).isEmpty();
        clock.now = clock.now.plusMillis(500);
        reports.nightly();
        assertThat(reports.runs()).containsExactly(SLOT.plus(Duration.ofDays(1)));
    }

    @Test
    void aRunWhoseBeginningCannotBeRecordedIsNotMadeAndLookedAtAgainOnce() {
        Reports reports = bean(Reports.class);
        grant();
        scheduler.runAll();
        reports.clear();
        runLog.finished = BEFORE;
        scheduler.planned.clear();

        runLog.failures.set(2);
        assertThatThrownBy(reports::nightly).hasMessage("the log cannot be asked");
        assertThatThrownBy(reports::nightly).hasMessage("the log cannot be asked");
        assertThat(reports.runs()).isEmpty();
        assertThat(scheduler.planned)
                .containsExactly(new Planned("nights", clock.instant().plusSeconds(10)));

        scheduler.runAll();
        assertThat(reports.runs()).containsExactly(SLOT);
    }

    @Test
    void aSchedulerThatIsStoppedIsNoFailure() {
        bean(Reports.class);
        scheduler.stopped = true;
        grant();
        assertThat(elections.announced("reports")).isNotNull();
        assertThat(scheduler.tasks).isEmpty();
    }

    @Test
    void runsOfOneMethodAreMadeOneAfterTheOther() throws InterruptedException {
        Reports reports = bean(Reports.class);
        grant();
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        reports.work(() -> {
            inside.countDown();
            await().until(() -> goOn.getCount() == 0);
        });
        Thread first = new Thread(scheduler::runAll);
        first.start();
        inside.await();
        reports.work(() -> {});
        clock.now = SLOT.plus(Duration.ofDays(1));
        Thread second = new Thread(reports::nightly);
        second.start();
        await().until(() -> second.getState() == Thread.State.WAITING);
        assertThat(runLog.calls).doesNotContain("begin 2026-11-26T03:00:00Z");
        goOn.countDown();
        first.join();
        second.join();
        assertThat(reports.runs()).containsExactly(SLOT, SLOT.plus(Duration.ofDays(1)));
    }

    @Test
    void aBeanThatIsCreatedOnTheLeaderIsLookedAtAtOnce() {
        AnnotationConfigApplicationContext opened = open(LateReports.class);
        grant();
        assertThat(scheduler.tasks).isEmpty();
        opened.getBean(LateReports.class);
        assertThat(scheduler.planned).containsExactly(new Planned("", clock.instant()));
    }

    @Test
    void aScheduleThatIsSwitchedOffIsNotRecorded() {
        SwitchedOff reports = bean(SwitchedOff.class);
        grant();
        reports.nightly();
        assertThat(reports.runs()).isEqualTo(1);
        assertThat(scheduler.tasks).isEmpty();
        assertThat(runLog.calls).isEmpty();
    }

    @Test
    void onAClassItAppliesToMethodsWithACronExpression() {
        Mixed mixed = bean(Mixed.class);
        grant();
        assertThat(mixed.other()).isEqualTo("other");
        mixed.often();
        assertThat(runLog.calls).isEmpty();
        scheduler.runAll();
        assertThat(runLog.calls).contains("begin 2026-11-25T03:00:00Z");
        assertThat(runLog.latest().task()).isEqualTo("Mixed.nightly()");
    }

    @Test
    void methodsWhoseSlotsCannotBeKnownAreRefused() {
        assertRefused(
                NoCron.class, "NoCron.run() has missed = RUN_ON_GRANT, which is for methods with one @Scheduled(cron");
        assertRefused(
                TwoCrons.class,
                "TwoCrons.run() has missed = RUN_ON_GRANT, which is for methods with one @Scheduled(cron");
        assertRefused(
                Returns.class, "returns Object; a run is finished when the method returns, so it must return void");
        assertRefused(Prototype.class, "its bean 'missedRunsTest.Prototype' is no singleton");
        assertRefused(BadCron.class, "has a schedule that cannot be read: ");
        assertRefused(BadZone.class, "has a schedule that cannot be read: ");
        assertRefused(LongName.class, "have more than 239 bytes together");
    }

    @Test
    void twoMethodsOfOneNameAreRefused() {
        assertThatThrownBy(() -> open(Reports.class, Other.Reports.class))
                .rootCause()
                .isInstanceOf(AnnotationUsageException.class)
                .hasMessageContaining("which has the same name and role: their runs could not be told apart");
    }

    private void assertRefused(Class<?> type, String message) {
        assertThatThrownBy(() -> open(type).getBean(type))
                .rootCause()
                .isInstanceOf(AnnotationUsageException.class)
                .hasMessageContaining(message);
    }

    static class Reports {

        private final Queue<Instant> runs = new ConcurrentLinkedQueue<>();
        private volatile Runnable work = () -> {};

        List<Instant> runs() {
            return List.copyOf(runs);
        }

        void work(Runnable next) {
            work = next;
        }

        void clear() {
            runs.clear();
        }

        @Scheduled(cron = "${nightly}", zone = "${zone}", scheduler = "nights")
        @OnLeader(role = "${role}", missed = RUN_ON_GRANT)
        void nightly() {
            runs.add(ScheduledRun.current().orElseThrow().slot());
            work.run();
        }
    }

    @Lazy
    static class LateReports {

        @Scheduled(cron = "0 0 3 * * *")
        @OnLeader(role = "reports", missed = RUN_ON_GRANT)
        void nightly() {}
    }

    static class Strict {

        private final AtomicInteger runs = new AtomicInteger();

        int runs() {
            return runs.get();
        }

        @Scheduled(cron = "0 0 3 * * *", zone = "UTC")
        @OnLeader(role = "reports", missed = RUN_ON_GRANT, otherwise = FAIL)
        void nightly() {
            runs.incrementAndGet();
        }
    }

    static class SwitchedOff {

        private int runs;

        int runs() {
            return runs;
        }

        @Scheduled(cron = "${off}")
        @OnLeader(role = "reports", missed = RUN_ON_GRANT)
        void nightly() {
            runs++;
        }
    }

    @OnLeader(role = "reports", missed = RUN_ON_GRANT)
    static class Mixed {

        @Scheduled(cron = "0 0 3 * * *", zone = "UTC")
        void nightly() {}

        @Scheduled(fixedDelay = 1000)
        void often() {}

        @Nullable
        String other() {
            return "other";
        }
    }

    static class NoCron {

        @Scheduled(fixedRate = 1000)
        @OnLeader(missed = RUN_ON_GRANT)
        void run() {}
    }

    static class TwoCrons {

        @Scheduled(cron = "0 0 3 * * *")
        @Scheduled(cron = "0 0 4 * * *")
        @OnLeader(missed = RUN_ON_GRANT)
        void run() {}
    }

    static class Returns {

        @Scheduled(cron = "0 0 3 * * *")
        @OnLeader(missed = RUN_ON_GRANT)
        Object run() {
            return "";
        }
    }

    @Scope("prototype")
    static class Prototype {

        @Scheduled(cron = "0 0 3 * * *")
        @OnLeader(missed = RUN_ON_GRANT)
        void run() {}
    }

    static class BadCron {

        @Scheduled(cron = "at night")
        @OnLeader(missed = RUN_ON_GRANT)
        void run() {}
    }

    static class BadZone {

        @Scheduled(cron = "0 0 3 * * *", zone = "Middle/Earth")
        @OnLeader(missed = RUN_ON_GRANT)
        void run() {}
    }

    static class LongName {

        @Scheduled(cron = "0 0 3 * * *")
        @OnLeader(role = "${long}", missed = RUN_ON_GRANT)
        void run() {}
    }

    static class Other {

        static class Reports {

            @Scheduled(cron = "0 0 3 * * *")
            @OnLeader(role = "reports", missed = RUN_ON_GRANT)
            void nightly() {}
        }
    }

    static class Often {

        private volatile Runnable work = () -> {};

        void work(Runnable next) {
            work = next;
        }

        @Scheduled(cron = "*/5 * * * * *", zone = "UTC")
        @OnLeader(role = "reports", missed = RUN_ON_GRANT)
        void everyFiveSeconds() {
            work.run();
        }
    }

    /** Remembers the latest finished slot, and fails as often as it is told. */
    private static final class ScriptedLog implements RunLog {

        final Queue<String> calls = new ConcurrentLinkedQueue<>();
        /** The latest slot; null if nothing is known. */
        volatile @Nullable Instant finished = BEFORE;

        volatile Runnable meanwhile = () -> {};
        volatile Runnable whileLooking = () -> {};
        final AtomicInteger failures = new AtomicInteger();
        volatile boolean wasInterrupted;
        volatile @Nullable ScheduledRun latest;

        @Override
        public boolean isMissed(ScheduledRun run) {
            called("isMissed", run);
            whileLooking.run();
            Instant known = finished;
            if (known == null) {
                finished = run.slot();
                return false;
            }
            return known.isBefore(run.slot());
        }

        @Override
        public boolean begin(ScheduledRun run) {
            called("begin", run);
            latest = run;
            meanwhile.run();
            Instant known = finished;
            return known == null || known.isBefore(run.slot());
        }

        @Override
        public void finish(ScheduledRun run) {
            wasInterrupted = Thread.currentThread().isInterrupted();
            called("finish", run);
            finished = run.slot();
        }

        ScheduledRun latest() {
            return Objects.requireNonNull(latest);
        }

        private void called(String what, ScheduledRun run) {
            if (failures.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
                throw new PaxosLeaseException("the log cannot be asked");
            }
            calls.add(what + " " + run.slot());
        }
    }

    /** @param qualifier of the scheduler */
    private record Planned(@Nullable String qualifier, Instant at) {}

    /** Keeps tasks until the test runs them. */
    @SuppressWarnings("serial") // never serialized
    private static final class Scheduler extends SimpleAsyncTaskScheduler {

        final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
        final Queue<Planned> planned = new ConcurrentLinkedQueue<>();
        volatile boolean stopped;

        @Override
        public ScheduledFuture<?> schedule(Runnable task, Instant at) {
            if (stopped) {
                throw new TaskRejectedException("stopped");
            }
            tasks.add(task);
            planned.add(new Planned(((SchedulingAwareRunnable) task).getQualifier(), at));
            return new Kept(task);
        }

        /** Those that are kept now. */
        void runAll() {
            List<Runnable> now = new ArrayList<>(tasks);
            tasks.removeAll(now);
            now.forEach(Runnable::run);
        }
    }

    /** Of a task that the test runs. */
    private static final class Kept extends FutureTask<@Nullable Void> implements ScheduledFuture<@Nullable Void> {

        Kept(Runnable task) {
            super(task, null);
        }

        @Override
        public long getDelay(TimeUnit unit) {
            return 0;
        }

        @Override
        public int compareTo(Delayed other) {
            return 0;
        }
    }

    private static final class SettableClock extends Clock {

        volatile Instant now;

        SettableClock(Instant now) {
            this.now = now;
        }

        @Override
        public Instant instant() {
            return now;
        }

        @Override
        public ZoneId getZone() {
            return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(ZoneId zone) {
            return this;
        }
    }
}
