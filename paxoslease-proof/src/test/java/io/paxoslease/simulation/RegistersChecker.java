package io.paxoslease.simulation;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * What Flease promises besides. Of the registers: no round that an acceptor has seen is taken back while it lives; while a tenure is
 * believed in, a majority of acceptors each store a lease of it that ends no earlier, or are silent as long; and once a
 * majority has stored a lease in one round, no later round stores anything but that lease, as long or longer, or a later one
 * of its owner, until its end has passed on every clock or its owner has emptied the register. Of the clocks: who takes part is within the bound of
 * everybody else who does. Of answers: who is named with certainty is not contradicted by a holder.
 */
final class RegistersChecker extends HistoryChecker {

    private final Registers registers;
    private final Entry[][] entries;
    private final Entry[] decided;
    /** What an acceptor has promised in this life, whether or not it still knows. */
    private final Round[][] promised;

    /** The tokens of tenures that were released: whoever reads the release goes on, though a majority may not have it yet. */
    private final List<Set<Long>> released = new ArrayList<>();
    /** The leases that their owners have had written. */
    private final List<Set<Value>> made = new ArrayList<>();
    /** When the owner of that number last emptied the register. */
    private final long[][] emptied;

    /** What the checker asks about the cell. */
    interface Registers {

        /** What that node's wall clock shows at that time, if nobody sets it. */
        long wallMicros(int node, long real);

        /** Whether all wall clocks were within the bound all the time. */
        boolean clocksAreRight();

        /** How long a lease lasts at most. */
        long maxLeaseNanos();
    }

    /** A round; nodes go by number. */
    record Round(long slot, long chance, int node) implements Comparable<Round> {

        static final Round NONE = new Round(Long.MIN_VALUE, 0, 0);

        private static final Comparator<Round> ORDER = Comparator.comparingLong(Round::slot)
                .thenComparingLong(Round::chance)
                .thenComparingInt(Round::node);

        @Override
        public int compareTo(Round other) {
            return ORDER.compare(this, other);
        }
    }

    /** A lease by its owner's incarnation; of an empty register, the token alone means anything. */
    record Value(boolean empty, long incarnation, long token, long endMicros) {

        boolean isOfSameOwner(Value other) {
            return !empty && !other.empty && incarnation == other.incarnation;
        }
    }

    /** A register at one acceptor: the round and the value that were written last. */
    record Entry(Round written, Value value) {

        static final Entry NOTHING = new Entry(Round.NONE, new Value(true, 0, Long.MIN_VALUE, Long.MIN_VALUE));
    }

    RegistersChecker(int acceptors, int nodes, int resources, boolean tokensGrow, Registers registers) {
        super(acceptors, nodes, resources, tokensGrow);
        this.registers = registers;
        this.entries = new Entry[resources][nodes];
        this.decided = new Entry[resources];
        this.promised = new Round[resources][nodes];
        this.emptied = new long[resources][nodes];
        Arrays.fill(decided, Entry.NOTHING);
        for (int resource = 0; resource < resources; resource++) {
            released.add(new HashSet<>());
            made.add(new HashSet<>());
            Arrays.fill(entries[resource], Entry.NOTHING);
            Arrays.fill(promised[resource], Round.NONE);
            Arrays.fill(emptied[resource], Long.MIN_VALUE / 2);
        }
    }

    /** The acceptor stores that from now on; nothing: it has forgotten what was over. */
    void stored(long now, int acceptor, int resource, Entry entry) {
        checkNotSilent(now, acceptor, "stored " + entry);
        entries[resource][acceptor] = entry;
        if (!entry.equals(Entry.NOTHING)) {
            rises(acceptor, resource, entry.written());
            judge(now, resource, entry);
        }
        checkContained(now, resource);
    }

    /** A node has that written. Only an owner makes a lease, or a longer one; who writes back another's writes it as it is. */
    void writes(long now, int node, int resource, Value value, boolean isOwner) {
        if (isOwner) {
            made.get(resource).add(value);
        } else if (!value.empty() && !made.get(resource).contains(value)) {
            throw new Violation("at " + now + " node " + node + " writes " + value + ", which its owner has not made");
        }
    }

    /** The acceptor promises to take nothing lower. */
    void promised(long now, int acceptor, int resource, Round round) {
        checkNotSilent(now, acceptor, "promised " + round);
        rises(acceptor, resource, round);
    }

    private void rises(int acceptor, int resource, Round round) {
        Round highest = promised[resource][acceptor];
        if (round.compareTo(highest) < 0) {
            throw new Violation("acceptor " + acceptor + " went back from " + highest + " to " + round);
        }
        promised[resource][acceptor] = round;
    }

    private void judge(long now, int resource, Entry entry) {
        Entry last = decided[resource];
        boolean later = entry.written().compareTo(last.written()) > 0;
        if (entry.value().empty()) {
            emptied[resource][entry.written().node()] = now;
            released.get(resource).add(entry.value().token());
        }
        if (later && !mayFollow(now, resource, last, entry)) {
            throw new Violation("at " + now + " " + entry + " was stored after a majority had stored " + last);
        }
        int same = 0;
        for (Entry other : entries[resource]) {
            same += other.written().equals(entry.written()) ? 1 : 0;
        }
        if (later && same > acceptors() / 2) {
            decided[resource] = entry;
        }
    }

    private boolean mayFollow(long now, int resource, Entry last, Entry entry) {
        if (last.value().empty()) {
            return true;
        }
        if (entry.value().isOfSameOwner(last.value())) {
            boolean laterTenure = entry.value().token() > last.value().token();
            boolean sameTenure = entry.value().token() == last.value().token();
            if (laterTenure) { // and in doing so gives up the one before
                released.get(resource).add(last.value().token());
            }
            return laterTenure
                    || (sameTenure && entry.value().endMicros() >= last.value().endMicros());
        }
        boolean isReleased = released.get(resource).contains(last.value().token());
        return isReleased
                || !registers.clocksAreRight()
                || hasPassed(now, last.value().endMicros());
    }

    /** On every clock of the cell, those of guests included. */
    private boolean hasPassed(long now, long endMicros) {
        for (int node = 0; node < nodes(); node++) {
            if (registers.wallMicros(node, now) < endMicros) {
                return false;
            }
        }
        return true;
    }

    /** The node says that nobody but that owner holds the resource now. */
    void certain(long now, int node, int resource, int owner) {
        for (Belief belief : beliefs(resource)) {
            boolean wasReleased = now - emptied[resource][owner] <= registers.maxLeaseNanos();
            if (belief.until() > now && belief.node() != owner && !wasReleased) {
                throw new Violation(
                        "node " + node + " is certain at " + now + " that node " + owner + " holds it, not " + belief);
            }
        }
    }

    @Override
    boolean excludesOthers(int acceptor, Belief belief) {
        Entry entry = entries[belief.resource()][acceptor];
        return !entry.value().empty()
                && entry.value().incarnation() == belief.incarnation()
                && entry.value().token() == belief.token()
                && entry.value().endMicros() >= registers.wallMicros(belief.node(), belief.until() - 1);
    }

    @Override
    void forget(int acceptor) {
        for (int resource = 0; resource < entries.length; resource++) {
            entries[resource][acceptor] = Entry.NOTHING;
            promised[resource][acceptor] = Round.NONE;
        }
    }
}
