package io.paxoslease.protocol;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * What an acceptor remembers, by resource, in columns of plain numbers: about 70 bytes for a name of 16. A slot is read into an
 * {@link AcceptorSlot}, which has the rules, and written back. Slots have places that stay; nothing here ever takes longer than a
 * small part of the table needs.
 */
final class SlotTable {

    private static final int PAGE_BITS = 12;
    private static final int PAGE = 1 << PAGE_BITS;
    private static final int FIRST = 4;
    /** The index is in as many parts, so that making one larger is soon done. */
    private static final int PARTS = 256;

    private static final int UNIT_BITS = 20;
    private static final byte PROMISE = 1;
    private static final byte TOUCHED = 2;
    private static final byte USED = 4;

    /** The columns of some slots. */
    private static final class Page {
        private long[] promised = new long[0];
        private long[] counter = new long[0];
        private long[] deadline = new long[0];
        private int[] promisedBy = new int[0];
        private int[] owner = new int[0];
        private int[] heard = new int[0];
        private int[] generation = new int[0];
        private int[] name = new int[0];
        private short[] ownerNode = new short[0];
        private byte[] length = new byte[0];
        private byte[] flags = new byte[0];

        Page(int slots) {
            grow(slots);
        }

        void grow(int slots) {
            promised = Arrays.copyOf(promised, slots);
            counter = Arrays.copyOf(counter, slots);
            deadline = Arrays.copyOf(deadline, slots);
            promisedBy = Arrays.copyOf(promisedBy, slots);
            owner = Arrays.copyOf(owner, slots);
            heard = Arrays.copyOf(heard, slots);
            generation = Arrays.copyOf(generation, slots);
            name = Arrays.copyOf(name, slots);
            ownerNode = Arrays.copyOf(ownerNode, slots);
            length = Arrays.copyOf(length, slots);
            flags = Arrays.copyOf(flags, slots);
        }
    }

    private Page[] pages = {new Page(FIRST)};
    private int end;
    private int size;
    private int[] free = new int[0];
    private int freeCount;
    private final Names names;
    private final Incarnations incarnations = new Incarnations();
    private final List<NodeId> nodes = new ArrayList<>();
    /** Places plus one, by hash; zero where there is none. */
    private final int[][] index = new int[PARTS][];

    private final int[] counts = new int[PARTS];
    /** What was looked up last, as one message makes several steps ask for the same; null: nothing. */
    private @Nullable String lastFound;

    private int lastPlace;

    /** @param seed not known outside, so that nobody can choose names that share a hash */
    SlotTable(long seed) {
        this.names = new Names(seed);
    }

    int size() {
        return size;
    }

    /** One more than the highest place that was ever used. */
    int end() {
        return end;
    }

    boolean isUsed(int place) {
        return (page(place).flags[at(place)] & USED) != 0;
    }

    /** Changes when the place is given to another resource. */
    int generation(int place) {
        return page(place).generation[at(place)];
    }

