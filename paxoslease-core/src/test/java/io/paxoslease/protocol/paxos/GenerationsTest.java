package io.paxoslease.protocol.paxos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paxoslease.protocol.ConfigurationGuard;
import io.paxoslease.protocol.Effect;
import io.paxoslease.protocol.Event;
import io.paxoslease.protocol.Generation;
import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.MemberList;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Quorum;
import io.paxoslease.protocol.Reading;
import io.paxoslease.protocol.Timing;
import io.paxoslease.protocol.paxos.PaxosMessage.Standing;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Section 9: which modes an acceptor takes and a proposer uses (R1, R3 to R6), and when a generation is sealed (R4). */
class GenerationsTest {

    private static final Duration MAX = Duration.ofSeconds(9);
    private static final long D_Q = new Timing(MAX, 0.10).quarantineNanos();
    private static final long WALL = 1_700_000_000_000_000L;
    private static final NodeId A = new NodeId("a");
    private static final NodeId B = new NodeId("b");
    private static final NodeId C = new NodeId("c");
    private static final NodeId D = new NodeId("d");

    private static final MemberList OLD = ChangingCell.list(MAX, "a", "b", "c");
    private static final MemberList NEW = ChangingCell.list(MAX, "a", "b", "d");
    private static final Generation FIRST = Generation.first(OLD);
    private static final Generation SECOND = new Generation(2, NEW, OLD);
    private static final Generation THIRD = new Generation(3, OLD, NEW);

    private long boots;

    private Generations of(Generation own) {
        return new Generations(own, () -> new Incarnation(9, ++boots), at(0));
    }

    private static Reading at(long nanos) {
        return new Reading(new Moment(nanos), WALL + nanos / 1_000);
    }

    /** Of its own content, and of one that follows it. */
    private static int[] taken(Generations generations) {
        Generation own = generations.own().get();
        long next = new Generation(own.number() + 1, FIRST.current(), own.current()).content();
        return IntStream.range(0, 9)
                .filter(mode -> generations.own().takes(mode, own.content())
                        || generations.own().takes(mode, next))
                .toArray();
    }

    private static int[] taken(Generations generations, long content) {
        return IntStream.range(0, 9)
                .filter(mode -> generations.own().takes(mode, content))
                .toArray();
    }

    /** Asks at that moment, and each answers at once. */
    private static void hear(
            Generations generations, long nanos, Generation itsGeneration, int boot, NodeId... members) {
        long nonce = generations.ask(at(nanos)).nonce();
        for (NodeId member : members) {
            Standing standing = new Standing(nonce, new Incarnation(boot, 0), itsGeneration, 0);
            generations.heard(member, standing, at(nanos));
        }
    }

    @Test
    void anAcceptorTakesItsGenerationWithTheOneBeforeAndAfterTheSealAloneAndWithTheNext() {
        assertThat(taken(of(FIRST))).containsExactly(Quorum.alone(1), Quorum.joint(2));
        Generations second = of(SECOND);
        assertThat(taken(second)).as("before the seal").containsExactly(Quorum.joint(2));
        second.met(new NodeId("c"), SECOND, 2);
        assertThat(taken(second)).containsExactly(Quorum.joint(2), Quorum.alone(2), Quorum.joint(3));
    }

    /** R6: a node that asks may follow another content. */
    @Test
    void anAcceptorTakesNoOtherContentOfItsGeneration() {
        Generation other = new Generation(2, ChangingCell.list(MAX, "e"), OLD);
        Generations second = of(SECOND);
        second.met(new NodeId("c"), SECOND, 2);
        assertThat(taken(second, other.content())).isEmpty();
    }

    /** R5: which content the next generation has, an acceptor cannot know; but not which list and settings it has to name as those before. */
    @Test
    void anAcceptorTakesNothingOfAGenerationThatDoesNotFollowItsOwn() {
        Generations second = of(SECOND);
        second.met(new NodeId("c"), SECOND, 2);
        MemberList other = ChangingCell.list(MAX.dividedBy(2), "a", "b", "d");
        assertThat(taken(second, new Generation(3, OLD, NEW).content())).containsExactly(Quorum.joint(3));
        assertThat(taken(second, new Generation(3, other, NEW).content())).containsExactly(Quorum.joint(3));
        assertThat(taken(second, new Generation(3, NEW, OLD).content())).isEmpty();
        assertThat(taken(second, new Generation(3, OLD, other).content())).isEmpty();
        assertThat(taken(of(FIRST), SECOND.content())).containsExactly(Quorum.joint(2));
        assertThat(taken(of(FIRST), new Generation(2, NEW, NEW).content())).isEmpty();
    }

