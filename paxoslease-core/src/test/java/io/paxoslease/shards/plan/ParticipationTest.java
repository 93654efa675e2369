package io.paxoslease.shards.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.shards.plan.Decision.Claim;
import io.paxoslease.shards.plan.Decision.Depart;
import io.paxoslease.shards.plan.Decision.EndWork;
import io.paxoslease.shards.plan.Decision.Publish;
import io.paxoslease.shards.plan.Decision.StartWork;
import io.paxoslease.shards.plan.Participant.State;
import io.paxoslease.shards.plan.Reason.Kind;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Who participates, who claims what, and when (S2 to S5, S9 to S11), for one instance, by hand. */
class ParticipationTest {

    private static final int SECOND = 1_000;
    private static final int MINUTE = 60 * SECOND;

    @Test
    void itJoinsAtOnceAndIsActiveWhenItIsReadyAndSeesTheGroup() {
        HandGroup group = new HandGroup(8);
        assertThat(group.decide())
                .extracting(each -> ((Publish) each).note().state())
                .containsExactly(State.JOINING);
        group.participation.ready();
        assertThat(group.decide()).isEmpty();
        group.pass(SECOND);
        group.show();
        Publish active = (Publish) group.decide().get(0);
        assertThat(active.note().state()).isEqualTo(State.ACTIVE);
        assertThat(active.note().ageMillis()).isEqualTo(SECOND);
        assertThat(active.note().order()).isEqualTo(1);
    }

    @Test
    void itTakesTheNextOrder() {
        HandGroup group = new HandGroup(8);
        group.see("n2", State.ACTIVE, 0, 7, "r1");
        group.join();
        assertThat(group.note().order()).isEqualTo(8);
    }

    @Test
    void aGroupWithoutAnOwnerWaitsForTheStartWait() {
        HandGroup group = new HandGroup(8);
        group.join();
        assertThat(group.pass(2_999)).isEmpty();
        assertThat(group.participation.why(0, group.now()))
                .extracting(Reason::kind)
                .isEqualTo(Kind.GROUP_STARTS);
        assertThat(group.pass(1)).hasSize(8).allMatch(each -> each instanceof Claim);
    }

    @Test
    void aGroupStartsAtOnceWithAllExpectedInstances() {
        HandGroup group = new HandGroup(8, 8, 2);
        group.join();
        assertThat(group.pass(SECOND)).isEmpty();
        group.see("n2", State.ACTIVE, 0, 2, "r1");
        assertThat(group.decide()).hasSize(4).allMatch(each -> each instanceof Claim);
    }

    @Test
    void aGroupWithAnOwnerIsNotWaitedFor() {
        HandGroup group = new HandGroup(8);
        group.own(0, "n2");
        group.see("n2", State.ACTIVE, 0, 1, "r1");
        assertThat(group.join()).filteredOn(each -> each instanceof Claim).isNotEmpty();
    }

    @Test
    void aStalledViewClaimsNothingAndKeepsWhatIsHeld() {
        HandGroup group = HandGroup.withAnOwner();
        group.free(3);
        group.participation.stalled();
        assertThat(group.pass(MINUTE)).isEmpty();
        assertThat(group.participation.why(0, group.now()).kind()).isEqualTo(Kind.VIEW_STALLED);
        HandGroup owner = HandGroup.unbalanced();
        int shard = owner.moves().get(0);
        owner.participation.stalled();
        owner.want(shard, "n2");
        assertThat(owner.pass(MINUTE)).isEmpty();
    }

    /** Otherwise the first instance that sees the members again would take everything. */
    @Test
    void aGroupThatHasLostItsOwnersWhileItSawNothingWaitsAsAtItsStart() {
        HandGroup group = new HandGroup(8);
        group.join();
        group.pass(3 * SECOND);
        group.grantAsked();
        group.participation.stalled();
        group.pass(MINUTE);
        group.lose(0, 1, 2, 3, 4, 5, 6, 7);
        assertThat(group.decide()).isEmpty();
        assertThat(group.participation.why(0, group.now()).kind()).isEqualTo(Kind.GROUP_STARTS);
        assertThat(group.pass(2_999)).isEmpty();
        assertThat(group.pass(1)).hasSize(8).allMatch(each -> each instanceof Claim);
    }