    String name(int place) {
        Page page = page(place);
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
            Page page = page(place);
            if (names.isAt(page.length[at(place)] & 0xFF, page.name[at(place)], name)) {
                return place;
            }
        }
        return -1;
    }

    /** Gives a resource that has none a place. */
    int add(String resource) {
        byte[] name = resource.getBytes(StandardCharsets.UTF_8);
        int place = freeCount > 0 ? free[--freeCount] : next();
        lastFound = resource;
        lastPlace = place;
        Page page = page(place);
        page.length[at(place)] = (byte) name.length;
        page.name[at(place)] = names.add(name);
        page.flags[at(place)] = USED | TOUCHED;
        page.promised[at(place)] = 0;
        size++;
        enter(place, names.hash(name));
        return place;
    }

    private int next() {
        int number = end >>> PAGE_BITS;
        if (number == pages.length) {
            pages = Arrays.copyOf(pages, number + 1);
            pages[number] = new Page(PAGE);
        } else if (at(end) == pages[number].flags.length) { // only the first page grows
            pages[number].grow(Math.min(PAGE, 2 * pages[number].flags.length));
        }
        return end++;
    }

    private void enter(int place, int hash) {
        int number = hash >>> 24;
        int[] part = index[number];
        if (part == null || 2 * (counts[number] + 1) > part.length) {
            int[] before = part;
            part = new int[before == null ? FIRST : 2 * before.length];
            index[number] = part;
            if (before != null) {
                for (int entry : before) {
                    if (entry != 0) {
                        put(part, entry, hashAt(entry - 1));
                    }
                }
            }
        }
        put(part, place + 1, hash);
        counts[number]++;
    }

    private static void put(int[] part, int entry, int hash) {
        int i = hash & (part.length - 1);
        while (part[i] != 0) {
            i = (i + 1) & (part.length - 1);
        }
        part[i] = entry;
    }

    private int hashAt(int place) {
        Page page = page(place);
        return names.hashAt(page.length[at(place)] & 0xFF, page.name[at(place)]);
    }

    void remove(int place) {
        lastFound = null;
        leaveIndex(place);
        Page page = page(place);
        int i = at(place);
        names.remove(page.length[i] & 0xFF, page.name[i]);
        page.owner[i] = incarnations.change(page.owner[i], null);
        page.promisedBy[i] = incarnations.change(page.promisedBy[i], null);
        page.flags[i] = 0;
        page.generation[i]++;
        size--;
        if (freeCount == free.length) {
            free = Arrays.copyOf(free, Math.max(FIRST, 2 * freeCount));
        }
        free[freeCount++] = place;
    }

    /** Closes the gap, so that whoever comes after it is still found. */
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
        counts[hash >>> 24]--;
    }

    /** Reads a slot, and notes that it was asked for. */
    AcceptorSlot touch(int place, Moment now) {
        page(place).flags[at(place)] |= TOUCHED;
        return load(place, now);
    }

    AcceptorSlot load(int place, Moment now) {
        Page page = page(place);
        int i = at(place);
        AcceptorSlot slot = new AcceptorSlot(place);
        slot.hasPromise = (page.flags[i] & PROMISE) != 0;
        slot.promised = page.promised[i];
        slot.promisedBy = incarnations.of(page.promisedBy[i]);
        slot.owner = incarnations.of(page.owner[i]);
        slot.ownerNode = slot.owner == null ? null : nodes.get(page.ownerNode[i]);
        slot.counter = page.counter[i];
        slot.deadline = page.deadline[i];
        int age = (int) (now.nanos() >> UNIT_BITS) - page.heard[i];
        slot.heardAt = now.nanos() - ((long) age << UNIT_BITS);
        return slot;
    }

    void save(int place, AcceptorSlot slot) {
        Page page = page(place);
        int i = at(place);
        page.flags[i] = (byte) (slot.hasPromise ? page.flags[i] | PROMISE : page.flags[i] & ~PROMISE);
        page.promised[i] = slot.promised;
        page.promisedBy[i] = incarnations.change(page.promisedBy[i], slot.promisedBy);
        page.owner[i] = incarnations.change(page.owner[i], slot.owner);
        page.ownerNode[i] = slot.ownerNode == null ? 0 : numberOf(slot.ownerNode);
        page.counter[i] = slot.counter;
        saveTimes(place, slot);
    }

    /** After an extension, which changes nothing else. */
    void saveTimes(int place, AcceptorSlot slot) {
        Page page = page(place);
        page.deadline[at(place)] = slot.deadline;
        page.heard[at(place)] = (int) (slot.heardAt >> UNIT_BITS);
    }

    private short numberOf(NodeId node) {
        int number = nodes.indexOf(node);
        if (number < 0) {
            number = nodes.size();
            nodes.add(node);
        }
        return (short) number;
    }

    /** Whether it was neither asked for since the last call nor is live. */
    boolean isIdleSinceLastPass(int place, Moment now) {
        Page page = page(place);
        int i = at(place);
        boolean touched = (page.flags[i] & TOUCHED) != 0;
        page.flags[i] &= ~TOUCHED;
        return !touched && !load(place, now).isLiveFor(now);
    }

    void forEach(Moment now, BiConsumer<String, AcceptorSlot> action) {
        for (int place = 0; place < end; place++) {
            if (isUsed(place)) {
                action.accept(name(place), load(place, now));
            }
        }
    }

    private Page page(int place) {
        return pages[place >>> PAGE_BITS];
    }

    private static int at(int place) {
        return place & (PAGE - 1);
    }

    @Nullable
    AcceptorSlot live(String resource, Moment now) {
        int place = find(resource);
        AcceptorSlot slot = place < 0 ? null : load(place, now);
        return slot != null && slot.isLiveFor(now) ? slot : null;
    }
}
