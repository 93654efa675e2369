package io.paxoslease.protocol.paxos;

import io.paxoslease.protocol.Moment;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Objects;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * What an acceptor remembers, by resource, in columns of plain numbers: about 70 bytes for a name of 16. A slot is read into an
 * {@link AcceptorSlot}, which has the rules, and written back. Slots have places that stay; nothing here ever takes longer than a
 * small part of the table needs. Pages without a slot are given back.
 */
final class SlotTable {

    private static final int FIRST = 4;
    /** The index is in as many parts, so that making one larger is soon done. */
    private static final int PARTS = 256;

    private static final int UNIT_BITS = 20;
    private static final byte PROMISE = 1;
    private static final byte TOUCHED = 2;
    private static final byte USED = 4;

    /** Null where no slot is in use; the first stays. */
    private @Nullable SlotPage[] pages = {new SlotPage(FIRST, 0)};

    private final Places places = new Places();
    private int size;
    /** Of the slots of pages to come: none that a slot of a page that is gone has had. */
    private int firstGeneration;

    private final Names names;
    private final Incarnations incarnations = new Incarnations();
    /** Places plus one, by hash; zero where there is none. */
    private final int[][] index = new int[PARTS][];

    private final int[] counts = new int[PARTS];
    /** What was looked up last, as one message makes several steps ask for the same; null: nothing. */
    private @Nullable String lastFound;

    private int lastPlace;

    /** @param seed not known outside, so that no outsider can choose names that share a hash */
    SlotTable(long seed) {
        this.names = new Names(seed);
    }

    int size() {
        return size;
    }

    Incarnations incarnations() {
        return incarnations;
    }

    /** One more than the highest place that may be in use. */
    int end() {
        return places.end();
    }

    boolean isUsed(int place) {
        SlotPage page = pageOrNull(place);
        return page != null && (page.flags[at(place)] & USED) != 0;
    }

    /** Changes when the place is given to another resource, or to none. */
    int generation(int place) {
        SlotPage page = pageOrNull(place);
        return page == null ? firstGeneration : page.generation[at(place)];
    }

    String name(int place) {
        SlotPage page = page(place);
        return names.at(page.length[at(place)] & 0xFF, page.name[at(place)]);
    }

    /** The place of a resource; negative when it has none. */
    int find(String resource) {
        if (!resource.equals(lastFound)) {
            lastPlace = find(resource.getBytes(StandardCharsets.UTF_8));
            lastFound = resource;
        }
        return lastPlace;
    }

    private int find(byte[] name) {
        int hash = names.hash(name);
        int[] part = index[hash >>> 24];
        if (part == null) {
            return -1;
        }
        for (int i = hash & (part.length - 1); part[i] != 0; i = (i + 1) & (part.length - 1)) {
            int place = part[i] - 1;
            SlotPage page = page(place);
            if (names.isAt(page.length[at(place)] & 0xFF, page.name[at(place)], name)) {
                return place;
            }
        }
        return -1;
    }

    /** Gives a resource that has none a place. */
    int add(String resource) {
        byte[] name = resource.getBytes(StandardCharsets.UTF_8);
        int place = places.take();
        lastFound = resource;
        lastPlace = place;
        SlotPage page = pageFor(place);
        page.length[at(place)] = (byte) name.length;
        page.name[at(place)] = names.add(name);
        page.flags[at(place)] = USED | TOUCHED;
        page.promised[at(place)] = 0;
        size++;
        enter(place, names.hash(name));
        return place;
    }

    private void enter(int place, int hash) {
        int number = hash >>> 24;
        int[] part = index[number];
        if (part == null || 2 * (counts[number] + 1) > part.length) {
            part = resized(part, part == null ? FIRST : 2 * part.length);
            index[number] = part;
        }
        put(part, place + 1, hash);
        counts[number]++;
    }

    private int[] resized(int @Nullable [] before, int length) {
        int[] part = new int[length];
        if (before != null) {
            for (int entry : before) {
                if (entry != 0) {
                    put(part, entry, hashAt(entry - 1));
                }
            }
        }
        return part;
    }

    private static void put(int[] part, int entry, int hash) {
        int i = hash & (part.length - 1);
        while (part[i] != 0) {
            i = (i + 1) & (part.length - 1);
        }
        part[i] = entry;
    }

    private int hashAt(int place) {
        SlotPage page = page(place);
        return names.hashAt(page.length[at(place)] & 0xFF, page.name[at(place)]);
    }

    void remove(int place) {
        lastFound = null;
        leaveIndex(place);
        SlotPage page = page(place);
        int i = at(place);
        names.remove(page.length[i] & 0xFF, page.name[i]);
        page.owner[i] = incarnations.change(page.owner[i], null);
        page.promisedBy[i] = incarnations.change(page.promisedBy[i], null);
        page.flags[i] = 0;
        page.generation[i]++;
        size--;
        if (places.giveBack(place)) {
            giveBack(page, Places.pageOf(place));
        }
    }