    /** As where the members have no memory for another lease. */
    @Test
    void aShardThatIsNotGrantedIsAskedForLessOften() {
        HandGroup group = new HandGroup(1);
        group.join();
        assertThat(group.pass(3 * SECOND)).containsExactly(new Claim(0));
        int times = 0;
        for (long pause : new long[] {500, 1_000, 2_000, 4_000, 4_000}) {
            assertThat(group.participation.notGranted().isEmpty()).isEqualTo(times++ < 4);
            group.participation.refused(0, group.now());
            assertThat(group.pass(pause - 1)).as("before %d ms", pause).isEmpty();
            assertThat(group.pass(1)).as("after %d ms", pause).containsExactly(new Claim(0));
        }
        assertThat(group.participation.why(0, group.now()).kind()).isEqualTo(Kind.NOT_GRANTED);
        group.grantAsked();
        assertThat(group.participation.notGranted().isEmpty()).isTrue();
    }

    @Test
    void whatWasNotGrantedIsForgottenWhenTheShardHasAnOwner() {
        HandGroup group = new HandGroup(1);
        group.join();
        group.pass(3 * SECOND);
        for (int i = 0; i < 5; i++) {
            group.participation.refused(0, group.now());
            group.pass(4 * SECOND);
        }
        assertThat(group.participation.notGranted().isEmpty()).isFalse();
        group.participation.refused(0, group.now());
        group.own(0, "n2");
        group.pass(MINUTE);
        group.free(0);
        assertThat(group.decide()).containsExactly(new Claim(0));
        assertThat(group.participation.notGranted().isEmpty()).isTrue();
        assertThat(group.participation.why(0, group.now()).kind()).isEqualTo(Kind.TO_BE_CLAIMED);
    }

    @Test
    void workInDoubtStartsAgainAfterASecondEachTime() {
        HandGroup group = HandGroup.owningAll();
        for (int i = 0; i < 5; i++) {
            group.participation.workInDoubt(5, group.now());
            assertThat(group.decide()).isEmpty();
            assertThat(group.pass(SECOND)).containsExactly(new StartWork(5));
        }
    }

    @Test
    void aShardWhoseOwnerIsUnknownIsNotClaimed() {
        HandGroup group = new HandGroup(8);
        group.unknown.set(3);
        group.join();
        assertThat(group.pass(3 * SECOND)).hasSize(7).doesNotContain(new Claim(3));
        assertThat(group.participation.why(3, group.now()).kind()).isEqualTo(Kind.OWNER_UNKNOWN);
    }

    @Test
    void aParticipantThatDoesNotClaimIsLeftOutForAMinute() {
        HandGroup group = HandGroup.owningAll();
        group.see("n2", State.ACTIVE, 0, 2, "r1");
        group.lose(0, 1);
        group.decide();
        assertThat(group.participation.why(0, group.now())).isEqualTo(new Reason(Kind.TO_BE_CLAIMED, "n2", null));
        assertThat(group.pass(1_999)).isEmpty();
        assertThat(group.pass(1)).containsExactly(new Claim(0), new Claim(1));
        group.grantAsked();
        group.lose(2);
        assertThat(group.decide()).containsExactly(new Claim(2));
        group.grantAsked();
        group.pass(MINUTE);
        group.lose(3);
        assertThat(group.decide()).doesNotContain(new Claim(3));
    }

    /** Otherwise a note with another boot id every second would keep the shards that are planned for it free. */
    @Test
    void aParticipantThatRestartsAgainAndAgainDoesNotActByThat() {
        HandGroup group = HandGroup.owningAll();
        group.see("n2", State.ACTIVE, 0, 2, "r1", 1);
        group.see("n2", State.ACTIVE, 0, 2, "r1", 2);
        group.lose(0, 1);
        group.decide();
        for (int boot = 3; boot < 7; boot++) {
            assertThat(group.pass(400)).isEmpty();
            group.see("n2", State.ACTIVE, 0, 2, "r1", boot);
        }
        assertThat(group.pass(400)).containsExactly(new Claim(0), new Claim(1));
        group.grantAsked();
        group.pass(MINUTE);
        group.lose(2);
        assertThat(group.decide()).doesNotContain(new Claim(2));
    }