    /** R6: what was heard of the first one says nothing of the other, which has a longer lease. */
    @Test
    void aContentThatTakesThePlaceOfAnotherIsSealedByItsOwnTime() {
        Generation unconfirmed = new Generation(2, ChangingCell.list(MAX, "a", "b", "web"), OLD);
        Generation stored = new Generation(2, ChangingCell.list(MAX.multipliedBy(4), "a", "b", "d"), OLD);
        long age = stored.timing(false).quarantineNanos();
        Generations first = of(FIRST);
        first.met(new NodeId("web"), unconfirmed, 0);
        hear(first, 0, FIRST, 1, A);
        first.mayMoveTo(stored);

        hear(first, 1, stored, 1, A, B, D);
        hear(first, age - 1, stored, 1, A, B, D);
        assertThat(first.sealed()).isEqualTo(1);
        hear(first, age + 1, stored, 1, A, B, D);
        assertThat(first.sealed()).isEqualTo(2);
    }

    /** R6, R8: a stray node has made this one ask both lists of its own content; what the store has takes its place, by way of the list before. */
    @Test
    void aStoredContentTakesThePlaceOfOneThatDecidesAlready() {
        NodeId web = new NodeId("web");
        Generation stray = new Generation(2, ChangingCell.list(MAX, "a", "b", "web"), OLD);
        Generations first = of(FIRST);
        first.met(web, stray, 0);
        first.met(web, new Generation(3, OLD, stray.current()), -1);
        hear(first, 0, FIRST, 1, A, B);
        first.changeMode(at(0));
        assertThat(first.quorum().mode()).isEqualTo(Quorum.joint(2));

        first.mayMoveTo(SECOND);
        assertThat(first.isModeOver()).isTrue();
        first.changeMode(at(1));
        assertThat(first.quorum().mode()).isEqualTo(Quorum.alone(1));
        first.met(web, stray, 2);
        assertThat(first.sealed()).isEqualTo(1);
        hear(first, 2, FIRST, 1, A, B);
        first.changeMode(at(2));
        assertThat(first.quorum().content()).isEqualTo(SECOND.content());
        first.met(D, SECOND, 2);
        first.met(A, SECOND, 2);
        first.changeMode(at(3));
        assertThat(first.quorum().mode()).isEqualTo(Quorum.alone(2));
        assertThat(first.asksAt())
                .as("what followed the other content does not follow this one")
                .isNull();
    }

    private static Generation latest(Generations generations) {
        List<Generation> followed = generations.followed();
        return followed.get(followed.size() - 1);
    }

    /** R6: a member ran the wrong one until its file was corrected; or it still does, as the others seal the right one. */
    @Test
    void aContentThatNoMemberRunsAnyMoreOrThatIsNotSealedGivesWay() {
        Generation wrong = new Generation(2, ChangingCell.list(MAX, "a", "b", "e"), OLD);
        Generations corrected = of(FIRST);
        corrected.met(A, wrong, 0);
        corrected.met(B, SECOND, 0);
        assertThat(latest(corrected)).as("a runs it").isEqualTo(wrong);
        corrected.met(C, wrong, 0);
        corrected.met(A, FIRST, 1);
        corrected.met(B, SECOND, 0);
        assertThat(latest(corrected)).as("c runs it").isEqualTo(wrong);
        corrected.unreachable(C);
        assertThat(latest(corrected)).as("nothing else is known").isEqualTo(wrong);
        corrected.met(B, SECOND, 0);
        assertThat(latest(corrected)).isEqualTo(SECOND);

        for (boolean isStored : new boolean[] {false, true}) {
            Generations sealed = of(FIRST);
            sealed.met(A, wrong, 0);
            if (isStored) {
                sealed.mayMoveTo(wrong);
            }
            sealed.met(D, SECOND, 2);
            assertThat(sealed.sealed()).as("d may be anybody").isEqualTo(1);
            sealed.met(B, SECOND, 2);
            assertThat(sealed.sealed()).isEqualTo(2);
            sealed.changeMode(at(1));
            assertThat(latest(sealed)).isEqualTo(SECOND);
            assertThat(sealed.quorum().content()).isEqualTo(SECOND.content());
        }
    }