    /** Makes the page that the place is in, or the first one larger. */
    private SlotPage pageFor(int place) {
        int number = Places.pageOf(place);
        if (number >= pages.length) {
            pages = Arrays.copyOf(pages, number + 1);
        }
        SlotPage page = pages[number];
        if (page == null) {
            page = new SlotPage(Places.PAGE, firstGeneration);
            pages[number] = page;
        } else if (at(place) >= page.slots()) {
            page.grow(Math.min(Places.PAGE, 2 * page.slots()));
        }
        return page;
    }

    /** A place of it that is remembered with its generation must not be taken for a place of a page that comes later. */
    private void giveBack(SlotPage page, int number) {
        for (int generation : page.generation) {
            firstGeneration = Math.max(firstGeneration, generation + 1);
        }
        pages[number] = null;
        if (2 * Places.pageOf(places.end()) + 2 < pages.length) {
            pages = Arrays.copyOf(pages, Places.pageOf(places.end()) + 1);
        }
    }

    /** Closes the gap, so that what comes after it is still found. */
    private void leaveIndex(int place) {
        int hash = hashAt(place);
        int[] part = Objects.requireNonNull(index[hash >>> 24]);
        int mask = part.length - 1;
        int gap = hash & mask;
        while (part[gap] != place + 1) {
            gap = (gap + 1) & mask;
        }
        for (int i = (gap + 1) & mask; part[i] != 0; i = (i + 1) & mask) {
            int home = hashAt(part[i] - 1) & mask;
            boolean reachable = ((i - home) & mask) < ((i - gap) & mask);
            if (!reachable) {
                part[gap] = part[i];
                gap = i;
            }
        }
        part[gap] = 0;
        int left = --counts[hash >>> 24];
        if (part.length > FIRST && 8 * left < part.length) {
            index[hash >>> 24] = resized(part, part.length / 2);
        }
    }

    /** Reads a slot, and notes that it was asked for. */
    AcceptorSlot touch(int place, Moment now) {
        page(place).flags[at(place)] |= TOUCHED;
        return load(place, now);
    }

    AcceptorSlot load(int place, Moment now) {
        SlotPage page = page(place);
        int i = at(place);
        AcceptorSlot slot = new AcceptorSlot(place);
        slot.hasPromise = (page.flags[i] & PROMISE) != 0;
        slot.promised = page.promised[i];
        slot.promisedBy = incarnations.of(page.promisedBy[i]);
        slot.owner = incarnations.of(page.owner[i]);
        slot.ownerNode = incarnations.nodeOf(page.owner[i]);
        slot.counter = page.counter[i];
        slot.deadline = page.deadline[i];
        int age = (int) (now.nanos() >> UNIT_BITS) - page.heard[i];
        slot.heardAt = now.nanos() - ((long) age << UNIT_BITS);
        return slot;
    }

    void save(int place, AcceptorSlot slot) {
        SlotPage page = page(place);
        int i = at(place);
        page.flags[i] = (byte) (slot.hasPromise ? page.flags[i] | PROMISE : page.flags[i] & ~PROMISE);
        page.promised[i] = slot.promised;
        page.promisedBy[i] = incarnations.change(page.promisedBy[i], slot.promisedBy);
        page.owner[i] = incarnations.change(page.owner[i], slot.owner, slot.ownerNode);
        page.counter[i] = slot.counter;
        saveTimes(place, slot);
    }

    /** After an extension, which changes nothing else. */
    void saveTimes(int place, AcceptorSlot slot) {
        SlotPage page = page(place);
        page.deadline[at(place)] = slot.deadline;
        page.heard[at(place)] = (int) (slot.heardAt >> UNIT_BITS);
    }

    /** Whether it was neither asked for since the last call nor is live. */
    boolean isIdleSinceLastPass(int place, Moment now) {
        SlotPage page = page(place);
        int i = at(place);
        boolean touched = (page.flags[i] & TOUCHED) != 0;
        page.flags[i] &= ~TOUCHED;
        return !touched && !load(place, now).isLiveFor(now);
    }

    void forEach(Moment now, BiConsumer<String, AcceptorSlot> action) {
        for (int place = 0; place < end(); place++) {
            if (isUsed(place)) {
                action.accept(name(place), load(place, now));
            }
        }
    }

    private SlotPage page(int place) {
        return Objects.requireNonNull(pages[Places.pageOf(place)]);
    }

    private @Nullable SlotPage pageOrNull(int place) {
        int number = Places.pageOf(place);
        return number < pages.length ? pages[number] : null;
    }

    private static int at(int place) {
        return Places.at(place);
    }

    @Nullable
    AcceptorSlot live(String resource, Moment now) {
        int place = find(resource);
        AcceptorSlot slot = place < 0 ? null : load(place, now);
        return slot != null && slot.isLiveFor(now) ? slot : null;
    }
}