    /** Its lease of a shard ended, and its note says that it is active: probably it crashed, and the note has not ended yet. */
    @Test
    void aParticipantThatLostAShardIsLeftOutAtOnce() {
        HandGroup group = new HandGroup(8);
        IntStream.range(0, 8).forEach(shard -> group.own(shard, shard < 4 ? "n2" : "n3"));
        group.see("n2", State.ACTIVE, 0, 1, "r1");
        group.see("n3", State.ACTIVE, 0, 1, "r1");
        group.join();
        IntStream.range(0, 4).forEach(group::free);
        assertThat(group.decide()).hasSize(4).allMatch(each -> each instanceof Claim);
    }

    @Test
    void aRefusedClaimIsTriedAgainAfterAPause() {
        HandGroup group = new HandGroup(1);
        group.join();
        assertThat(group.pass(3 * SECOND)).containsExactly(new Claim(0));
        group.participation.refused(0, group.now());
        assertThat(group.pass(499)).isEmpty();
        assertThat(group.pass(1)).containsExactly(new Claim(0));
    }

    /** One of three runs the new revision: all get free shards. With the second one only the new ones do. */
    @Test
    void aFirstInstanceOfANewRevisionDoesNotGetEverything() {
        HandGroup group = new HandGroup(9);
        group.own(0, "n2");
        group.see("n2", State.ACTIVE, 0, 1, "r0");
        group.see("n3", State.ACTIVE, 0, 2, "r0");
        List<Decision> claims = group.join();
        assertThat(claims).filteredOn(each -> each instanceof Claim).hasSize(3);
        assertThat(group.note().revision()).isEqualTo("r1");
        HandGroup half = new HandGroup(9);
        half.own(0, "n2");
        half.see("n2", State.ACTIVE, 0, 1, "r0");
        assertThat(half.join()).filteredOn(each -> each instanceof Claim).hasSize(8);
    }

    @Test
    void anUnhealthyInstanceStandsByForAMinuteThenForTwo() {
        HandGroup group = HandGroup.unbalanced();
        group.participation.health(false, group.now());
        assertThat(group.pass(9_999)).isEmpty();
        assertThat(group.pass(1))
                .extracting(each -> ((Publish) each).note().state())
                .containsExactly(State.STANDBY);
        assertThat(group.pass(200)).hasSize(8).allMatch(each -> each instanceof EndWork);
        group.participation.health(true, group.now());
        assertThat(group.states(59_800)).containsExactly(State.ACTIVE);
        group.participation.health(false, group.now());
        assertThat(group.states(10 * SECOND)).containsExactly(State.STANDBY);
        group.participation.health(true, group.now());
        assertThat(group.states(120 * SECOND - 1)).isEmpty();
        assertThat(group.states(1)).containsExactly(State.ACTIVE);
    }

    @Test
    void aShortFailureOfTheHealthGroupChangesNothing() {
        HandGroup group = HandGroup.owningAll();
        group.participation.health(false, group.now());
        group.pass(9 * SECOND);
        group.participation.health(true, group.now());
        assertThat(group.pass(MINUTE)).isEmpty();
    }

    @Test
    void workThatFailsBacksOffWhereItIs() {
        HandGroup group = HandGroup.owningAll();
        List<Integer> waits = new ArrayList<>();
        for (int failure = 0; failure < 8; failure++) {
            group.participation.workFailed(5, group.now());
            int waited = 0;
            while (!group.decide().contains(new StartWork(5))) {
                group.pass(0);
                group.skip(SECOND);
                waited++;
            }
            waits.add(waited);
        }
        assertThat(waits).containsExactly(1, 2, 4, 8, 16, 32, 60, 60);
        group.pass(2 * MINUTE);
        group.participation.workFailed(5, group.now());
        assertThat(group.pass(SECOND)).containsExactly(new StartWork(5));
    }

