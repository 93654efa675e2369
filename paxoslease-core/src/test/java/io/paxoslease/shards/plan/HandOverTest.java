package io.paxoslease.shards.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.shards.plan.Decision.Claim;
import io.paxoslease.shards.plan.Decision.Depart;
import io.paxoslease.shards.plan.Decision.EndWork;
import io.paxoslease.shards.plan.Decision.Publish;
import io.paxoslease.shards.plan.Decision.Queue;
import io.paxoslease.shards.plan.Decision.Release;
import io.paxoslease.shards.plan.Decision.StartWork;
import io.paxoslease.shards.plan.Decision.Withdraw;
import io.paxoslease.shards.plan.Participant.State;
import io.paxoslease.shards.plan.Reason.Kind;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** When shards move, and how they are handed over (S6 to S8), for one instance, by hand. */
class HandOverTest {

    private static final int SECOND = 1_000;
    private static final int MINUTE = 60 * SECOND;

    @Test
    void aWishThatTheOwnPlanDoesNotKnowIsNotObeyed() {
        HandGroup group = HandGroup.owningAll();
        group.want(3, "n9");
        assertThat(group.pass(MINUTE)).isEmpty();
        HandGroup other = HandGroup.unbalanced();
        int stays = IntStream.range(0, 8)
                .filter(shard -> !other.moves().contains(shard))
                .findFirst()
                .orElseThrow();
        other.want(stays, "n2");
        assertThat(other.pass(SECOND)).isEmpty();
    }

    @Test
    void balanceWaitsUntilTheOthersHaveSettled() {
        HandGroup group = HandGroup.owningAll();
        group.pass(MINUTE);
        group.see("n2", State.ACTIVE, 5 * SECOND, 2, "r1");
        group.decide();
        assertThat(group.pass(54_999)).isEmpty();
        group.wantAll("n2");
        assertThat(group.decide()).isEmpty();
        assertThat(group.pass(1)).hasSize(4).allMatch(each -> each instanceof EndWork);
    }

    @Test
    void balanceWaitsUntilTheParticipantsHaveBeenTheSameForTwoSeconds() {
        HandGroup group = HandGroup.unbalanced();
        group.see("n3", State.ACTIVE, MINUTE, 3, "r1");
        group.wantAll("n2");
        assertThat(group.decide()).isEmpty();
        int moving = group.moves().get(0);
        assertThat(group.participation.why(moving, group.now()).kind()).isEqualTo(Kind.PARTICIPANTS_CHANGE);
        assertThat(group.pass(1_999)).isEmpty();
        assertThat(group.pass(1)).isNotEmpty();
    }

    @Test
    void joiningOnesDoNotHoldUpBalance() {
        HandGroup group = HandGroup.unbalanced();
        group.see("n3", State.JOINING, 0, 0, "r1");
        group.wantAll("n2");
        assertThat(group.decide()).hasSize(4);
    }

    @Test
    void youngOnesHoldUpBalanceForFiveMinutesAtMost() {
        HandGroup group = HandGroup.owningAll();
        group.see("n2", State.ACTIVE, 0, 2, "r1");
        group.decide();
        group.wantAll("n2");
        int waited = 0;
        do {
            if (waited % (50 * SECOND) == 0) {
                group.see("n3", State.ACTIVE, 0, 3, "r1", waited);
            }
            waited += SECOND;
            assertThat(waited).isLessThan(10 * MINUTE);
        } while (group.pass(SECOND).isEmpty());
        assertThat(waited).isBetween(6 * MINUTE - SECOND, 6 * MINUTE + 3 * SECOND);
    }

    @Test
    void differentRevisionsHoldUpBalanceForTenMinutes() {
        HandGroup group = HandGroup.owningAll();
        group.see("n2", State.ACTIVE, 0, 2, "r2");
        group.decide();
        group.pass(10 * MINUTE - 1);
        group.wantAll("n2");
        assertThat(group.decide()).isEmpty();
        assertThat(group.participation.why(group.moves().get(0), group.now()).kind())
                .isEqualTo(Kind.REVISIONS_DIFFER);
        assertThat(group.pass(1)).hasSize(4);
    }

    @Test
    void eightShardsMoveAtATimeBetweenTwoInstances() {
        HandGroup group = new HandGroup(64);
        group.join();
        group.pass(3 * SECOND);
        group.grantAsked();
        group.see("n2", State.ACTIVE, 0, 2, "r1");
        group.pass(MINUTE);
        group.wantAll("n2");
        List<Decision> ends = group.decide();
        assertThat(ends).hasSize(8).allMatch(each -> each instanceof EndWork);
        group.participation.workEnded(((EndWork) ends.get(0)).shard(), group.now());
        assertThat(group.decide())
                .hasSize(2)
                .anyMatch(each -> each instanceof Release)
                .anyMatch(each -> each instanceof EndWork);
    }