    /** R7: d runs what is sealed later, and this one follows another content, which a member that never moved has told of first. */
    @Test
    void whoRunsAnotherContentIsAskedWhetherItIsSealed() {
        Generations starting = of(FIRST);
        Generation wrong = new Generation(2, ChangingCell.list(MAX, "a", "b", "web"), OLD);
        starting.met(B, wrong, -1);
        starting.met(D, SECOND, 0);
        assertThat(starting.asked()).containsExactly(A, B, new NodeId("web"), C, D);
        assertThat(starting.isOver()).isFalse();
        hear(starting, 1, SECOND, 1, D);
        assertThat(starting.isOver()).isFalse();
        long nonce = starting.ask(at(2)).nonce();
        starting.heard(D, new Standing(nonce, new Incarnation(1, 0), SECOND, 2), at(2));
        assertThat(starting.sealed()).isEqualTo(1);
        assertThat(starting.isOver()).isTrue();
        starting.unreachable(D);
        assertThat(starting.asked()).doesNotContain(D);
    }

    /** R4: all members before have left after the seal, as they may, and this one was away meanwhile. */
    @Test
    void aSealIsBelievedOfNewMembersWhenThoseBeforeHaveGone() {
        Generations client = of(FIRST);
        Generation moved = new Generation(2, ChangingCell.list(MAX, "d", "e", "f"), OLD);
        for (NodeId each : List.of(A, B, C)) {
            client.met(each, moved, 0);
        }
        List.of(A, B, C).forEach(client::unreachable);
        client.met(D, moved, 2);
        assertThat(client.sealed()).isEqualTo(2);
    }

    /** R7: silence is always safe, so a starting acceptor believes anybody; and who knows of a later seal knows of this one. */
    @Test
    void anAcceptorThatStartsIsOverByAnySealOfWhatFollows() {
        Generations stray = of(FIRST);
        stray.met(new NodeId("web"), new Generation(2, ChangingCell.list(MAX, "a", "b", "web"), OLD), 0);
        stray.met(D, SECOND, 2);
        assertThat(stray.sealed()).as("d may be anybody").isEqualTo(1);
        assertThat(stray.isOver()).isTrue();

        Generations behind = of(FIRST);
        behind.met(B, SECOND, 3);
        assertThat(behind.sealed()).isEqualTo(2);
        assertThat(behind.isOver()).isTrue();
        behind.met(B, FIRST, 1);
        assertThat(behind.sealed()).isEqualTo(2);
    }

    /** Nothing of it may differ. */
    @Test
    void whatIsSaidOfAGenerationDecidesOnItsContent() {
        MemberList shorter = ChangingCell.list(MAX.dividedBy(2), "a", "b");
        MemberList list = ChangingCell.list(MAX, "a", "b");
        MemberList drifting = new MemberList(list.members(), MAX, 0.2);
        List<Long> contents = new ArrayList<>();
        for (MemberList one : List.of(list, shorter, drifting, ChangingCell.list(MAX, "ab"), OLD)) {
            contents.add(new Generation(2, one, null).content());
            contents.add(new Generation(2, OLD, one).content());
            contents.add(new Generation(3, OLD, one).content());
        }
        assertThat(contents).doesNotHaveDuplicates();
        assertThat(SECOND.content()).isEqualTo(new Generation(2, SECOND.current(), OLD).content());
        assertThat(FIRST.content()).isZero();
        assertThat(new Generation(2, list, OLD).content()).as("on every node").isEqualTo(-5777471624206123375L);
    }

