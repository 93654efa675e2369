package io.paxoslease.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.monitor.ConnectionRefusal;
import io.paxoslease.protocol.Generation;
import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.MemberList;
import io.paxoslease.protocol.NodeId;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Section 9, R5 and R6: which generations may meet, and what the others are told to change. */
class GenerationAdmissionTest {

    private static final CellConfig FIRST = config(1, "abc", null);
    private static final CellConfig SECOND = config(2, "abd", "abc");
    private static final CellConfig THIRD = config(3, "abx", "abd");

    private static CellConfig config(int number, String current, @Nullable String previous) {
        return new CellConfig(
                "shop", new Generation(number, list(current, 5), previous == null ? null : list(previous, 5)), null);
    }

    private static MemberList list(String members, int seconds) {
        List<NodeId> ids = Arrays.stream(members.split("")).map(NodeId::new).toList();
        return new MemberList(ids, Duration.ofSeconds(seconds), 0.1);
    }

    private static Admission at(CellConfig own, String self) {
        return new Admission(own, new NodeId(self));
    }

    private static Hello hello(CellConfig config, String from, String to) {
        return new Hello(config, new NodeId(from), new NodeId(to), new Incarnation(1, 2), Versions.OURS);
    }

    private static Hello client(CellConfig config, String to) {
        return new Hello(
                config,
                new NodeId("z"),
                new NodeId(to),
                new Incarnation(1, 2),
                Versions.OURS,
                Hello.Role.CLIENT,
                "orders");
    }

    private static void assertRefused(Admission at, Hello hello, String text) {
        assertThat(at.judge(hello)).isEqualTo(new Rejection(ConnectionRefusal.CONFIGURATION, text));
        assertThat(at.difference(hello)).isNotNull().isEqualTo(text.substring(0, text.lastIndexOf(": ", end(text))));
    }

    /** The advice has colons of its own. */
    private static int end(String text) {
        int lines = text.indexOf(", write ");
        return lines < 0 ? text.length() : lines;
    }

    @Test
    void generationsThatFollowEachOtherMeet() {
        for (String member : List.of("b", "c")) {
            assertThat(at(SECOND, "a").judge(hello(FIRST, member, "a"))).isNull();
            assertThat(at(SECOND, "a").difference(hello(FIRST, member, "a"))).isNull();
        }
        for (String member : List.of("b", "d")) {
            assertThat(at(FIRST, "a").judge(hello(SECOND, member, "a"))).isNull();
            assertThat(at(FIRST, "a").difference(hello(SECOND, member, "a"))).isNull();
        }
        assertThat(at(SECOND, "d").judge(hello(FIRST, "c", "d"))).isNull();
        assertThat(at(THIRD, "x").judge(hello(SECOND, "c", "x")))
                .as("in the list before the one before")
                .isNull();
    }

    @Test
    void theSameGenerationIsMetByTheMembersOfBothLists() {
        for (String member : List.of("b", "c", "d")) {
            assertThat(at(SECOND, "a").judge(hello(SECOND, member, "a"))).isNull();
        }
        assertThat(at(SECOND, "a").judge(hello(SECOND, "x", "a")))
                .extracting(Rejection::reason)
                .isEqualTo(ConnectionRefusal.NOT_A_MEMBER);
        assertThat(at(SECOND, "a").judge(hello(SECOND, "a", "a")))
                .extracting(Rejection::reason)
                .isEqualTo(ConnectionRefusal.NOT_A_MEMBER);
    }

    @Test
    void clientsMeetNeighbouringGenerationsToo() {
        assertThat(at(SECOND, "a").judge(client(FIRST, "a"))).isNull();
        assertThat(at(FIRST, "a").judge(client(SECOND, "a"))).isNull();
        assertThat(at(FIRST, "a").judge(client(THIRD, "a"))).isNotNull();
        assertThat(at(SECOND, "a").judgeContact(hello(FIRST, "c", "a")))
                .as("the id of a member before the change")
                .isNotNull();
    }

    /** It could say what only that member says. One that came before the change did not know, and keeps its leases when it comes back. */
    @Test
    void theIdOfAMemberThatIsToComeIsRefusedToAClientThatComesNow() {
        Admission at = at(FIRST, "a");
        Hello asks = hello(FIRST, "d", "a");
        assertThat(at.judgeContact(asks)).isNull();
        at.coming(SECOND.generation(), Map.of(asks.from(), new Incarnation(7, 7)));
        assertThat(at.judgeContact(asks))
                .isEqualTo(new Rejection(
                        ConnectionRefusal.DUPLICATE_NODE,
                        "'d' is the id of a member that is to come: give the client another, or none"));
        assertThat(at.judge(hello(SECOND, "d", "a"))).as("the member itself").isNull();
        at.coming(SECOND.generation(), Map.of(asks.from(), asks.bootId()));
        assertThat(at.judgeContact(asks)).as("it was here before").isNull();
        at.hasGivenWay(asks.from());
        assertThat(at.judgeContact(asks)).as("the member has come").isNotNull();
        at.changed(SECOND);
        assertThat(at.judgeContact(asks))
                .extracting(Rejection::text)
                .isEqualTo("'d' is the id of a member: give the client another, or none");
    }

