package io.paxoslease.protocol.watch;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.protocol.Effect;
import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Quorum;
import io.paxoslease.protocol.watch.WatchMessage.Change;
import io.paxoslease.protocol.watch.WatchMessage.Changes;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** V3: which note is believed when members tell different ones. */
class PrefixViewTest {

    private static final Moment NOW = new Moment(0);
    private static final NodeId OWNER = new NodeId("o");
    private static final Incarnation OWN = new Incarnation(1, 1);
    private static final Incarnation BOOT = new Incarnation(2, 2);

    private final List<NodeId> members = List.of(new NodeId("a"), new NodeId("b"), new NodeId("c"));
    private final PrefixView view = new PrefixView("role:", new ViewMemory(Long.MAX_VALUE), new Quorum(members), NOW);
    private final Map<NodeId, Long> versions = new HashMap<>();

    private void tells(int member, long counter, String note) {
        NodeId from = members.get(member);
        long version = versions.getOrDefault(from, 0L);
        versions.put(from, version + 1);
        Change change = new Change("role:x", new WatchedRecord(OWNER, OWN, counter, note));
        Changes changes = new Changes("role:", BOOT, version, version + 1, version == 0, true, List.of(change));
        view.hear(from, changes, NOW);
    }

    private @Nullable String note() {
        Effect.Watched news = view.news(1, NOW);
        return news == null || news.changes().isEmpty()
                ? null
                : news.changes().get(0).note();
    }

    /** The others do not tell of a renewal, so that member has the highest counter. */
    @Test
    void aMemberWithoutRoomForANoteDoesNotHideTheOneOfTheMajority() {
        tells(0, 1, "url");
        tells(1, 1, "url");
        assertThat(note()).isEqualTo("url");
        tells(2, 5, "");
        assertThat(note()).as("no news").isNull();
    }

    @Test
    void aNewNoteIsBelievedWhenAMajorityTellsOfIt() {
        tells(0, 1, "old");
        tells(1, 1, "old");
        tells(2, 1, "old");
        assertThat(note()).isEqualTo("old");
        tells(0, 2, "new");
        assertThat(note()).isNull();
        tells(1, 2, "new");
        assertThat(note()).isEqualTo("new");
        tells(2, 2, "new");
        assertThat(note()).isNull();
    }

    @Test
    void whenNoMajorityAgreesTheLatestNoteIsBelieved() {
        tells(0, 1, "one");
        tells(1, 3, "three");
        assertThat(note()).isEqualTo("three");
        tells(2, 2, "two");
        assertThat(note()).isNull();
    }
}
