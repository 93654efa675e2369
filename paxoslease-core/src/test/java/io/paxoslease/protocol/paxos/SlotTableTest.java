package io.paxoslease.protocol.paxos;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The table against a map, and its parts: names, incarnations. */
class SlotTableTest {

    private static final String[] ALPHABET = {"a", "z", "é", "€", "😀", "\u0000", "/"};
    private static final Moment NOW = new Moment(123_456_789_000L);

    private final SlotTable table = new SlotTable(42, new Share(Long.MAX_VALUE, node -> true));

    private static Incarnation incarnation(int number) {
        return new Incarnation(number, -number);
    }

    private static AcceptorSlot slot(int place, long promised, @Nullable Incarnation owner) {
        AcceptorSlot slot = new AcceptorSlot(place);
        slot.hasPromise = true;
        slot.promised = promised;
        slot.promisedBy = owner;
        slot.owner = owner;
        slot.ownerNode = owner == null ? null : new NodeId("n" + owner.high());
        slot.counter = promised - 1;
        slot.deadline = NOW.nanos() + promised;
        slot.heardAt = NOW.nanos();
        return slot;
    }

    private static String text(AcceptorSlot slot) {
        return "%s %d %s %s %s %d %d"
                .formatted(
                        slot.hasPromise,
                        slot.promised,
                        slot.promisedBy,
                        slot.owner,
                        slot.ownerNode,
                        slot.counter,
                        slot.deadline);
    }

