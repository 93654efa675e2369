package io.paxoslease.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.monitor.AwaitedVote;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.function.Function;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.SmartLifecycle;

/** What a member that stops waits for. */
@Timeout(60) // a test hangs if it waits for all of the time
@ExtendWith(OutputCaptureExtension.class)
class VoteWaitTest {

    private static final Duration LONG = Duration.ofDays(1);
    private static final Optional<AwaitedVote> OF_B = Optional.of(new AwaitedVote("b", Duration.ofMillis(1)));
    private static final Optional<AwaitedVote> OF_B_FOR_LONG = Optional.of(new AwaitedVote("b", LONG));
    private static final String WAITS = "until the quarantine of 'b' ends";
    private static final String ENDED_EARLY = "The wait has ended early";
    private static final String IN_VAIN = "This node stops although the other members have no majority yet";

    private static NextSignal noSignal(Runnable action) {
        return NextSignal.then(action, List.of());
    }

    private static void stop(
            Supplier<Optional<AwaitedVote>> votes, Duration atMost, Function<Runnable, NextSignal> signals) {
        VoteWait wait = new VoteWait(votes, atMost, signals);
        wait.start();
        assertThat(wait.isRunning()).isTrue();
        wait.stop();
        assertThat(wait.isRunning()).isFalse();
    }

    @Test
    void itWaitsUntilTheVoteIsThere(CapturedOutput output) {
        Queue<Optional<AwaitedVote>> votes = new ArrayDeque<>(List.of(OF_B, OF_B, OF_B, Optional.empty()));

        stop(votes::remove, LONG, VoteWaitTest::noSignal);

        assertThat(votes).isEmpty();
        assertThat(output)
                .containsOnlyOnce(WAITS)
                .contains("stops in up to 1 ms")
                .doesNotContain(IN_VAIN, ENDED_EARLY);
    }

    /** As when the member that it waits for is killed. */
    @Test
    void aWaitThatIsOfNoUseAnyMoreEndsAndSaysSo(CapturedOutput output) {
        Queue<Optional<AwaitedVote>> votes = new ArrayDeque<>(List.of(OF_B_FOR_LONG, OF_B_FOR_LONG, Optional.empty()));

        stop(votes::remove, LONG, VoteWaitTest::noSignal);

        assertThat(output).containsOnlyOnce(WAITS).containsOnlyOnce(ENDED_EARLY).doesNotContain(IN_VAIN);
    }

    @Test
    void aVoteThatIsNotNeededIsNotWaitedFor(CapturedOutput output) {
        stop(Optional::empty, LONG, VoteWaitTest::noSignal);

        assertThat(output).doesNotContain(WAITS);
    }

    @Test
    void itWaitsNoLongerThanThePhase(CapturedOutput output) {
        stop(() -> OF_B_FOR_LONG, Duration.ofMillis(20), VoteWaitTest::noSignal);

        assertThat(output).contains("stops in up to 20 ms").contains(IN_VAIN);
    }

    @Test
    void theNextSignalEndsTheWait(CapturedOutput output) {
        stop(() -> OF_B_FOR_LONG, LONG, action -> {
            action.run();
            return noSignal(action);
        });

        assertThat(output).contains(WAITS, IN_VAIN);
    }

    @Test
    void anInterruptEndsTheWaitAndIsKept() {
        Thread.currentThread().interrupt();
        stop(() -> OF_B_FOR_LONG, LONG, VoteWaitTest::noSignal);

        assertThat(Thread.interrupted()).isTrue();
    }

    /** What the node still holds is released by the node's own stop, which comes after the wait. */
    @Test
    void itStopsAfterAllElseAndBeforeTheNode() {
        PaxosLeaseTestSupport.runner().run(context -> {
            VoteWait wait = context.getBean(VoteWait.class);
            assertThat(wait.isRunning()).isTrue();
            assertThat(wait.getPhase()).isGreaterThan(PaxosLeaseLifecycle.PHASE);
            assertThat(context.getBeansOfType(SmartLifecycle.class).values())
                    .filteredOn(bean -> bean.getPhase() > PaxosLeaseLifecycle.PHASE && bean != wait)
                    .allMatch(bean -> bean.getPhase() > wait.getPhase());
        });
    }
}