    /** Of what a stranger has made up nothing is believed; what a member runs takes its place, and then its new members are believed. */
    @Test
    void aSealIsBelievedOfANewMemberOnceAMemberBeforeRunsItsGeneration() {
        assertThat(new SealOfAStranger().get()).isEmpty();
        NodeId web = new NodeId("web");
        Generation forged = new Generation(2, ChangingCell.list(MAX, "web"), OLD);
        Generations first = of(FIRST);
        first.met(web, forged, 2);

        first.met(A, SECOND, 0);
        first.met(web, forged, 2);
        assertThat(first.sealed()).isEqualTo(1);
        first.met(D, SECOND, 2);
        assertThat(first.sealed()).isEqualTo(2);
    }

    /** R7: its own list decides nothing any more, and a proposer that asks for it has not heard of that. */
    @Test
    void anAcceptorWhoseGenerationIsOverGrantsWithTheNextOnly() {
        Generations heardFromTheNext = of(FIRST);
        heardFromTheNext.met(new NodeId("c"), SECOND, 2);
        assertThat(taken(heardFromTheNext)).containsExactly(Quorum.joint(2));
        Generations heardFromItsOwn = of(FIRST);
        heardFromItsOwn.met(new NodeId("c"), FIRST, 2);
        assertThat(heardFromItsOwn.isOver()).isTrue();
        assertThat(taken(heardFromItsOwn)).containsExactly(Quorum.joint(2));
    }

    /** A client could name itself in a list of its own. */
    @Test
    void aStandingOfANodeThatIsNoMemberCountsForNothing() {
        Generations a = of(FIRST);
        NodeId stranger = new NodeId("z");
        Generation forged = new Generation(2, ChangingCell.list(MAX, "z"), OLD);
        a.heard(stranger, new Standing(0, new Incarnation(1, 1), forged, 2), at(0));
        assertThat(a.isModeOver()).isFalse();
        assertThat(a.asksAt()).isNull();
    }

    @Test
    void aSealAgesAgainFromWhenClocksDisagreed() {
        Generations d = of(SECOND);
        hear(d, 0, SECOND, 1, A, B);
        d.measureAgain();
        hear(d, D_Q, SECOND, 1, A, B);
        assertThat(d.sealed()).isZero();
        hear(d, 2 * D_Q, SECOND, 1, A, B);
        assertThat(d.sealed()).isEqualTo(2);
    }

    @Test
    void aProposerUsesBothListsOnceMajoritiesOfBothHaveAnswered() {
        Generations first = of(FIRST);
        assertThat(first.asksAt()).isNull();
        first.met(new NodeId("c"), SECOND, 0);
        assertThat(first.asked()).containsExactly(A, B, D, C);
        hear(first, 0, FIRST, 1, A, C);
        assertThat(first.isModeOver()).isFalse();
        hear(first, 1, FIRST, 1, C);
        hear(first, 2, FIRST, 1, A, B);
        assertThat(first.isModeOver()).isTrue();
        first.changeMode(at(0));
        assertThat(first.quorum().mode()).isEqualTo(Quorum.joint(2));
        assertThat(first.quorum().acceptors()).containsExactly(A, B, C, D);
        hear(first, 3, FIRST, 1, A);
        hear(first, 4, FIRST, 1, B, C);
        assertThat(first.isModeOver()).as("too few for anything").isFalse();
        first.ask(at(5));
        assertThat(first.isModeOver()).as("too soon for all to have answered").isFalse();
        long later = 5 + new GenerationPolls().intervalNanos(SECOND);
        first.ask(at(later));
        assertThat(first.isModeOver())
                .as("the old list has a majority of its own, both lists have none")
                .isTrue();
        first.changeMode(at(later));
        assertThat(first.quorum().mode()).isEqualTo(Quorum.alone(1));
        first.met(new NodeId("c"), SECOND, 2);
        first.changeMode(at(0));
        assertThat(first.quorum().mode())
                .as("c is none of those who decide alone, and it is not known that they know")
                .isEqualTo(Quorum.joint(2));
        first.met(A, SECOND, 2);
        assertThat(first.isModeOver()).isFalse();
        first.met(B, SECOND, 2);
        first.changeMode(at(0));
        assertThat(first.quorum().mode()).isEqualTo(Quorum.alone(2));
        first.met(new NodeId("c"), THIRD, 0);
        hear(first, later + 1, THIRD, 1, A, B, C);
        first.changeMode(at(later + 1));
        assertThat(first.quorum().mode()).isEqualTo(Quorum.joint(3));
    }