    /** A name of 1 to 255 bytes, of characters of one to four bytes. */
    private static String name(SplittableRandom random) {
        int most = random.nextInt(8) == 0 ? 255 : 1 + random.nextInt(24);
        StringBuilder name = new StringBuilder();
        int bytes = 0;
        while (true) {
            String next = ALPHABET[random.nextInt(ALPHABET.length)];
            bytes += next.getBytes(StandardCharsets.UTF_8).length;
            if (bytes > most) {
                return name.isEmpty() ? "x" : name.toString();
            }
            name.append(next);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void itRemembersWhatAMapRemembers(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        SlotTable random42 = new SlotTable(seed, new Share(Long.MAX_VALUE, node -> true));
        Map<String, String> model = new HashMap<>();
        List<String> names = new ArrayList<>();
        for (int step = 0; step < 60_000; step++) {
            boolean grows = step < 20_000 || step > 40_000;
            String name = names.isEmpty() || random.nextInt(grows ? 3 : 50) == 0
                    ? name(random)
                    : names.get(random.nextInt(names.size()));
            int place = random42.find(name);
            assertThat(place >= 0).as(name).isEqualTo(model.containsKey(name));
            if (place >= 0 && random.nextInt(grows ? 8 : 2) == 0) {
                random42.remove(place);
                model.remove(name);
                continue;
            }
            place = place < 0 ? random42.add(name) : place;
            Incarnation owner = random.nextInt(4) == 0 ? null : incarnation(random.nextInt(1, 50));
            AcceptorSlot slot = slot(place, random.nextLong(1, Long.MAX_VALUE / 4), owner);
            random42.save(place, slot);
            if (model.put(name, text(slot)) == null) {
                names.add(name);
            }
            assertThat(random42.name(place)).isEqualTo(name);
        }
        Map<String, String> found = new HashMap<>();
        random42.forEach(
                NOW, (name, slot) -> assertThat(found.put(name, text(slot))).isNull());
        assertThat(found).isEqualTo(model);
        assertThat(random42.size()).isEqualTo(model.size());
        model.keySet().forEach(name -> random42.remove(random42.find(name)));
        assertThat(random42.size()).isZero();
    }

    @Test
    void itGrowsOverManyPagesAndUsesPlacesAgain() {
        Map<String, Integer> places = new LinkedHashMap<>();
        for (int i = 0; i < 3 * 4_096 + 5; i++) {
            places.put("r" + i, table.add("r" + i));
        }
        assertThat(table.end()).isEqualTo(3 * 4_096 + 5);
        places.forEach((name, place) -> assertThat(table.find(name)).isEqualTo(place));
        places.values().stream().filter(place -> place % 2 == 0).toList().forEach(table::remove);
        for (int i = 0; i < 2 * 4_096; i++) {
            table.add("s" + i);
        }
        assertThat(table.end()).as("no place is added while others are free").isLessThan(4 * 4_096);
        for (int i = 0; i < 2 * 4_096; i++) {
            assertThat(table.name(table.find("s" + i))).isEqualTo("s" + i);
        }
    }

    @Test
    void aPlaceThatIsGivenToAnotherHasAnotherGeneration() {
        int place = table.add("r");
        int generation = table.generation(place);
        table.save(place, slot(place, 7, incarnation(1)));
        assertThat(table.generation(place)).isEqualTo(generation);
        table.remove(place);
        assertThat(table.isUsed(place)).isFalse();
        assertThat(table.add("s")).isEqualTo(place);
        assertThat(table.generation(place)).isNotEqualTo(generation);
        AcceptorSlot fresh = table.load(place, NOW);
        assertThat(fresh.hasPromise).isFalse();
        assertThat(fresh.promised).isZero();
        assertThat(fresh.owner).isNull();
    }

    /** A slot that has just been made is not idle: it has been asked for. */
    @Test
    void whatIsNewOutlastsTheNextPass() {
        int place = table.add("r");
        assertThat(table.isIdleSinceLastPass(place, NOW)).isFalse();
        assertThat(table.isIdleSinceLastPass(place, NOW)).isTrue();
        table.touch(place, NOW);
        assertThat(table.isIdleSinceLastPass(place, NOW)).isFalse();
        table.save(place, slot(place, 7, incarnation(1)));
        assertThat(table.isIdleSinceLastPass(place, NOW)).as("live").isFalse();
    }

    /** Of one part of the index there are sixteen at least: many names meet there. */
    @Test
    void namesThatShareAHashAreToldApart() {
        NameArena hashes = new NameArena(42);
        List<String> colliding = new ArrayList<>();
        for (int i = 0; colliding.size() < 200; i++) {
            String name = "r" + i;
            int hash = hashes.hash(name.getBytes(StandardCharsets.UTF_8));
            if (hash >>> 24 == 7 && (hash & 15) == 3) {
                colliding.add(name);
            }
        }
        colliding.forEach(table::add);
        colliding.forEach(name -> assertThat(table.name(table.find(name))).isEqualTo(name));
        for (int i = 0; i < 200; i += 2) {
            table.remove(table.find(colliding.get(i)));
        }
        for (int i = 0; i < 200; i++) {
            assertThat(table.find(colliding.get(i)) >= 0).isEqualTo(i % 2 == 1);
        }
    }

    @Test
    void whenItWasHeardOfIsKnownToAMillisecondOrSo() {
        int place = table.add("r");
        table.save(place, slot(place, 7, incarnation(1)));
        for (long later : new long[] {0, 1_000_000, 3_600_000_000_000L, 20L * 24 * 3_600_000_000_000L}) {
            Moment now = NOW.plusNanos(later);
            assertThat(NOW.nanos() - table.load(place, now).heardAt).isBetween(-2_000_000L, 2_000_000L);
        }
    }

    // Names

    @Test
    void namesOfEveryLengthAreKept() {
        NameArena names = new NameArena(1);
        for (int length = 1; length <= 255; length++) {
            byte[] name = "é"
                    .repeat(128)
                    .substring(0, length / 2)
                    .concat("x".repeat(length % 2))
                    .getBytes(StandardCharsets.UTF_8);
            int place = names.add(name);
            assertThat(names.isAt(name.length, place, name)).isTrue();
            assertThat(names.at(name.length, place)).isEqualTo(new String(name, StandardCharsets.UTF_8));
            assertThat(names.hashAt(name.length, place)).isEqualTo(names.hash(name));
        }
    }

    @Test
    void theHashDependsOnTheSeed() {
        byte[] name = "r".getBytes(StandardCharsets.UTF_8);
        assertThat(new NameArena(1).hash(name)).isNotEqualTo(new NameArena(2).hash(name));
    }

    @Test
    void thePlaceOfANameIsUsedAgain() {
        NameArena names = new NameArena(1);
        byte[] one = {1, 2};
        byte[] other = {3, 4};
        int place = names.add(one);
        names.remove(2, place);
        assertThat(names.add(other)).isEqualTo(place);
        assertThat(names.isAt(2, place, one)).isFalse();
    }

    // Incarnations

    @Test
    void anIncarnationHasOneNumberAsLongAsSomebodyNamesIt() {
        Incarnations incarnations = new Incarnations(new Share(Long.MAX_VALUE, node -> true));
        int first = incarnations.change(Incarnations.NONE, incarnation(1), null);
        assertThat(incarnations.change(Incarnations.NONE, incarnation(1), null)).isEqualTo(first);
        assertThat(incarnations.change(first, incarnation(1), null)).isEqualTo(first);
        int second = incarnations.change(first, incarnation(2), null);
        assertThat(second).isNotEqualTo(first);
        assertThat(incarnations.of(first)).as("named once more").isEqualTo(incarnation(1));
        assertThat(incarnations.change(first, null, null)).isEqualTo(Incarnations.NONE);
        assertThat(incarnations.change(Incarnations.NONE, incarnation(3), null))
                .as("nobody names the first any more")
                .isEqualTo(first);
        assertThat(Objects.requireNonNull(incarnations.of(second))).isEqualTo(incarnation(2));
    }
}
