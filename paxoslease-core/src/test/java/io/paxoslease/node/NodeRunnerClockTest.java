package io.paxoslease.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.protocol.AcquireRequest;
import io.paxoslease.protocol.Effect;
import io.paxoslease.protocol.Event;
import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.Message;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Quorum;
import io.paxoslease.protocol.Reading;
import io.paxoslease.protocol.Timing;
import io.paxoslease.protocol.paxos.Node;
import io.paxoslease.protocol.paxos.PaxosMessage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Between two beats the clocks are compared before each event. The loop here runs what it is given at once and never a
 * timer, so that no beat helps; the clocks show what the test sets.
 */
class NodeRunnerClockTest {

    private static final NodeId A = new NodeId("a");
    private static final NodeId B = new NodeId("b");
    private static final long MILLI = 1_000_000;
    private static final Timing TIMING = new Timing(Duration.ofSeconds(5), 0.1);

    private final List<String> happened = new ArrayList<>();
    private final List<Message> sent = new ArrayList<>();
    private Reading now = new Reading(new Moment(Long.MAX_VALUE - MILLI), 1_800_000_000_000_000L);
    private final List<Reading> readings = new ArrayList<>();
    private long millisPerReading;
    private @Nullable String machineBoot = "one";
    private final NodeClock clock = this::read;
    private final ClockGuard guard = new ClockGuard(0.1, TIMING.maxLeaseNanos(), clock.readPair(), () -> machineBoot);
    private final ScheduledExecutorService loop = new Inline();
    private final NodeRunner runner = newRunner();
    private boolean trustedWhenSuspected = true;

    private Reading read() {
        pass(millisPerReading, millisPerReading);
        readings.add(now);
        return now;
    }

    private NodeRunner newRunner() {
        Node node = new Node(
                A,
                new Quorum(List.of(A, B)),
                TIMING,
                null,
                () -> new Incarnation(1, happened.size() + 1),
                new SplittableRandom(1),
                now);
        return new NodeRunner(
                node, loop, clock, guard, (to, messages) -> sent.addAll(messages), new Noting(), StartedNodes.counts());
    }

    /** Node a holds r until five seconds from now. */
    @BeforeEach
    void hold() {
        pass(1, 1);
        runner.submit(new Event.Acquire(
                new AcquireRequest(1, "r", TIMING.maxLeaseNanos(), false, AcquireRequest.WaitMode.WAIT, null)));
        PaxosMessage.Propose asked = (PaxosMessage.Propose) lastSent();
        answer(new PaxosMessage.Accepted("r", asked.ballot(), asked.attempt()));
        assertThat(happened).containsExactly("Granted");
    }

    @AfterEach
    void stop() {
        loop.shutdownNow();
    }

    private Message lastSent() {
        return sent.get(sent.size() - 1);
    }

    private void answer(Message message) {
        runner.received(B, List.of(message));
    }

    private void pass(long monotonicMillis, long wallMillis) {
        now = new Reading(now.moment().plusNanos(monotonicMillis * MILLI), now.wallMicros() + wallMillis * 1_000);
    }

    @Test
    void clocksThatAgreeChangeNothing() {
        pass(1_000, 1_000);
        runner.submit(new Event.Woken());

        assertThat(happened).containsExactly("Granted");
    }

    /** The wall clock alone shows no more than a clock that was set. */
    @Test
    void aProcessThatIsRestoredOnAnotherBootOfTheMachineStartsOver() {
        machineBoot = "another";
        pass(1_000, 500);
        runner.submit(new Event.Woken());

        assertThat(happened).containsExactly("Granted", "Lost SUSPENDED");
        assertThat(guard.mayBeSnapshot()).isTrue();
    }

    @Test
    void aBootThatTheMachineDoesNotSayAtPresentChangesNothing() {
        machineBoot = null;
        assertThat(guard.hasMoved()).isFalse();
        machineBoot = "one";
        assertThat(guard.hasMoved()).isFalse();
        machineBoot = "another";
        assertThat(guard.hasMoved()).isTrue();
        assertThat(guard.hasMoved()).as("since the last call").isFalse();
    }