    @Test
    void aProposerDoesNotUseTheGenerationAfterOneThatIsNotSealed() {
        Generations second = of(SECOND);
        second.met(new NodeId("c"), THIRD, 0);
        assertThat(second.isModeOver()).isFalse();
        assertThat(second.quorum().mode()).isEqualTo(Quorum.joint(2));
    }

    @Test
    void theFirstContentOfTheNextGenerationCounts() {
        Generations first = of(FIRST);
        first.met(new NodeId("c"), SECOND, 0);
        hear(first, 0, SECOND, 1, A, B);
        first.changeMode(at(0));
        Generation other = new Generation(2, ChangingCell.list(MAX, "a", "b", "e"), OLD);
        first.met(new NodeId("c"), other, 0);
        first.met(new NodeId("e"), other, 2);
        assertThat(first.isModeOver()).isFalse();
        assertThat(first.sealed()).isEqualTo(1);
        assertThat(first.quorum().acceptors()).contains(D);
    }

    @Test
    void aGenerationIsSealedWhenAMajorityOfTheOldListHasBeenAtItForTheQuarantine() {
        Generations d = of(SECOND);
        hear(d, 0, SECOND, 1, A, D);
        hear(d, 100, SECOND, 1, B);
        hear(d, D_Q + 99, SECOND, 1, A, B, D);
        assertThat(d.sealed()).isZero();
        hear(d, D_Q + 100, SECOND, 1, A);
        assertThat(d.sealed()).as("b has not said it again").isZero();
        hear(d, D_Q + 100, SECOND, 1, B, D);
        assertThat(d.sealed()).isEqualTo(2);
    }

    /** A list that could not decide must not be the only one that may: before the seal the change can be undone. */
    @Test
    void aGenerationIsNotSealedBeforeAMajorityOfItsOwnListHasAnswered() {
        Generation typed = new Generation(2, ChangingCell.list(MAX, "a", "x", "y"), OLD);
        Generations a = of(typed);
        hear(a, 0, typed, 1, A, B, C);
        hear(a, D_Q, typed, 1, A, B, C);
        assertThat(a.sealed()).isZero();
        hear(a, D_Q + 1, typed, 1, A, B, new NodeId("x"));
        assertThat(a.sealed()).isEqualTo(2);
    }

    @Test
    void anAcceptorThatHasRestartedMeanwhileBeginsAgain() {
        Generations d = of(SECOND);
        hear(d, 0, SECOND, 1, A, B);
        hear(d, D_Q, SECOND, 2, A, B);
        assertThat(d.sealed()).isZero();
        hear(d, 2 * D_Q, SECOND, 2, A, B);
        assertThat(d.sealed()).isEqualTo(2);
    }

    @Test
    void anAcceptorThatHasGoneBackMeanwhileBeginsAgain() {
        Generations d = of(SECOND);
        hear(d, 0, SECOND, 1, A, B);
        hear(d, D_Q / 2, FIRST, 1, A);
        hear(d, D_Q, SECOND, 1, A, B);
        assertThat(d.sealed()).isZero();
    }

    /** Each has been at it long enough, but not at the same time. */
    @Test
    void theMajorityHasBeenAtItTogether() {
        Generations d = of(SECOND);
        hear(d, 0, SECOND, 1, A);
        hear(d, D_Q, SECOND, 1, A);
        hear(d, D_Q + 1, SECOND, 1, B);
        hear(d, 2 * D_Q + 1, SECOND, 1, B);
        assertThat(d.sealed()).isZero();
    }

    @Test
    void newMembersAndAnswersToEarlierQuestionsDoNotCount() {
        Generations d = of(SECOND);
        long early = d.ask(at(0)).nonce();
        hear(d, 1, SECOND, 1, A, D);
        d.heard(B, new Standing(early, new Incarnation(1, 0), SECOND, 0), at(2));
        hear(d, D_Q + 1, SECOND, 1, A, D);
        d.heard(B, new Standing(early, new Incarnation(1, 0), SECOND, 0), at(D_Q + 2));
        assertThat(d.sealed()).isZero();
    }

