package io.paxoslease.protocol.watch;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.protocol.Effect;
import io.paxoslease.protocol.EffectBuffer;
import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Quorum;
import io.paxoslease.protocol.watch.WatchMessage.Change;
import io.paxoslease.protocol.watch.WatchMessage.Changes;
import io.paxoslease.protocol.watch.WatchMessage.Unwatch;
import io.paxoslease.protocol.watch.WatchMessage.Watch;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What a node keeps of what members tell of watched leases, when it has memory for a part of that only. */
class ViewMemoryTest {

    private static final Incarnation OWN = new Incarnation(1, 1);
    private static final Incarnation BOOT = new Incarnation(2, 2);
    private static final WatchedRecord RECORD = new WatchedRecord(new NodeId("o"), OWN, 1, "");
    /** Of a name of three letters. */
    private static final int BYTES = 328;

    private final ViewMemory memory = new ViewMemory(100 * BYTES);
    private final ViewMemory.Part large = memory.new Part();
    private final ViewMemory.Part small = memory.new Part();

    /** Answers how many of them fit. */
    private static int fill(ViewMemory.Part part, int most, boolean isCurrent) {
        int count = 0;
        while (count < most && part.replace("abc", null, RECORD, isCurrent)) {
            count++;
        }
        return count;
    }

    @Test
    void aPrefixIsLoadedUpToThreeQuartersOfWhatTheOthersLeave() {
        assertThat(fill(large, 1_000, false)).isEqualTo(75);
        assertThat(fill(small, 1_000, false)).isEqualTo(18);
    }

    @Test
    void whatIsLoadedLeavesRoomForTheChangesOfOthers() {
        assertThat(fill(large, 50, false)).isEqualTo(50);
        assertThat(fill(small, 1_000, false)).isEqualTo(37);
        assertThat(fill(large, 1_000, true)).as("of what is current").isEqualTo(9);
    }

    @Test
    void aRecordIsReplacedByOneThatTakesNoMoreWhateverOthersHave() {
        fill(large, 60, false);
        fill(small, 1_000, true);
        assertThat(fill(large, 1, true)).isZero();
        assertThat(large.replace("abc", RECORD, RECORD, true)).isTrue();
        assertThat(large.replace("abc", RECORD, new WatchedRecord(new NodeId("o"), OWN, 2, "n"), true))
                .as("takes more")
                .isFalse();
        assertThat(large.replace("abc", null, RECORD, true))
                .as("its room was given back")
                .isFalse();
    }

    private final List<NodeId> members = List.of(new NodeId("a"), new NodeId("b"), new NodeId("c"));
    private final Quorum quorum = new Quorum(members);
    private final EffectBuffer effects = new EffectBuffer(new NodeId("w"));
    private final Watches watches = new Watches(effects, 100 * BYTES);
    private Moment now = new Moment(0);

    private List<WatchMessage> sentTo(int member) {
        watches.finish(quorum, 1, now);
        List<WatchMessage> sent = new ArrayList<>();
        for (Effect effect : effects.take()) {
            if (effect instanceof Effect.Send send && send.to().equals(members.get(member))) {
                sent.add((WatchMessage) send.message());
            }
        }
        return sent;
    }

    /** A snapshot of thirty leases, which do not fit three times. */
    private void tells(int member) {
        watches.hear(members.get(member), new Changes("r", BOOT, 0, 1, true, true, thirty()), now);
    }

    private static List<Change> thirty() {
        return IntStream.range(10, 40)
                .mapToObj(i -> new Change("r" + i, RECORD))
                .toList();
    }

    private void oneOfThreeHasNoRoom() {
        watches.watch("r", quorum, now);
        sentTo(2);
        tells(0);
        tells(1);
        tells(2);
        assertThat(sentTo(2)).containsExactly(new Unwatch("r"));
    }

    private void isAskedAfterASecond(int member) {
        now = now.plusNanos(999_999_999);
        assertThat(sentTo(member)).isEmpty();
        now = now.plusNanos(1);
        assertThat(sentTo(member)).hasOnlyElementsOfType(Watch.class).hasSize(1);
    }

    @Test
    void aMemberThatStopsMakesRoomForOneThatHadNone() {
        oneOfThreeHasNoRoom();
        watches.unreachable(members.get(0));
        isAskedAfterASecond(2);
        tells(2);
        assertThat(sentTo(2)).containsExactly(new Watch("r", BOOT, 1, false));
    }

    @Test
    void aMemberHasRoomInThePlaceOfOneThatHasStopped() {
        watches.watch("r", quorum, now);
        sentTo(2);
        tells(0);
        tells(1);
        watches.unreachable(members.get(0));
        tells(2);
        assertThat(sentTo(2)).containsExactly(new Unwatch("r"));
        isAskedAfterASecond(2);
    }

    /** What it takes to tell in vain is a small part of the time. */
    @Test
    void aMemberThatTellsForLongInVainIsAskedLater() {
        watches.watch("r", quorum, now);
        sentTo(2);
        tells(0);
        tells(1);
        watches.hear(members.get(2), new Changes("r", BOOT, 0, 1, true, false, List.of()), now);
        now = now.plusNanos(10_000_000_000L);
        watches.hear(members.get(2), new Changes("r", BOOT, 1, 2, false, true, thirty()), now);
        assertThat(sentTo(2)).last().isEqualTo(new Unwatch("r"));
        now = now.plusNanos(639_999_999_999L);
        assertThat(sentTo(2)).isEmpty();
        now = now.plusNanos(1);
        assertThat(sentTo(2)).hasOnlyElementsOfType(Watch.class).hasSize(1);
    }
}
