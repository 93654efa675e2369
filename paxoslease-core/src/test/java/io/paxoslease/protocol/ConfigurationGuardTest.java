package io.paxoslease.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Section 9. Times are in units; a node that was seen counts as running for three, and an acceptor looks around for two. */
class ConfigurationGuardTest {

    private static final long SILENCE = 10;
    private static final NodeId A = new NodeId("a");
    private static final NodeId B = new NodeId("b");
    private static final NodeId C = new NodeId("c");
    private static final NodeId D = new NodeId("d");
    private static final NodeId E = new NodeId("e");
    private static final List<NodeId> THREE = List.of(A, B, C);
    private static final List<NodeId> FIVE = List.of(A, B, C, D, E);

    private final ConfigurationGuard guard = guard(B);

    private static ConfigurationGuard guard(NodeId self) {
        return guard(self, FIVE);
    }

    private static ConfigurationGuard guard(NodeId self, List<NodeId> members) {
        return new ConfigurationGuard(self, members, SILENCE, 3, 2);
    }

    private static Moment at(long unit) {
        return new Moment(unit);
    }

    private static Event.OtherConfiguration runs(NodeId node, List<NodeId> members) {
        return new Event.OtherConfiguration(node, members, SILENCE, "the peers differ", false);
    }

    @Test
    void anAcceptorLooksAroundBeforeItServes() {
        assertThat(guard.isSilent(at(0))).isTrue();

        guard.lookAround(at(5));

        assertThat(guard.nextDeadline()).isEqualTo(at(7));
        assertThat(guard.isSilent(at(6))).isTrue();
        assertThat(guard.serve(at(7))).isTrue();
        assertThat(guard.nextDeadline()).isNull();
    }

    @Test
    void itIsSilentWhileAnotherConfigurationCouldHaveAMajorityAndUntilWhatThatGrantedIsOver() {
        guard.lookAround(at(0));
        guard.seen(runs(A, THREE), at(1)); // a and c may run it
        guard.seen(runs(A, THREE), at(3));

        assertThat(guard.isSilent(at(6))).isTrue();
        guard.connected(A, at(6)); // c alone is no majority of three

        assertThat(guard.isSilent(at(15))).isTrue();
        assertThat(guard.nextDeadline()).isEqualTo(at(16));
        assertThat(guard.isSilent(at(16))).isFalse();
    }

    @Test
    void whatItsNodesGrantedBeforeTheyStoppedIsOverASilenceAfterTheyCountAsRunning() {
        guard.lookAround(at(0));
        guard.seen(runs(A, THREE), at(1));

        assertThat(guard.isSilent(at(13))).isTrue();
        assertThat(guard.nextDeadline()).isEqualTo(at(14));
        assertThat(guard.isSilent(at(14))).isFalse();
    }

    @Test
    void theLongerOfBothSilencesCounts() {
        ConfigurationGuard guard = guard(B, THREE);
        guard.lookAround(at(0));
        guard.seen(new Event.OtherConfiguration(A, THREE, 25, "the maximum lease times differ", false), at(1));

        assertThat(guard.isSilent(at(28))).isTrue();
        assertThat(guard.isSilent(at(29))).isFalse();
    }

    @Test
    void aSingleWrongNodeSilencesNoOther() {
        ConfigurationGuard guard = guard(B, THREE);
        guard.lookAround(at(0));
        guard.connected(A, at(0));
        guard.seen(runs(C, THREE), at(1)); // another maximum lease time, for instance

        assertThat(guard.isSilent(at(2))).isFalse();
    }

    /** Of its members most have gone over, but what they granted before may last: a newcomer has not seen when. */
    @Test
    void besideAnotherListItIsSilentForAsLongAsAfterAStart() {
        guard.lookAround(at(0));
        guard.connected(A, at(0));
        guard.seen(new Event.OtherConfiguration(C, THREE, 12, "the peers differ", false), at(1));

        assertThat(guard.isSilent(at(11))).isTrue();
        assertThat(guard.isSilent(at(12))).isFalse();
    }

    @Test
    void theWrongNodeItselfIsSilentBesideTheOthers() {
        guard.lookAround(at(0));
        guard.seen(runs(A, THREE), at(0));
        guard.seen(runs(C, THREE), at(0));

        assertThat(guard.isSilent(at(2))).isTrue();
    }

    private static Event.OtherConfiguration hasSealed(NodeId node) {
        return new Event.OtherConfiguration(
                node, THREE, SILENCE, "the generations differ, 3 at 'a' but 1 at 'b'", true);
    }

    /** R7. */
    @Test
    void itStaysSilentOnceItHasHeardThatOthersAreSealedInItsPlace() {
        guard.seen(hasSealed(A), at(0));
        guard.lookAround(at(0));
        guard.seen(runs(A, THREE), at(1));

        assertThat(guard.isSilent(at(1_000))).isTrue();
        assertThat(guard.nextDeadline()).isNull();
        assertThat(guard.view(at(1_000)))
                .isEqualTo(new NodeView.OtherConfiguration(
                        "node 'b' stays silent, as node 'a' knows other members to be sealed in the place of its own: "
                                + "the generations differ, 3 at 'a' but 1 at 'b'. Configure the same on every node, and restart this one",
                        true));
        guard.changed(THREE, SILENCE); // by a store, and perhaps not as far as that
        assertThat(guard.isSilent(at(1_001))).isTrue();
    }

    @Test
    void thatOthersAreSealedInItsPlaceIsToldOnceHoweverManyTellIt() {
        guard.seen(hasSealed(A), at(0));
        assertThat(text(guard.news(at(0)))).contains("node 'b' stays silent, as node 'a' knows");
        guard.seen(hasSealed(C), at(1));
        assertThat(guard.news(at(1))).isNull();
        guard.seen(hasSealed(A), at(2));
        assertThat(guard.news(at(2))).isNull();
    }