    @Test
    void aReceiverQueuesForEightAtATimeAndWithdrawsWhenThePlanChanges() {
        HandGroup group = new HandGroup(32);
        IntStream.range(0, 32).forEach(shard -> group.own(shard, "n2"));
        group.see("n2", State.ACTIVE, 0, 1, "r1");
        group.join();
        assertThat(group.pass(MINUTE - 1)).isEmpty();
        List<Decision> wishes = group.pass(1);
        assertThat(wishes).hasSize(8).allMatch(each -> each instanceof Queue);
        int first = ((Queue) wishes.get(0)).shard();
        group.participation.granted(first, group.now());
        assertThat(group.decide()).hasSize(2).contains(new StartWork(first)).anyMatch(each -> each instanceof Queue);
        group.own(((Queue) wishes.get(1)).shard(), "n3");
        group.see("n3", State.ACTIVE, 0, 2, "r1");
        assertThat(group.decide()).contains(new Withdraw(((Queue) wishes.get(1)).shard()));
    }

    /** Its participant lease and its shards are told by different watches, in any order. */
    @Test
    void receiversStillWaitWhenTheHolderThatLeavesIsNoParticipantAnyMore() {
        HandGroup group = new HandGroup(8);
        IntStream.range(0, 8).forEach(shard -> group.own(shard, "n2"));
        group.see("n2", State.ACTIVE, MINUTE, 1, "r1");
        group.see("n3", State.ACTIVE, MINUTE, 2, "r1");
        group.join();
        group.see("n2", State.LEAVING, MINUTE, 1, "r1");
        List<Integer> wishes =
                group.decide().stream().map(each -> ((Queue) each).shard()).toList();
        assertThat(wishes).hasSize(4);
        group.disappear("n2");
        assertThat(group.decide()).isEmpty();
        group.own(other(wishes), "n3");
        assertThat(group.decide()).isEmpty();
        group.free(wishes.get(0));
        assertThat(group.decide()).isEmpty();
        wishes.forEach(group::free);
        assertThat(group.decide()).isEmpty();
    }

    /** It may have crashed: the lease is for this instance when it has expired. */
    @Test
    void aReceiverStillWaitsWhenTheHolderIsNoParticipantAnyMore() {
        HandGroup group = new HandGroup(32);
        IntStream.range(0, 32).forEach(shard -> group.own(shard, "n2"));
        group.see("n2", State.ACTIVE, 0, 1, "r1");
        group.join();
        assertThat(group.pass(MINUTE)).hasSize(8).allMatch(each -> each instanceof Queue);
        group.disappear("n2");
        assertThat(group.pass(SECOND)).isEmpty();
    }

    private static int other(List<Integer> wishes) {
        return IntStream.range(0, 8)
                .filter(shard -> !wishes.contains(shard))
                .findFirst()
                .orElseThrow();
    }

    /** The lease is released when the work has ended, never before, and only for one that still waits. */
    @Test
    void aShardIsReleasedWhenItsWorkHasEnded() {
        HandGroup group = HandGroup.unbalanced();
        int shard = group.moves().get(0);
        group.want(shard, "n2");
        assertThat(group.decide()).containsExactly(new EndWork(shard, "n2"));
        assertThat(group.participation.why(shard, group.now()).kind()).isEqualTo(Kind.WORK_ENDS);
        assertThat(group.pass(10 * SECOND)).isEmpty();
        group.participation.workEnded(shard, group.now());
        assertThat(group.decide()).containsExactly(new Release(shard, "n2"));
        assertThat(group.decide()).isEmpty();
    }

    @Test
    void aShardWhoseReceiverHasGoneStays() {
        HandGroup group = HandGroup.unbalanced();
        int shard = group.moves().get(0);
        group.want(shard, "n2");
        assertThat(group.decide()).containsExactly(new EndWork(shard, "n2"));
        group.want(shard, null);
        group.participation.workEnded(shard, group.now());
        assertThat(group.decide()).containsExactly(new StartWork(shard));
    }

    @Test
    void workThatDoesNotEndKeepsItsShardAndIsLeftAlone() {
        HandGroup group = HandGroup.unbalanced();
        int shard = group.moves().get(0);
        group.want(shard, "n2");
        group.decide();
        assertThat(group.pass(20 * SECOND)).isEmpty();
        assertThat(group.moves()).hasSize(4).doesNotContain(shard);
        assertThat(group.participation.why(shard, group.now()).kind()).isEqualTo(Kind.LEFT_ALONE);
        assertThat(group.pass(9 * MINUTE)).isEmpty();
        group.participation.workEnded(shard, group.now());
        assertThat(group.decide()).containsExactly(new Release(shard, "n2"));
    }