    /** An acceptor that is one further is no part of a majority of the old list alone either. */
    @Test
    void theNextGenerationCountsForTheSealOfThisOne() {
        Generations d = of(SECOND);
        hear(d, 0, THIRD, 1, A);
        hear(d, 0, SECOND, 1, B);
        hear(d, D_Q, THIRD, 1, A);
        hear(d, D_Q, SECOND, 1, B, D);
        assertThat(d.sealed()).isEqualTo(2);
    }

    /** R4: the monotonic clock of the node that asks has stood still, and the wall clock shows it. */
    @Test
    void anAnswerFromBeforeAPauseOfTheMachineIsNotFresh() {
        assertThat(new SealOfThePaused().get()).isEmpty();
    }

    /** R4, R8: it has restarted, and nobody has told it yet. With the list before it may grant all the same. */
    @Test
    void aProposerGoesBackToBothListsWhereTooFewKnowOfTheSealAndForwardOnceTheyDo() {
        Generations client = of(FIRST);
        client.met(A, SECOND, 2);
        client.met(B, SECOND, 2);
        client.changeMode(at(0));
        assertThat(client.quorum().mode()).isEqualTo(Quorum.alone(2));
        client.refusedBy(D, Quorum.alone(2), 2);
        assertThat(client.isModeOver()).as("a and b are a majority").isFalse();
        client.unreachable(B);
        assertThat(client.isModeOver()).as("d may know by now").isFalse();
        assertThat(client.asksAt()).as("it is asked at once").isEqualTo(at(0).moment());

        client.refusedBy(D, Quorum.alone(1), 2);
        assertThat(client.isModeOver()).as("an answer to what was asked before").isFalse();
        client.refusedBy(D, Quorum.alone(2), 2);
        assertThat(client.isModeOver()).isTrue();
        client.changeMode(at(1));
        assertThat(client.quorum().mode()).isEqualTo(Quorum.joint(2));
        assertThat(client.deciding()).isEqualTo(1);
        client.met(D, SECOND, 2);
        client.changeMode(at(2));
        assertThat(client.quorum().mode()).isEqualTo(Quorum.alone(2));
        assertThat(client.asksAt()).isNull();
    }

    /** R4: a majority that has moved on knows of the seal, or it could not have (R5). */
    @Test
    void whoHasMovedOnKnowsOfTheSeal() {
        Generations client = of(FIRST);
        client.met(A, SECOND, 2);
        client.met(B, SECOND, 0);
        assertThat(client.isModeOver()).as("the seal is known, and to too few").isTrue();
        client.changeMode(at(0));
        assertThat(client.quorum().mode()).isEqualTo(Quorum.joint(2));
        assertThat(client.everyone()).contains(C);
        client.met(B, THIRD, 0);
        client.changeMode(at(1));
        assertThat(client.quorum().mode()).isEqualTo(Quorum.alone(2));
    }

    /** An answer that is urgent is asked for soon, and then less and less often, but not less often than any other. */
    @Test
    void whetherAcceptorsKnowOfTheSealIsAskedSoonAndThenLessAndLessOften() {
        Generations client = of(FIRST);
        client.met(A, SECOND, 0);
        client.ask(at(0));
        client.met(A, SECOND, 2);
        long interval = new GenerationPolls().intervalNanos(SECOND);
        long asked = 0;
        for (long wait : new long[] {interval / 16, interval / 8, interval / 4, interval / 2, interval, interval}) {
            assertThat(client.asksAt()).isEqualTo(at(asked + wait).moment());
            asked += wait;
            client.ask(at(asked));
        }
    }

    /** R2: after the change clocks may run further apart, and the one that has not been restarted grants together with the others. */
    @Test
    void anAcceptorThatHasNotMovedExcludesOthersByTheWiderDriftOnceItHasHeardOfIt() {
        MemberList wide = new MemberList(OLD.members(), MAX, 0.20);
        Generations a = of(FIRST);
        assertThat(a.exclusionNanos(1_000)).isEqualTo(OLD.timing().exclusionNanos(1_000));
        a.met(D, new Generation(2, wide, OLD), 0);
        assertThat(a.exclusionNanos(1_000))
                .as("d may be anybody, and to exclude for longer is safe")
                .isEqualTo(wide.timing().exclusionNanos(1_000));
        List.of(B, C).forEach(each -> a.met(each, new Generation(2, wide, OLD), 2));
        a.changeMode(at(1));
        assertThat(a.exclusionNanos(1_000))
                .as("after the seal too")
                .isEqualTo(wide.timing().exclusionNanos(1_000));
        assertThat(new DriftOfTheNext().get()).isEmpty();
    }

