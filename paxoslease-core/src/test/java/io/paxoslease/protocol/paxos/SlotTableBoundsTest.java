package io.paxoslease.protocol.paxos;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.testing.ArrayBytes;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What the table costs: with many owners, and after a peak. */
class SlotTableBoundsTest {

    private static final Moment NOW = new Moment(0);

    private final SlotTable table = new SlotTable(42, new Share(Long.MAX_VALUE, node -> true));

    private void add(String resource, int owner) {
        int place = table.add(resource);
        AcceptorSlot slot = new AcceptorSlot(place);
        slot.hasPromise = true;
        slot.promised = 1;
        slot.promisedBy = new Incarnation(owner, owner);
        slot.owner = slot.promisedBy;
        slot.ownerNode = new NodeId("n" + owner);
        slot.deadline = 1;
        table.save(place, slot);
    }

    private String ownerOf(String resource) {
        NodeId owner = table.load(table.find(resource), NOW).ownerNode;
        return owner == null ? "" : owner.name();
    }

    @Test
    void thereMayBeAnyNumberOfOwners() {
        for (int i = 0; i < 70_000; i++) {
            add("r" + i, i);
        }
        for (int i = 0; i < 70_000; i++) {
            assertThat(ownerOf("r" + i)).isEqualTo("n" + i);
        }
    }

    /** An owner that no slot names costs nothing: any number of them may have been there. */
    @Test
    void ownersThatNoSlotNamesAreForgotten() {
        add("r", 0);
        long before = ArrayBytes.of(table);
        for (int i = 1; i < 100_000; i++) {
            table.remove(table.find("r"));
            add("r", i);
            if (i % 1_000 == 0) {
                assertThat(ownerOf("r")).isEqualTo("n" + i);
            }
        }
        assertThat(ArrayBytes.of(table)).isLessThan(before + 1_000);
    }

    @Test
    void afterAPeakTheTableIsSmallAgain() {
        for (int i = 0; i < 10; i++) {
            add("always" + i, i);
        }
        long small = ArrayBytes.of(table);
        for (int i = 0; i < 100_000; i++) {
            add("peak" + i, i);
        }
        assertThat(ArrayBytes.of(table)).isGreaterThan(100_000 * 50);
        for (int i = 0; i < 100_000; i++) {
            table.remove(table.find("peak" + i));
        }
        assertThat(ArrayBytes.of(table)).isLessThan(small + 600_000);
        assertThat(table.end()).as("places that are looked at, from then on").isLessThanOrEqualTo(4_096);
        assertThat(ownerOf("always7")).isEqualTo("n7");
    }

    /** While names come and go, those that come take the lowest places, so that the last pages become empty. */
    @Test
    void afterAPeakPlacesOfTheFirstPagesAreUsedFirst() {
        List<String> names = new ArrayList<>();
        for (int i = 0; i < 20_000; i++) {
            add("r" + i, 1);
            names.add("r" + i);
        }
        for (int i = 0; i < 20_000; i++) {
            table.remove(table.find(names.get(i)));
            if (i % 20 == 0) {
                add("s" + i, 1);
            }
        }
        assertThat(table.size()).isEqualTo(1_000);
        assertThat(table.end()).isLessThanOrEqualTo(4_096);
    }

    /** A list of places that was made before a page was given back must not name another resource afterwards. */
    @Test
    void aPlaceOfAPageThatWasGivenBackHasAnotherGeneration() {
        for (int i = 0; i < 9_000; i++) {
            add("r" + i, 1);
        }
        int place = table.find("r8999");
        int generation = table.generation(place);
        for (int i = 4_000; i < 9_000; i++) {
            table.remove(table.find("r" + i));
        }
        assertThat(table.isUsed(place)).isFalse();
        assertThat(table.generation(place)).isNotEqualTo(generation);
        for (int i = 0; i < 9_000; i++) {
            if (table.find("s" + i) < 0) {
                add("s" + i, 1);
            }
        }
        assertThat(table.isUsed(place)).isTrue();
        assertThat(table.generation(place)).isNotEqualTo(generation);
    }
}