    @Test
    void whatDoesNotFitUnderMaxOwnedStaysFree() {
        HandGroup group = new HandGroup(8, 5, 0);
        group.join();
        assertThat(group.pass(3 * SECOND)).hasSize(5);
        group.grantAsked();
        assertThat(group.participation.unplaced().cardinality()).isEqualTo(3);
        int free = group.participation.unplaced().nextSetBit(0);
        assertThat(group.participation.why(free, group.now()).kind()).isEqualTo(Kind.MAX_OWNED);
    }

    /** It is full, and another one leaves, which owns them yet. */
    @Test
    void shardsThatAnInstanceOwnsWhichLeavesAreNotCalledFree() {
        HandGroup group = new HandGroup(8, 5, 0);
        group.join();
        group.pass(3 * SECOND);
        group.grantAsked();
        BitSet free = group.participation.unplaced();
        free.stream().forEach(shard -> group.own(shard, "n2"));
        group.see("n2", State.LEAVING, 0, 2, "r1");
        group.pass(SECOND);
        assertThat(free.cardinality()).isEqualTo(3);
        assertThat(group.participation.unplaced().isEmpty()).isTrue();
    }

    /** Whatever age it claims, and whichever leases it adds. */
    @Test
    void aNoteWithAnotherNumberOfShardsDoesNotStopAGroupThatWorks() {
        HandGroup group = HandGroup.owningAll();
        group.see("n2", new Participant(State.ACTIVE, 7, Participant.MAX_AGE_MILLIS, 1, "r1", 16, 16));
        assertThat(group.pass(SECOND)).isEmpty();
        assertThat(group.participation.conflict()).isNull();
    }

    /** Its clock may have been suspended, and the group begun again with another number meanwhile. */
    @Test
    void anOlderInstanceIsRefusedByAGroupThatWorksWithAnotherNumber() {
        HandGroup group = new HandGroup(8);
        group.pass(MINUTE);
        group.own(0, "n2");
        group.see("n2", new Participant(State.ACTIVE, 7, 0, 1, "r1", 16, 16));
        group.join();
        assertThat(group.participation.conflict()).contains("16 shards at node 'n2'");
    }

    @Test
    void anInstanceThatLeavesLastTellsOfNoMissingRoom() {
        HandGroup group = HandGroup.owningAll();
        group.participation.leave();
        group.pass(SECOND);
        assertThat(group.participation.unplaced().isEmpty()).isTrue();
    }

    /** S11: the later one is refused, and claims nothing; the earlier one ignores it. */
    @Test
    void anInstanceWithAnotherNumberOfShardsIsRefused() {
        HandGroup late = new HandGroup(8);
        late.see("n2", new Participant(State.ACTIVE, 2, 400, 1, "r1", 16, 16));
        assertThat(late.decide()).containsExactly(new Depart());
        assertThat(late.participation.conflict()).contains("16 shards at node 'n2' and 8 at this node 'n1'");
        assertThat(late.pass(MINUTE)).isEmpty();
        HandGroup early = HandGroup.owningAll();
        early.pass(MINUTE);
        early.see("n2", new Participant(State.ACTIVE, 2, 400, 1, "r1", 16, 16));
        assertThat(early.pass(5 * MINUTE)).isEmpty();
        assertThat(early.participation.conflict()).isNull();
    }

    /** Two that start together with different numbers both step back. */
    @Test
    void ofTwoThatStartTogetherNoneStays() {
        HandGroup group = new HandGroup(8);
        group.join();
        group.pass(SECOND);
        group.see("n2", new Participant(State.ACTIVE, 2, 4_000, 1, "r1", 16, 16));
        assertThat(group.decide()).noneMatch(each -> each instanceof Claim);
        assertThat(group.participation.conflict()).isNotNull();
    }
}