    /** R4: also the copy of a process is another one, and what was answered to the first one is no answer to it. */
    @Test
    void aLifeNumbersItsQuestionsFromItsIncarnationOn() {
        Node d = new Node(
                D, SECOND, null, ConfigurationGuard.none(D), false, () -> new Incarnation(9, ++boots), () -> 0, at(0));
        long first = asked(d, 1);
        assertThat(asked(d, 2)).isEqualTo(first + 1);
        d.step(new Event.ClocksDisagree(true), at(2 * D_Q + 1));
        assertThat(asked(d, 3) >> 24).isNotEqualTo(first >> 24);
        assertThat(new LateStandings().get()).isEmpty();
    }

    /** The number of the question that it asks then. */
    private static long asked(Node node, int time) {
        return OneByOne.of(node.step(new Event.Woken(), at(time * D_Q))).stream()
                .filter(effect ->
                        effect instanceof Effect.Send send && send.message() instanceof PaxosMessage.AskStanding)
                .mapToLong(effect -> ((PaxosMessage.AskStanding) ((Effect.Send) effect).message()).nonce())
                .findFirst()
                .orElseThrow();
    }

    /** R6. */
    @Test
    void aProposerAsksTheListsOfTheContentThatIsSealed() {
        assertThat(new AsksTheLost().get()).isEmpty();
    }

    /** Though the next generation, which must wait for that seal, has no place for it. */
    @Test
    void aMemberThatOnlyTheListBeforeHasCountsForTheSeal() {
        Generations d = of(SECOND);
        d.met(new NodeId("c"), new Generation(3, ChangingCell.list(MAX, "d", "x", "y"), NEW), 0);
        hear(d, 0, SECOND, 1, A, C);
        hear(d, D_Q, SECOND, 1, A, C, D);
        assertThat(d.sealed()).isEqualTo(2);
    }

    @Test
    void theLongerQuarantineOfBothAgesTheSeal() {
        Generations d = of(new Generation(2, ChangingCell.list(MAX.dividedBy(9), "a", "b", "d"), OLD));
        Generation its = new Generation(2, ChangingCell.list(MAX.dividedBy(9), "a", "b", "d"), OLD);
        hear(d, 0, its, 1, A, B);
        hear(d, D_Q - 1, its, 1, A, B);
        assertThat(d.sealed()).isZero();
        assertThat(d.maxLeaseNanos()).isEqualTo(MAX.dividedBy(9).toNanos());
        hear(d, D_Q, its, 1, A, B);
        assertThat(d.sealed()).isEqualTo(2);
    }

    @Test
    void anAcceptorHasAnotherBootOnceItHasForgotten() {
        Generations a = of(SECOND);
        Incarnation boot = a.own().standing(new PaxosMessage.AskStanding(1)).boot();
        assertThat(a.own().standing(new PaxosMessage.AskStanding(2)).boot()).isEqualTo(boot);
        a.own().forgetBoot();
        assertThat(a.own().standing(new PaxosMessage.AskStanding(3)).boot()).isNotEqualTo(boot);
    }

    /** Else a proposer whose clock is behind could get a token below one that the list before has granted. */
    @Test
    void afterTheSealNoCounterFromBeforeItBeginsATenure() {
        Generation second = new Generation(2, ChangingCell.list(MAX, "d"), ChangingCell.list(MAX, "a"));
        Node d = new Node(
                D, second, null, ConfigurationGuard.none(D), false, () -> new Incarnation(9, ++boots), () -> 0, at(0));
        d.step(new Event.GenerationMet(A, second, 2), at(1_000));
        Incarnation proposer = new Incarnation(5, 5);
        assertThat(proposes(d, new Ballot(WALL + 1, proposer), at(2_000)))
                .isEqualTo(new PaxosMessage.Stale("r", new Ballot(WALL + 1, proposer), 1, WALL + 2));
        assertThat(proposes(d, new Ballot(WALL + 3, proposer), at(3_000))).isInstanceOf(PaxosMessage.Accepted.class);
    }