    /** R6. */
    @Test
    void aGenerationHasOneContent() {
        assertRefused(
                at(SECOND, "a"),
                hello(config(2, "abe", "abc"), "b", "a"),
                "generation 2 has two contents: peers [a, b, e] at 'b' but [a, b, d] at 'a': "
                        + "each generation has one, so correct the file of the node that has the wrong one");
        assertRefused(
                at(SECOND, "a"),
                hello(config(2, "abd", "abe"), "e", "a"),
                "generation 2 has two contents: previousPeers [a, b, e] at 'e' but [a, b, c] at 'a': "
                        + "each generation has one, so correct the file of the node that has the wrong one");
        CellConfig longer = new CellConfig("shop", new Generation(2, list("abd", 6), list("abc", 5)), null);
        assertRefused(
                at(SECOND, "a"),
                hello(longer, "b", "a"),
                "generation 2 has two contents: maxLeaseTime PT6S at 'b' but PT5S at 'a': "
                        + "each generation has one, so correct the file of the node that has the wrong one");
    }

    /** R6: which of two contents follows is for the protocol to say; a file may be corrected. */
    @Test
    void everyContentThatFollowsIsMet() {
        Admission at = at(FIRST, "a");
        CellConfig other = config(2, "abe", "abc");
        for (CellConfig next : List.of(SECOND, other, SECOND)) {
            assertThat(at.judge(hello(next, "b", "a"))).isNull();
            assertThat(at.judge(client(next, "a"))).isNull();
            assertThat(at.comes(next.generation())).isTrue();
        }
        assertThat(at.comes(THIRD.generation())).isFalse();
        assertThat(at.comes(FIRST.generation())).isFalse();
    }

    @Test
    void aGenerationThatDoesNotFollowIsToldTheLinesToWrite() {
        assertRefused(
                at(FIRST, "a"),
                hello(config(2, "abd", "abe"), "d", "a"),
                "generation 2 at 'd' does not follow generation 1 at 'a', as its previousPeers is [a, b, e] and not"
                        + " [a, b, c]: where generation is 2, write previousPeers: [a, b, c]");
        CellConfig longer = new CellConfig("shop", new Generation(2, list("abd", 6), list("abc", 6)), null);
        assertRefused(
                at(longer, "a"),
                hello(FIRST, "b", "a"),
                "generation 2 at 'a' does not follow generation 1 at 'b', as its previousMaxLeaseTime is PT6S and"
                        + " not PT5S: where generation is 2, write previousMaxLeaseTime: PT5S");
        assertThat(at(FIRST, "a").difference(hello(config(2, "abd", null), "d", "a")))
                .startsWith("generation 2 at 'd' does not follow generation 1 at 'a', as its previousPeers is none");
    }

    /** Its file has the new list, and not the marks of a change. */
    @Test
    void theNewListWithoutMarksIsToldTheMarks() {
        assertRefused(
                at(SECOND, "a"),
                hello(config(1, "abd", null), "b", "a"),
                "the peers are the same, of generation 2 at 'a' but of generation 1 at 'b': "
                        + "on every node, write generation: 2 and previousPeers: [a, b, c]");
    }

    @Test
    void generationsThatAreFurtherApartAreToldTheLinesToWrite() {
        assertRefused(
                at(FIRST, "a"),
                hello(THIRD, "x", "a"),
                "the generations differ, 3 at 'x' but 1 at 'a', and only one that follows the other can meet it: "
                        + "give a node that was left behind the file of the others, or, if the change begins here, "
                        + "write generation: 2 and previousPeers: [a, b, c]");
    }

    private static boolean isSealed(CellConfig own, CellConfig theirs, int sealed) {
        return at(own, "a").isSealed(hello(theirs, "b", "a").whenSealed(sealed));
    }

    /** R7: then what is configured here is over. Without previous members a generation counts as sealed from the start, which proves nothing. */
    @Test
    void aNodeOfAnotherConfigurationMayKnowMembersToBeSealedInThePlaceOfOurs() {
        CellConfig other = config(2, "abe", "abc");
        assertThat(isSealed(SECOND, other, 2)).isTrue();
        assertThat(isSealed(SECOND, other, 1)).isFalse();
        assertThat(isSealed(FIRST, THIRD, 3)).isTrue();
        assertThat(isSealed(FIRST, THIRD, 2)).isTrue();
        assertThat(isSealed(FIRST, THIRD, 1)).isFalse();
        assertThat(isSealed(FIRST, config(1, "abd", null), 1)).isFalse();
        assertThat(isSealed(FIRST, config(3, "abd", null), 3)).isFalse();
        assertThat(isSealed(SECOND, config(2, "abd", "abe"), 2))
                .as("the same members")
                .isFalse();
        assertThat(isSealed(THIRD, SECOND, 2)).isFalse();
    }

    @Test
    void anotherAlgorithmHasNoGenerations() {
        CellConfig.Clocked bound = new CellConfig.Clocked("flease", Duration.ofMillis(500));
        CellConfig first = new CellConfig("shop", FIRST.generation(), bound);
        CellConfig second = new CellConfig("shop", SECOND.generation(), bound);

        assertRefused(
                at(first, "a"),
                hello(second, "b", "a"),
                "the generations differ, 2 at 'b' but 1 at 'a', and the algorithm 'flease' does not change members while it serves: "
                        + "configure the same on every node");
        assertThat(at(FIRST, "a").difference(hello(second, "b", "a"))).startsWith("the algorithms");
    }

    @Test
    void aNewMemberWithoutMarksIsToldTheLinesToAdd() {
        assertThat(at(FIRST, "a").judge(hello(config(1, "abcd", null), "d", "a")))
                .isEqualTo(new Rejection(
                        ConnectionRefusal.NOT_A_MEMBER,
                        "'d' is no other member of this cell; the members at 'a' are [a, b, c]" + Samples.marks("peers")
                                + ": list the same peers on every node"));
    }
}