    /** G3. The quarantine may end long after the acceptor has looked around. Asking for its status changes nothing. */
    @Test
    void untilItServesItIsSilentBesideAnyConfigurationThatItSees() {
        guard.lookAround(at(0));
        assertThat(guard.isSilent(at(2))).isFalse();
        assertThat(guard.view(at(2))).isNull();
        assertThat(guard.news(at(2))).isNull();
        assertThat(guard.remainingNanos(at(2))).isZero();
        List.of(C, D, E).forEach(node -> guard.connected(node, at(2)));
        guard.seen(runs(A, FIVE), at(3)); // alone it is no majority
        assertThat(text(guard.news(at(3)))).contains("node 'b' starts: it does not take node 'a'");
        List.of(C, D, E).forEach(node -> guard.disconnected(node, at(4)));

        guard.seen(runs(A, THREE), at(5));
        assertThat(guard.isSilent(at(6))).isTrue();
        assertThat(guard.isSilent(at(18))).isFalse();
        guard.seen(hasSealed(A), at(19));
        assertThat(guard.isSilent(at(1_000))).isTrue();
    }

    @Test
    void anAcceptorThatServesGoesOnWhateverIsSaidToBeSealed() {
        guard.lookAround(at(0));
        guard.serve(at(2));

        guard.seen(hasSealed(A), at(3));

        assertThat(guard.isSilent(at(4))).isFalse();
        assertThat(guard.view(at(4)))
                .isEqualTo(new NodeView.OtherConfiguration(
                        "node 'b' serves on: it does not take node 'a', for the generations differ, 3 at 'a' but 1 at 'b'. "
                                + "Configure the same on every node: finish the change, or undo it",
                        false));
    }

    @Test
    void anAcceptorThatServesGoesOn() {
        guard.lookAround(at(0));
        assertThat(guard.serve(at(2))).isTrue();

        guard.seen(runs(D, FIVE), at(3));

        assertThat(guard.isSilent(at(3))).isFalse();
        assertThat(guard.nextDeadline()).isEqualTo(at(16)); // then the other configuration is history
    }

    @Test
    void oneThatLostItsMemoryStartsAgain() {
        guard.lookAround(at(0));
        assertThat(guard.serve(at(2))).isTrue();
        guard.seen(runs(D, FIVE), at(3));

        guard.restart(at(4));

        assertThat(guard.isSilent(at(6))).isTrue();
        assertThat(guard.isSilent(at(16))).isFalse();
    }

    @Test
    void aNodeThatIsGoneIsNotKnownToRunThisConfigurationAnyMore() {
        guard.lookAround(at(0));
        guard.connected(A, at(0));
        guard.seen(runs(C, THREE), at(1));
        guard.disconnected(A, at(1)); // it may come back with the other one

        assertThat(guard.isSilent(at(2))).isTrue();
        assertThat(guard.isSilent(at(13))).isTrue();
        assertThat(guard.isSilent(at(14))).isFalse();
    }

    @Test
    void afterTheLastOfThemWasSeenItIsAsIfTheyWereGone() {
        ConfigurationGuard guard = guard(B, THREE);
        guard.lookAround(at(0));
        guard.connected(A, at(0));
        guard.seen(runs(C, THREE), at(1));
        assertThat(guard.isSilent(at(5))).isFalse();

        ConfigurationGuard later = guard(B);
        later.lookAround(at(5));
        later.disconnected(A, at(6));

        assertThat(later.isSilent(at(7))).isFalse();
    }

    @Test
    void ofMoreConfigurationsThanItRemembersEachKeepsItSilentAllTheSame() {
        guard.lookAround(at(0));
        for (int i = 0; i < 200; i++) {
            guard.seen(runs(A, List.of(A, new NodeId("n" + i))), at(1));
        }
        guard.seen(runs(A, THREE), at(9));

        assertThat(guard.isSilent(at(21))).isTrue();
        assertThat(guard.isSilent(at(22))).isFalse();
    }

    @Test
    void theOperatorIsToldWhichNodeWhatDiffersAndWhatToDoOnce() {
        guard.lookAround(at(0));
        assertThat(guard.news(at(0))).isNull();

        guard.seen(runs(A, THREE), at(1));

        String told = text(guard.news(at(1)));
        assertThat(told)
                .contains("node 'b' is silent")
                .contains("the peers differ")
                .contains("[a, c], which are not known to run this one, could be a majority")
                .contains("Configure the same on every node");
        assertThat(guard.news(at(2))).isNull();
        assertThat(guard.view(at(2))).isNotNull().returns(true, NodeView.OtherConfiguration::silences);

        assertThat(guard.isSilent(at(14))).isFalse();
        assertThat(text(guard.news(at(14)))).contains("no longer sees another configuration");
        assertThat(guard.view(at(14))).isNull();
    }

    @Test
    void anAcceptorThatServesSaysSoToo() {
        guard.lookAround(at(0));
        guard.serve(at(2));
        guard.seen(runs(D, FIVE), at(3));

        assertThat(text(guard.news(at(3)))).contains("node 'b' serves on").contains("does not take node 'd'");
        assertThat(guard.view(at(3))).isNotNull().returns(false, NodeView.OtherConfiguration::silences);
    }

    private static String text(@org.jspecify.annotations.Nullable Effect effect) {
        assertThat(effect).isInstanceOf(Effect.Notice.class);
        return ((Effect.Notice) java.util.Objects.requireNonNull(effect)).text();
    }
}
