package io.paxoslease.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.protocol.Effect;
import io.paxoslease.protocol.Event;
import io.paxoslease.protocol.Message;
import io.paxoslease.protocol.Reading;
import io.paxoslease.protocol.paxos.PaxosMessage;
import io.paxoslease.shell.RecordRules;
import io.paxoslease.shell.Recording;
import io.paxoslease.shell.Recording.Belief;
import io.paxoslease.shell.Recording.Life;
import io.paxoslease.shell.Recording.Step;
import io.paxoslease.shell.Replay;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A run of real nodes, validated step by step against the pure protocol; and that a corrupted record is rejected. */
@Tag("slow")
@Tag("jdk")
class RecordedRunTest {

    private static final long MILLI = 1_000_000;

    private static Recording run;

    @BeforeAll
    static void recordARun() throws Exception {
        run = RecordedRun.record();
    }

    @Test
    void aFreshNodeDoesTheSameStepByStep() {
        assertThat(Replay.firstDifference(run)).isEmpty();
    }

    @Test
    void theRecordKeepsEveryRule() {
        assertThat(RecordRules.violations(run)).isEmpty();
        System.out.printf(
                "Recorded and validated: %d steps of %d lives, %d messages, %d grants, %d extensions, %d losses, %d beliefs%n",
                run.steps(),
                run.lives().size(),
                count(Effect.Send.class),
                count(Effect.Granted.class),
                count(Effect.ExtendedTogether.class),
                count(Effect.Lost.class),
                run.beliefs().size());
    }

    @Test
    void theRunHasSeenWhatItIsAbout() {
        assertThat(run.lives()).hasSize(4);
        assertThat(run.beliefs()).hasSizeGreaterThan(10);
        for (Life life : run.lives()) {
            assertThat(count(life, Effect.Granted.class)).isGreaterThanOrEqualTo(RecordedRun.GRANTS);
        }
        assertThat(run.lives().get(3).quarantineEnd()).isNotNull();
        assertThat(at(
                        0,
                        effect -> effect instanceof Effect.Send send && send.message() instanceof PaxosMessage.Release))
                .isPositive();
    }

    @Test
    void aMissingAcceptanceIsNoticed() {
        int i = grant(0);
        assertThatBothReject(run.with(0, i, step(i).withEvent(new Event.Woken())));
    }

    @Test
    void anAcceptanceOfAnotherAttemptIsNoticed() {
        int i = grant(0);
        Event.Received received = (Event.Received) step(i).event();
        PaxosMessage.Accepted accepted = (PaxosMessage.Accepted) received.message();
        Message other = new PaxosMessage.Accepted(accepted.resource(), accepted.ballot(), accepted.attempt() + 1);
        assertThatBothReject(run.with(0, i, step(i).withEvent(new Event.Received(received.from(), other))));
    }

    @Test
    void anAlteredTokenIsNoticed() {
        int i = grant(0);
        Effect.Granted granted = (Effect.Granted) step(i).effects().get(indexOfGrant(i));
        for (long token : new long[] {1, granted.token() - 1, granted.token() + 1}) {
            Effect altered = new Effect.Granted(
                    granted.requestId(), granted.resource(), token, granted.until(), granted.askedAt());
            assertThatBothReject(run.with(0, i, step(i).withEffect(indexOfGrant(i), altered)));
        }
    }

    @Test
    void aLongerDeadlineIsNoticed() {
        int i = grant(0);
        Effect.Granted granted = (Effect.Granted) step(i).effects().get(indexOfGrant(i));
        Reading later = granted.until().plusNanos(MILLI);
        Effect altered =
                new Effect.Granted(granted.requestId(), granted.resource(), granted.token(), later, granted.askedAt());
        assertThatBothReject(run.with(0, i, step(i).withEffect(indexOfGrant(i), altered)));
    }

    @Test
    void aLongerExtensionIsNoticed() {
        int i = at(0, Effect.ExtendedTogether.class::isInstance);
        int e = index(step(i), Effect.ExtendedTogether.class::isInstance);
        Effect.ExtendedTogether extended =
                (Effect.ExtendedTogether) step(i).effects().get(e);
        Reading later = extended.until().plusNanos(MILLI);
        Effect altered = new Effect.ExtendedTogether(extended.tenures(), later, extended.askedAt());
        assertThatBothReject(run.with(0, i, step(i).withEffect(e, altered)));
    }

