package io.paxoslease.protocol.paxos;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.protocol.NodeId;
import org.junit.jupiter.api.Test;

/** X3: the notes of an acceptor are bounded, and those of a client leave room for others. */
class RecordNotesTest {

    private static final NodeId MEMBER = new NodeId("m");
    private static final NodeId CLIENT = new NodeId("client");
    private static final String LONGEST = "x".repeat(255);
    private static final long ONE = RecordNotes.BYTES_OF_ONE + 255L;

    private final Share share = new Share(RecordNotes.MOST_BYTES, MEMBER::equals);
    private final RecordNotes notes = new RecordNotes(share);

    @Test
    void aNoteIsReplacedAndRemoved() {
        long empty = share.room(MEMBER);
        notes.put(3, MEMBER, "é😀");
        assertThat(notes.at(3)).isEqualTo("é😀");
        assertThat(notes.at(4)).isEmpty();
        notes.put(3, CLIENT, "b");
        assertThat(notes.at(3)).isEqualTo("b");
        notes.put(3, CLIENT, "");
        assertThat(notes.at(3)).isEmpty();
        assertThat(notes.isEmpty()).isTrue();
        assertThat(share.room(MEMBER)).isEqualTo(empty);
    }

    @Test
    void theNotesOfMembersTakeAtMostSixteenMegabytesAndTheRestIsDropped() {
        int fit = fill(MEMBER, 0);
        assertThat(fit).isBetween((int) (RecordNotes.MOST_BYTES / ONE) - 2, (int) (RecordNotes.MOST_BYTES / ONE));
        assertThat(notes.at(fit)).isEmpty();
        notes.remove(0);
        notes.put(fit, MEMBER, LONGEST);
        assertThat(notes.at(fit)).isEqualTo(LONGEST);
    }

    /** However many records it has, and though it replaces its notes. */
    @Test
    void aClientLeavesRoomForMembersAndForOtherClients() {
        int of = fill(CLIENT, 0);
        assertThat(of * ONE).isLessThanOrEqualTo(RecordNotes.MOST_BYTES / 8);
        for (int place = 0; place < of; place++) {
            notes.put(place, CLIENT, LONGEST);
        }
        assertThat(notes.size()).isEqualTo(of);
        int second = fill(new NodeId("another"), of);
        assertThat(second).isGreaterThan(of / 2);
        int ofMember = fill(MEMBER, of + second);
        assertThat(ofMember * ONE).isGreaterThan(RecordNotes.MOST_BYTES / 2);
    }

    /** A note that does not fit does not leave the one before, which is not true any more. */
    @Test
    void aNoteThatIsDroppedTakesTheOneBeforeWithIt() {
        RecordNotes small = new RecordNotes(new Share(1_000, MEMBER::equals));
        small.put(0, MEMBER, "x".repeat(255));
        small.put(1, MEMBER, "short");
        assertThat(small.at(1)).isEqualTo("short");
        small.put(1, MEMBER, LONGEST);
        small.put(2, MEMBER, LONGEST);
        assertThat(small.at(0)).isEqualTo(LONGEST);
        assertThat(small.at(2)).isEmpty();
        small.put(0, CLIENT, LONGEST);
        assertThat(small.at(0)).isEmpty();
    }

    @Test
    void nothingIsLeftOfManyNotes() {
        long empty = share.room(CLIENT);
        int fit = fill(MEMBER, 0);
        for (int place = 0; place < fit; place++) {
            notes.remove(place);
        }
        assertThat(notes.isEmpty()).isTrue();
        assertThat(share.room(CLIENT)).isEqualTo(empty);
    }

    /** @return how many the node has got in */
    private int fill(NodeId node, int from) {
        int place = from;
        do {
            notes.put(place, node, LONGEST);
        } while (!notes.at(place++).isEmpty());
        return place - 1 - from;
    }
}
