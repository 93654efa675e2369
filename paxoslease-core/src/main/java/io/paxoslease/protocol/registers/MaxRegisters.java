package io.paxoslease.protocol.registers;

import io.paxoslease.protocol.registers.MaxRegisterMessage.Entry;
import io.paxoslease.protocol.registers.MaxRegisterMessage.KnownRegisters;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/** The registers that one node remembers, each with the highest value that it was raised to. Beyond a bound the one raised longest ago goes. */
public final class MaxRegisters {

    /** So many are remembered. */
    public static final int MOST = 4_096;

    /** In the order in which they were last raised. */
    private final Map<String, Long> values = new LinkedHashMap<>();

    /** Answers the value that the register has from now on. */
    public long raise(String register, long value) {
        Long before = values.remove(register);
        long after = before == null ? value : Math.max(before, value);
        values.put(register, after);
        if (values.size() > MOST) {
            Iterator<String> oldest = values.keySet().iterator();
            oldest.next();
            oldest.remove();
        }
        return after;
    }

    /** Another node tells what it knows: as if it had been raised here, if it is news. */
    public void learn(Entry entry) {
        Long before = values.get(entry.register());
        if (before == null || before < entry.value()) {
            raise(entry.register(), entry.value());
        }
    }

    /** Empty: none is known. */
    public OptionalLong value(String register) {
        Long value = values.get(register);
        return value == null ? OptionalLong.empty() : OptionalLong.of(value);
    }

    /** All of them, in messages for a node that may have forgotten them; raised longest ago first. */
    public List<KnownRegisters> known() {
        List<Entry> all = new ArrayList<>(values.size());
        values.forEach((register, value) -> all.add(new Entry(register, value)));
        List<KnownRegisters> messages = new ArrayList<>();
        for (int from = 0; from < all.size(); from += KnownRegisters.MOST) {
            messages.add(new KnownRegisters(all.subList(from, Math.min(all.size(), from + KnownRegisters.MOST))));
        }
        return messages;
    }
}