    @Test
    void aReceiverWhoseHolderDoesNotAnswerLeavesTheShardAlone() {
        HandGroup group = new HandGroup(2);
        IntStream.range(0, 2).forEach(shard -> group.own(shard, "n2"));
        group.see("n2", State.ACTIVE, 0, 1, "r1");
        group.join();
        int first = ((Queue) group.pass(MINUTE).get(0)).shard();
        assertThat(group.pass(25 * SECOND - 1)).isEmpty();
        assertThat(group.pass(1)).containsExactly(new Withdraw(first), new Queue(1 - first, "n2"));
    }

    @Test
    void oneThatLeavesEndsAllWorkAndGivesEachShardToItsReceiver() {
        HandGroup group = HandGroup.unbalanced();
        group.participation.leave();
        assertThat(group.decide())
                .extracting(each -> ((Publish) each).note().state())
                .containsExactly(State.LEAVING);
        group.want(0, "n2");
        assertThat(group.decide()).containsExactly(new EndWork(0, "n2"));
        assertThat(group.pass(199)).isEmpty();
        assertThat(group.pass(1)).hasSize(7).contains(new EndWork(1, null));
        group.participation.workEnded(0, group.now());
        group.participation.workEnded(1, group.now());
        assertThat(group.decide()).containsExactly(new Release(0, "n2"), new Release(1, null));
        IntStream.range(2, 7).forEach(shard -> group.participation.workEnded(shard, group.now()));
        assertThat(group.decide()).hasSize(5);
        assertThat(group.pass(MINUTE)).isEmpty();
        group.participation.workEnded(7, group.now());
        assertThat(group.decide()).containsExactly(new Release(7, null), new Depart());
    }

    @Test
    void aLastInstanceLeavesWithoutWaiting() {
        HandGroup group = HandGroup.owningAll();
        group.participation.leave();
        assertThat(group.decide()).hasSize(9).contains(new EndWork(0, null));
    }

    @Test
    void aLeaseThatIsGrantedTooLateIsReleased() {
        HandGroup group = new HandGroup(1);
        group.join();
        group.pass(3 * SECOND);
        group.participation.leave();
        assertThat(group.decide()).contains(new Withdraw(0)).noneMatch(each -> each instanceof Depart);
        group.participation.granted(0, group.now());
        assertThat(group.decide()).containsExactly(new Release(0, null), new Depart());
    }

    @Test
    void aReleasedShardIsNotTakenForOwnWhileTheViewIsLate() {
        HandGroup group = HandGroup.unbalanced();
        int shard = group.moves().get(0);
        group.want(shard, "n2");
        group.decide();
        group.participation.workEnded(shard, group.now());
        assertThat(group.decide()).containsExactly(new Release(shard, "n2"));
        assertThat(group.pass(SECOND)).isEmpty();
        assertThat(group.participation.why(shard, group.now())).isEqualTo(new Reason(Kind.IN_PLACE, "n2", null));
        group.free(shard);
        group.decide();
        assertThat(group.participation.why(shard, group.now()).kind()).isEqualTo(Kind.TO_BE_CLAIMED);
    }

    @Test
    void aShardThatIsGivenUpIsReleasedOnceWhenItsWorkHasEnded() {
        HandGroup group = HandGroup.owningAll();
        group.participation.giveUp(3);
        assertThat(group.decide()).containsExactly(new EndWork(3, null));
        assertThat(group.pass(MINUTE)).as("while work runs").isEmpty();
        group.participation.workEnded(3, group.now());
        assertThat(group.decide()).containsExactly(new Release(3, null));
        group.free(3);
        assertThat(group.pass(SECOND)).as("by its plan").containsExactly(new Claim(3));
        group.grantAsked();
        assertThat(group.pass(SECOND)).isEmpty();
        assertThat(group.held()).hasSize(8);
    }

    @Test
    void aShardWhoseWorkHasFailedIsGivenUpAtOnce() {
        HandGroup group = HandGroup.owningAll();
        group.participation.workFailed(3, group.now());
        group.participation.giveUp(3);
        assertThat(group.decide()).containsExactly(new Release(3, null));
        group.participation.giveUp(3);
        group.free(3);
        assertThat(group.decide()).containsExactly(new Claim(3));
        group.grantAsked();
        assertThat(group.pass(SECOND)).as("not held then").isEmpty();
    }

    @Test
    void aShardThatIsGivenUpWhileItMovesDoesNotStay() {
        HandGroup group = HandGroup.unbalanced();
        int shard = group.moves().get(0);
        group.want(shard, "n2");
        assertThat(group.decide()).containsExactly(new EndWork(shard, "n2"));
        group.participation.giveUp(shard);
        group.want(shard, null);
        group.participation.workEnded(shard, group.now());
        assertThat(group.decide()).containsExactly(new Release(shard, null));
    }
}
