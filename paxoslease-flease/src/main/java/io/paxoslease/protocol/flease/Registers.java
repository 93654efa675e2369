package io.paxoslease.protocol.flease;

import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.Reading;
import io.paxoslease.protocol.flease.FleaseMessage.Nack;
import io.paxoslease.protocol.flease.FleaseMessage.Read;
import io.paxoslease.protocol.flease.FleaseMessage.ReadAck;
import io.paxoslease.protocol.flease.FleaseMessage.Reply;
import io.paxoslease.protocol.flease.FleaseMessage.Write;
import io.paxoslease.protocol.flease.FleaseMessage.WriteAck;
import java.util.Collection;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/** The acceptor: this node's share of every register. Not thread-safe. */
final class Registers {

    private static final int FORGOTTEN_AT_ONCE = 64;
    /** What one register takes beside its name, with three node ids of their own: who promised, who wrote, who owns. */
    private static final int BYTES_OF_ONE = 1_024;

    /** One register; the rounds only rise. */
    private static final class Register {
        private Round promised = Round.NONE;
        private Stored stored = Stored.NOTHING;
        private Moment touched;

        Register(Moment touched) {
            this.touched = touched;
        }

        Round highest() {
            return Round.later(promised, stored.written());
        }
    }

    private final TimeRules bound;
    /** The one that was touched longest ago comes first. */
    private final Map<String, Register> registers = new LinkedHashMap<>();

    private final long most;
    private long taken;
    private long lowestSlot;

    /** @param most how many bytes all of them may take: requests for one more are refused */
    Registers(TimeRules bound, long most) {
        this.bound = bound;
        this.most = most;
    }

    Reply read(Read read, Reading now) {
        if (isRefused(read.round(), now) || !hasRoom(read.resource())) {
            return new Nack(read.resource(), read.round(), read.attempt(), Round.NONE);
        }
        Register register = touch(read.resource(), now);
        if (!mayRead(register, read.round())) {
            return new Nack(read.resource(), read.round(), read.attempt(), register.highest());
        }
        register.promised = read.round();
        return new ReadAck(read.resource(), read.round(), read.attempt(), register.stored);
    }

    /** @param own whether this node itself writes: in a cell of one it goes on from what its earlier lives left */
    Reply write(Write write, boolean own, Reading now) {
        if (isRefused(write.round(), now)
                || (!own && bound.isAbsurd(write.value(), now))
                || !hasRoom(write.resource())) {
            return new Nack(write.resource(), write.round(), write.attempt(), Round.NONE);
        }
        Register register = touch(write.resource(), now);
        if (!mayWrite(register, write.round())) {
            return new Nack(write.resource(), write.round(), write.attempt(), register.highest());
        }
        register.stored = new Stored(write.round(), write.value());
        return new WriteAck(write.resource(), write.round(), write.attempt());
    }

    /** A read that comes twice is answered twice: nothing lower has been written in between. */
    private static boolean mayRead(Register register, Round round) {
        return round.isAbove(register.stored.written()) && !register.promised.isAbove(round);
    }

    private static boolean mayWrite(Register register, Round round) {
        return !register.stored.written().isAbove(round) && !register.promised.isAbove(round);
    }

    private boolean isRefused(Round round, Reading now) {
        return isTooOld(round) || bound.isTooFarAhead(round, now);
    }

    /** A promise against it may have been forgotten. */
    private boolean isTooOld(Round round) {
        return round.slot() < lowestSlot;
    }

    /** The highest round that was seen here for it. */
    Round highest(String resource) {
        Register register = registers.get(resource);
        return register == null ? Round.NONE : register.highest();
    }

    Stored stored(String resource) {
        Register register = registers.get(resource);
        return register == null ? Stored.NOTHING : register.stored;
    }

    private boolean hasRoom(String resource) {
        return most - taken >= bytes(resource) || registers.containsKey(resource);
    }

    /** With a name that may be of characters of two bytes. */
    private static int bytes(String resource) {
        return BYTES_OF_ONE + 2 * resource.length();
    }

    private Register touch(String resource, Reading now) {
        Register register = registers.remove(resource);
        if (register == null) {
            register = new Register(now.moment());
            taken += bytes(resource);
        }
        register.touched = now.moment();
        registers.put(resource, register);
        return register;
    }

    /** Raises the lowest round that is served, and then drops what only lower ones could have asked for; a little at a time. */
    void forget(Reading now) {
        lowestSlot = Math.max(lowestSlot, bound.horizonSlot(now));
        for (int i = 0; i < FORGOTTEN_AT_ONCE && !registers.isEmpty(); i++) {
            Map.Entry<String, Register> oldest = registers.entrySet().iterator().next();
            if (oldest.getValue().touched.nanosUntil(now.moment()) < bound.horizonNanos()) {
                return;
            }
            if (mayForget(oldest.getValue(), now)) {
                registers.remove(oldest.getKey());
                taken -= bytes(oldest.getKey());
            } else {
                touch(oldest.getKey(), now);
            }
        }
    }

    private boolean mayForget(Register register, Reading now) {
        return isTooOld(register.highest()) && bound.isForgettable(register.stored.value(), now, lowestSlot);
    }

    /** This node may be a copy of an earlier state of itself, or have measured time wrongly. */
    void clear() {
        registers.clear();
        taken = 0;
        lowestSlot = 0;
    }

    /** What was cleared is over, as far as it was stored; as far as it was promised, it is kept by this. */
    void startAfterSilence(Reading now) {
        lowestSlot = Math.max(lowestSlot, bound.slotAfterSilence(now));
    }

    int size() {
        return registers.size();
    }

    /** Adds the resources whose leases are not over, from that place on; see {@link io.paxoslease.protocol.LeaseAlgorithm#addRecords}. */
    int addLive(int place, int count, Reading now, Collection<String> resources) {
        Iterator<Map.Entry<String, Register>> rest = registers.entrySet().iterator();
        for (int i = 0; i < place && rest.hasNext(); i++) {
            rest.next();
        }
        for (int i = 0; i < count && rest.hasNext(); i++) {
            Map.Entry<String, Register> next = rest.next();
            Value value = next.getValue().stored.value();
            if (!value.isEmpty() && now.wallMicros() < value.endMicros()) {
                resources.add(next.getKey());
            }
        }
        return rest.hasNext() ? place + count : -1;
    }
}