    @Test
    void swappedStepsAreNoticed() {
        int i = grant(0);
        PaxosMessage.Accepted accepted = (PaxosMessage.Accepted) ((Event.Received) step(i).event()).message();
        int proposed = at(
                0,
                effect -> effect instanceof Effect.Send send
                        && send.message() instanceof PaxosMessage.Propose propose
                        && propose.attempt() == accepted.attempt());
        List<Step> steps = new ArrayList<>(run.lives().get(0).steps());
        Collections.swap(steps, proposed, i);
        assertThatBothReject(run.with(0, steps));
    }

    @Test
    void aReleaseThatLeavesTooEarlyIsNoticed() {
        int i = grant(0);
        int release =
                at(0, effect -> effect instanceof Effect.Send send && send.message() instanceof PaxosMessage.Release);
        Effect.Granted granted = (Effect.Granted) step(i).effects().get(indexOfGrant(i));
        Effect.Send send = (Effect.Send) step(release)
                .effects()
                .get(index(
                        step(release),
                        effect -> effect instanceof Effect.Send s && s.message() instanceof PaxosMessage.Release));
        PaxosMessage.Release early = new PaxosMessage.Release(
                granted.resource(), run.lives().get(0).incarnations().get(0), granted.token());
        List<Effect> effects = new ArrayList<>(step(i).effects());
        effects.add(new Effect.Send(send.to(), early));
        assertThatBothReject(run.with(0, i, new Step(step(i).event(), step(i).now(), effects)));
    }

    @Test
    void anAnswerThatIsNoEchoIsNoticed() {
        int i = at(0, RecordedRunTest::isAcceptance);
        int e = index(step(i), RecordedRunTest::isAcceptance);
        Effect.Send send = (Effect.Send) step(i).effects().get(e);
        PaxosMessage.Accepted accepted = (PaxosMessage.Accepted) send.message();
        Message other = new PaxosMessage.Accepted(accepted.resource(), accepted.ballot(), accepted.attempt() + 1);
        assertThatBothReject(run.with(0, i, step(i).withEffect(e, new Effect.Send(send.to(), other))));
    }

    /** A user that sees a lease held for a millisecond more than its node may is seen by the rules alone. */
    @Test
    void aBeliefThatLastsTooLongIsNoticed() {
        Belief belief = run.beliefs().get(0);
        Belief longer = new Belief(
                belief.node(),
                belief.resource(),
                belief.token(),
                belief.from(),
                belief.to().plusNanos(1_000 * MILLI));
        List<Belief> beliefs = new ArrayList<>(run.beliefs());
        beliefs.set(0, longer);
        assertThat(RecordRules.violations(new Recording(run.lives(), beliefs))).isNotEmpty();
    }

    private static void assertThatBothReject(Recording corrupted) {
        assertThat(Replay.firstDifference(corrupted)).isPresent();
        assertThat(RecordRules.violations(corrupted)).isNotEmpty();
    }

    private static boolean isAcceptance(Effect effect) {
        return effect instanceof Effect.Send send && send.message() instanceof PaxosMessage.Accepted;
    }

    /**
     * The first step in which an acceptance gives the node a lease, together with that of its own acceptor, which is not on record: so it is the
     * first one to come in. One that waited in line is given it by a release.
     */
    private static int grant(int life) {
        List<Step> steps = run.lives().get(life).steps();
        Set<Long> accepted = new HashSet<>();
        for (int i = 0; i < steps.size(); i++) {
            if (steps.get(i).event() instanceof Event.Received received
                    && received.message() instanceof PaxosMessage.Accepted acceptance
                    && accepted.add(acceptance.attempt())
                    && steps.get(i).effects().stream().anyMatch(Effect.Granted.class::isInstance)) {
                return i;
            }
        }
        throw new AssertionError("The run has no grant by an acceptance");
    }

    private static int indexOfGrant(int step) {
        return index(step(step), Effect.Granted.class::isInstance);
    }

    private static Step step(int index) {
        return run.lives().get(0).steps().get(index);
    }

    private static int at(int life, Predicate<Effect> kind) {
        List<Step> steps = run.lives().get(life).steps();
        for (int i = 0; i < steps.size(); i++) {
            if (steps.get(i).effects().stream().anyMatch(kind)) {
                return i;
            }
        }
        throw new AssertionError("The run has no such effect");
    }

    private static int index(Step step, Predicate<Effect> kind) {
        for (int i = 0; i < step.effects().size(); i++) {
            if (kind.test(step.effects().get(i))) {
                return i;
            }
        }
        throw new AssertionError("The step has no such effect");
    }

    private static long count(Class<? extends Effect> kind) {
        return run.lives().stream().mapToLong(life -> count(life, kind)).sum();
    }

    private static long count(Life life, Class<? extends Effect> kind) {
        return life.steps().stream()
                .flatMap(step -> step.effects().stream())
                .filter(kind::isInstance)
                .count();
    }
}