    /** R1: silence would let a short lease run out before the holder asks both lists again. */
    @Test
    void anExtensionInAModeThatIsNotTakenIsAnsweredByWhereTheAcceptorStands() {
        Node d = new Node(
                D, SECOND, null, ConfigurationGuard.none(D), false, () -> new Incarnation(9, ++boots), () -> 0, at(0));
        PaxosMessage.Extend extend = new PaxosMessage.Extend(new Incarnation(5, 5), 1, 1_000_000, 1, List.of());
        PaxosMessage answer = answer(d, extend, at(1_000));
        assertThat(answer).isInstanceOfSatisfying(Standing.class, standing -> {
            assertThat(standing.isUnasked()).isTrue();
            assertThat(standing.generation()).isEqualTo(SECOND);
            assertThat(standing.sealed()).isZero();
        });

        Generations client = of(FIRST);
        client.met(A, SECOND, 2);
        client.met(D, SECOND, 2);
        client.changeMode(at(0));
        client.unreachable(A);
        client.heard(D, (Standing) answer, at(1));
        client.changeMode(at(1));
        assertThat(client.quorum().mode()).isEqualTo(Quorum.joint(2));
    }

    /** R3: the client knows of the change before it can reach those that it brings, and members may move before it asks them again. */
    @Test
    void membersThatAreReachedAfterAQuestionAreAskedSoon() {
        Generations client = of(FIRST);
        client.met(A, SECOND, -1);
        client.ask(at(0));
        long interval = new GenerationPolls().intervalNanos(SECOND);
        assertThat(client.asksAt()).isEqualTo(at(interval).moment());
        client.reachable(new NodeId("z"));
        assertThat(client.asksAt()).as("z is no member").isEqualTo(at(interval).moment());
        client.reachable(D);
        assertThat(client.asksAt()).isEqualTo(at(interval / 16).moment());
    }

    /** The question that is asked soon says nothing of those that need longer for an answer than it came after the one before. */
    @Test
    void membersThatAnswerMoreSlowlyThanOthersAreNotTakenForGone() {
        long interval = new GenerationPolls().intervalNanos(SECOND);
        Generations first = of(FIRST);
        first.met(C, SECOND, -1);
        hear(first, 0, FIRST, 1, A, B, D);
        first.changeMode(at(0));
        assertThat(first.quorum().mode()).isEqualTo(Quorum.joint(2));
        hear(first, interval, FIRST, 1, A, C);
        first.reachable(D);
        first.ask(at(interval + interval / 16));
        assertThat(first.isModeOver()).isFalse();
    }

    private static PaxosMessage proposes(Node node, Ballot ballot, Reading now) {
        return answer(node, new PaxosMessage.Propose("r", ballot, 1_000_000, 1), now);
    }

    /** Of a request that asks the second list alone. */
    private static PaxosMessage answer(Node node, PaxosMessage.Request asked, Reading now) {
        PaxosMessage.InMode request =
                new PaxosMessage.InMode(Quorum.alone(2), node.generation().content(), asked);
        return node.step(new Event.Received(C, request), now).stream()
                .filter(effect ->
                        effect instanceof Effect.Send send && send.to().equals(C))
                .map(effect -> (PaxosMessage) ((Effect.Send) effect).message())
                .filter(message -> message instanceof PaxosMessage.Answer)
                .findFirst()
                .orElseThrow();
    }

    @Test
    void generationsCountFromOneAndTheFirstFollowsNone() {
        assertThatThrownBy(() -> new Generation(0, OLD, null)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new Generation(1, OLD, NEW)).isInstanceOf(IllegalArgumentException.class);
        assertThat(FIRST.isFollowedBy(SECOND)).isTrue();
        assertThat(FIRST.isFollowedBy(THIRD)).isFalse();
        assertThat(FIRST.isFollowedBy(new Generation(2, NEW, NEW))).isFalse();
    }
}