    /** The answer to a question from before the suspend must not extend the tenure by the time slept through. */
    @Test
    void aSuspendIsHeardOfBeforeTheAnswerThatCameMeanwhile() {
        runner.submit(new Event.Renew("r", token(), TIMING.maxLeaseNanos(), 2));
        PaxosMessage.Propose renewal = (PaxosMessage.Propose) lastSent();
        pass(10, 1_000);
        answer(new PaxosMessage.Accepted("r", renewal.ballot(), renewal.attempt()));

        assertThat(happened).containsExactly("Granted", "Lost SUSPENDED", "Renewed false");
        assertThat(lastSent()).isInstanceOf(PaxosMessage.Release.class);
    }

    @Test
    void aWallClockThatWasSetBackIsNoticedByWhateverComesNext() {
        pass(10, -400);
        runner.reachable(B);

        assertThat(happened).containsExactly("Granted", "Suspected");
    }

    @Test
    void aLongSuspendEndsTheTenureBeforeAnythingIsSaidInItsName() {
        int before = sent.size();
        pass(10, 60_000);
        runner.submit(new Event.Renew("r", token(), TIMING.maxLeaseNanos(), 2));

        assertThat(happened).containsExactly("Granted", "Lost SUSPENDED", "Renewed false");
        assertThat(sent.subList(before, sent.size())).isEmpty();
    }

    /** Else another thread could believe in the lease in between. */
    @Test
    void theLeasesAreSuspectBeforeTheClocksAreTrustedAgain() {
        pass(10, 1_000);
        runner.submit(new Event.Woken());

        assertThat(trustedWhenSuspected).isFalse();
        assertThat(guard.trusts(now)).isTrue();
    }

    /** The comparison takes its time, too: what follows is measured from after it. */
    @Test
    void whatIsDoneAfterADisagreementIsMeasuredByAReadingFromAfterIt() {
        pass(10, 1_000);
        readings.clear();
        millisPerReading = 7;
        runner.submit(new Event.Acquire(
                new AcquireRequest(2, "s", TIMING.maxLeaseNanos(), false, AcquireRequest.WaitMode.WAIT, null)));
        PaxosMessage.Propose asked = (PaxosMessage.Propose) lastSent();

        assertThat(happened).containsExactly("Granted", "Suspected");
        long compared = readings.get(1).wallMicros();
        assertThat(asked.ballot().counter()).isGreaterThan(compared);
    }

    @Test
    void afterTheComparisonTheClocksAreTrustedAgain() {
        pass(10, 1_000);
        runner.submit(new Event.Woken());
        PaxosMessage.Extend confirmation = (PaxosMessage.Extend) lastSent();
        pass(10, 10);
        answer(new PaxosMessage.Extended(confirmation.incarnation(), confirmation.attempt(), List.of(), List.of()));

        assertThat(happened).containsExactly("Granted", "Suspected", "Extended");
    }

    private long token() {
        return ((PaxosMessage.Propose) sent.stream()
                        .filter(PaxosMessage.Propose.class::isInstance)
                        .findFirst()
                        .orElseThrow())
                .ballot()
                .counter();
    }

    /** Runs tasks at once; a timer never rings. */
    private static final class Inline extends ScheduledThreadPoolExecutor {

        Inline() {
            super(1, Threads.daemon("never"));
        }

        @Override
        public void execute(Runnable task) {
            task.run();
        }

        @Override
        public ScheduledFuture<?> schedule(Runnable task, long delay, TimeUnit unit) {
            return super.schedule(task, 1, TimeUnit.DAYS);
        }
    }

    private final class Noting implements EffectSink {

        @Override
        public void apply(Effect effect) {
            String name = effect.getClass().getSimpleName();
            if (effect instanceof Effect.Suspected) {
                trustedWhenSuspected = guard.trusts(now);
            }
            if (effect instanceof Effect.Lost lost) {
                happened.add(name + " " + lost.reason());
            } else if (effect instanceof Effect.Renewed renewed) {
                happened.add(name + " " + renewed.extended());
            } else {
                happened.add(name);
            }
        }

        @Override
        public void failed(Throwable fault) {
            happened.add("failed " + fault.getMessage());
        }
    }
}
