package io.paxoslease.protocol.paxos;

import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
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

    /** What a slot takes beside its name: the columns, and its part of the index. */
    private static final int BYTES_OF_ONE = 64;
    /** What it takes to remember one resource more. */
    private static final int MOST_OF_ONE = 1_024;

    private static final int UNIT_BITS = 20;
    private static final byte PROMISE = 1;
    private static final byte TOUCHED = 2;
    private static final byte USED = 4;
    /** As {@link #TOUCHED}, since the last pass of either kind. */
    private static final byte TOUCHED_LATELY = 8;
    /** The promise is no incarnation's any more; that it was made for still tells whose slot it is. */
    private static final byte FENCED = 16;

    /** Null where no slot is in use; the first stays. */
    private @Nullable SlotPage[] pages = {new SlotPage(FIRST, 0)};

    private final IndexAllocator places = new IndexAllocator();
    private int size;
    /** Of the slots of pages to come: none that a slot of a page that is gone has had. */
    private int firstGeneration;

    private final NameArena names;
    private final Share share;
    private final Incarnations incarnations;
    /** Places plus one, by hash; zero where there is none. */
    private final int[][] index = new int[PARTS][];

    private final int[] counts = new int[PARTS];
    /** What was looked up last, as one message makes several steps ask for the same; null: nothing. */
    private @Nullable String lastFound;

    private int lastPlace;

    /**
     * @param seed not known outside, so that no outsider can choose names that share a hash
     * @param share what it may have: a slot is paid for by its owner, or else by the node that made its promise
     */
    SlotTable(long seed, Share share) {
        this.names = new NameArena(seed);
        this.share = share;
        this.incarnations = new Incarnations(share);
    }

    int size() {
        return size;
    }

    Share share() {
        return share;
    }

    /**
     * Whether the node may be given what it takes to remember something of a resource, at that place or, if negative, at a new one.
     *
     * @param incarnation whose it is to be; null: no incarnation's
     */
    boolean hasRoom(NodeId node, @Nullable Incarnation incarnation, int place, String resource) {
        if (share.hasRoomForAnyone(MOST_OF_ONE)) {
            return true;
        }
        int cost = incarnations.costOf(incarnation, node);
        if (place < 0) {
            cost += bytes(resource.length());
        } else if (!node.equals(payer(place))) {
            cost += bytes(page(place).length[at(place)] & 0xFF);
        }
        return share.hasRoom(node, cost);
    }

    private @Nullable NodeId payer(int place) {
        SlotPage page = page(place);
        int i = at(place);
        return incarnations.nodeOf(page.owner[i] == Incarnations.NONE ? page.promisedBy[i] : page.owner[i]);
    }

    private Share.@Nullable Account account(SlotPage page, int i) {
        return incarnations.accountOf(page.owner[i] == Incarnations.NONE ? page.promisedBy[i] : page.owner[i]);
    }

    /** What a slot takes at most, with a name of so many bytes. */
    private static int bytes(int length) {
        return BYTES_OF_ONE + NameArena.bytes(length);
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
        page.flags[at(place)] = USED | TOUCHED | TOUCHED_LATELY;
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
        int length = page.length[i] & 0xFF;
        names.remove(length, page.name[i]);
        share.giveBack(account(page, i), bytes(length));
        own(page, i, null, null);
        page.promisedBy[i] = incarnations.change(page.promisedBy[i], null, null);
        page.flags[i] = 0;
        page.generation[i]++;
        size--;
        if (places.giveBack(place)) {
            giveBack(page, IndexAllocator.pageOf(place));
        }
    }

    /** Makes the page that the place is in, or the first one larger. */
    private SlotPage pageFor(int place) {
        int number = IndexAllocator.pageOf(place);
        if (number >= pages.length) {
            pages = Arrays.copyOf(pages, number + 1);
        }
        SlotPage page = pages[number];
        if (page == null) {
            page = new SlotPage(IndexAllocator.PAGE, firstGeneration);
            pages[number] = page;
        } else if (at(place) >= page.slots()) {
            page.grow(Math.min(IndexAllocator.PAGE, 2 * page.slots()));
        }
        return page;
    }

    /** A place of it that is remembered with its generation must not be taken for a place of a page that comes later. */
    private void giveBack(SlotPage page, int number) {
        for (int generation : page.generation) {
            firstGeneration = Math.max(firstGeneration, generation + 1);
        }
        pages[number] = null;
        if (2 * IndexAllocator.pageOf(places.end()) + 2 < pages.length) {
            pages = Arrays.copyOf(pages, IndexAllocator.pageOf(places.end()) + 1);
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
        page(place).flags[at(place)] |= TOUCHED | TOUCHED_LATELY;
        return load(place, now);
    }

    AcceptorSlot load(int place, Moment now) {
        SlotPage page = page(place);
        int i = at(place);
        AcceptorSlot slot = new AcceptorSlot(place);
        slot.hasPromise = (page.flags[i] & PROMISE) != 0;
        slot.promised = page.promised[i];
        slot.promisedBy = (page.flags[i] & FENCED) == 0 ? incarnations.of(page.promisedBy[i]) : null;
        slot.promisedByNode = incarnations.nodeOf(page.promisedBy[i]);
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
        int by = page.promisedBy[i];
        boolean fenced = slot.promisedBy == null
                && slot.promisedByNode != null
                && slot.promisedByNode.equals(incarnations.nodeOf(by));
        int flags = page.flags[i] & ~(PROMISE | FENCED);
        page.flags[i] = (byte) (flags | (slot.hasPromise ? PROMISE : 0) | (fenced ? FENCED : 0));
        page.promised[i] = slot.promised;
        Share.Account paid = account(page, i);
        page.promisedBy[i] = fenced ? by : incarnations.change(by, slot.promisedBy, slot.promisedByNode);
        own(page, i, slot.owner, slot.ownerNode);
        Share.Account pays = account(page, i);
        if (pays != paid) {
            int bytes = bytes(page.length[i] & 0xFF);
            share.take(pays, bytes);
            share.giveBack(paid, bytes);
        }
        page.counter[i] = slot.counter;
        saveTimes(place, slot);
    }

    private void own(SlotPage page, int i, @Nullable Incarnation owner, @Nullable NodeId node) {
        int before = page.owner[i];
        Share.Account lost = incarnations.accountOf(before);
        page.owner[i] = incarnations.change(before, owner, node);
        Share.Account owns = page.owner[i] == before ? lost : incarnations.accountOf(page.owner[i]);
        if (owns != lost) {
            count(lost, -1);
            count(owns, 1);
        }
    }

    private static void count(Share.@Nullable Account account, int records) {
        if (account != null) {
            account.records += records;
        }
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
        page.flags[i] &= ~(TOUCHED | TOUCHED_LATELY);
        return !touched && !load(place, now).isLiveFor(now);
    }

    /** The same, since the last call of this or of the other: a pass between two passes. */
    boolean isIdleLately(int place, Moment now) {
        SlotPage page = page(place);
        int i = at(place);
        boolean touched = (page.flags[i] & TOUCHED_LATELY) != 0;
        page.flags[i] &= ~TOUCHED_LATELY;
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
        return Objects.requireNonNull(pages[IndexAllocator.pageOf(place)]);
    }

    private @Nullable SlotPage pageOrNull(int place) {
        int number = IndexAllocator.pageOf(place);
        return number < pages.length ? pages[number] : null;
    }

    private static int at(int place) {
        return IndexAllocator.at(place);
    }

    @Nullable
    AcceptorSlot live(String resource, Moment now) {
        int place = find(resource);
        AcceptorSlot slot = place < 0 ? null : load(place, now);
        return slot != null && slot.isLiveFor(now) ? slot : null;
    }
}
