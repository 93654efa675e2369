package io.paxoslease.protocol.registers;

import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.registers.MaxRegisterMessage.Entry;
import io.paxoslease.protocol.registers.MaxRegisterMessage.KnownRegisters;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;

/**
 * The registers that one member remembers, each with the highest value that it was raised to. It is remembered for those who have raised it: the
 * members together, and each client. Beyond the bound of one of them the register goes that it raised longest ago, unless another one has raised it
 * too. So no client crowds out what members or other clients have raised. Beyond the bound of all clients together that goes to the client
 * which has raised most; of equals, to the one that raised longest ago.
 */
public final class MaxRegisters {

    /** So many are remembered for the members. */
    public static final int MOST = 4_096;

    /** So many for one client. */
    public static final int MOST_OF_A_CLIENT = 256;

    /** So many for all clients together. */
    public static final int MOST_OF_CLIENTS = 2_048;

    private static final class Known {
        long value;
        int raisers;
        /** Of two that is higher which was raised later, by anybody. */
        long raised;

        Known(long value) {
            this.value = value;
        }
    }

    private final Map<String, Known> values = new HashMap<>();
    /** In the order in which they were last raised. */
    private final Set<String> ofMembers = new LinkedHashSet<>();
    /** The same, by client, in the order in which these have raised last. */
    private final Map<NodeId, Set<String>> ofClients = new LinkedHashMap<>();

    private int countOfClients;
    private long raises;

    /** A member raises it. Answers the value that the register has from now on. */
    public long raise(String register, long value) {
        long after = raise(ofMembers, register, value);
        if (ofMembers.size() > MOST) {
            forgetOldest(ofMembers);
        }
        return after;
    }

    /** The same by a client. */
    public long raise(NodeId client, String register, long value) {
        Set<String> its = ofClients.remove(client);
        its = its == null ? new LinkedHashSet<>() : its;
        ofClients.put(client, its);
        int before = its.size();
        long after = raise(its, register, value);
        countOfClients += its.size() - before;
        if (its.size() > MOST_OF_A_CLIENT) {
            forgetOldestOf(client, its);
        } else if (countOfClients > MOST_OF_CLIENTS) {
            forgetOneOfClients();
        }
        return after;
    }

    private long raise(Set<String> raisers, String register, long value) {
        Known known = values.computeIfAbsent(register, name -> new Known(value));
        known.value = Math.max(known.value, value);
        known.raised = ++raises;
        if (!raisers.remove(register)) {
            known.raisers++;
        }
        raisers.add(register);
        return known.value;
    }

    private void forgetOneOfClients() {
        NodeId most = null;
        int highest = 0;
        for (Map.Entry<NodeId, Set<String>> each : ofClients.entrySet()) {
            if (each.getValue().size() > highest) {
                most = each.getKey();
                highest = each.getValue().size();
            }
        }
        if (most != null) {
            forgetOldestOf(most, ofClients.getOrDefault(most, Set.of()));
        }
    }

    private void forgetOldestOf(NodeId client, Set<String> its) {
        forgetOldest(its);
        countOfClients--;
        if (its.isEmpty()) {
            ofClients.remove(client);
        }
    }

    private void forgetOldest(Set<String> raisers) {
        Iterator<String> all = raisers.iterator();
        String oldest = all.next();
        all.remove();
        Known known = values.get(oldest);
        if (known != null && --known.raisers == 0) {
            values.remove(oldest);
        }
    }

    /** Another member tells what it knows: as if it had been raised by a member, if it is news. */
    public void learn(Entry entry) {
        Known known = values.get(entry.register());
        if (known == null || known.value < entry.value() || !ofMembers.contains(entry.register())) {
            raise(entry.register(), entry.value());
        }
    }

    /** Empty: none is known. */
    public OptionalLong value(String register) {
        Known known = values.get(register);
        return known == null ? OptionalLong.empty() : OptionalLong.of(known.value);
    }

    /**
     * All of them, in messages for a member that may have forgotten them; raised longest ago first. What clients alone have raised comes
     * before, so that a member with too many forgets that first.
     */
    public List<KnownRegisters> known() {
        Set<String> order = new LinkedHashSet<>();
        ofClients.values().forEach(order::addAll);
        order.removeAll(ofMembers);
        order.addAll(ofMembers);
        List<Entry> all = new ArrayList<>(order.size());
        for (String register : order) {
            value(register).ifPresent(value -> all.add(new Entry(register, value)));
        }
        return inMessages(all);
    }

    /** The same, raised last first: for a member that is to know soon what it does not know yet. */
    public List<KnownRegisters> knownLastFirst() {
        return inMessages(values.entrySet().stream()
                .sorted(Comparator.comparingLong(each -> -each.getValue().raised))
                .map(each -> new Entry(each.getKey(), each.getValue().value))
                .toList());
    }

    private static List<KnownRegisters> inMessages(List<Entry> all) {
        List<KnownRegisters> messages = new ArrayList<>();
        for (int from = 0; from < all.size(); from += KnownRegisters.MOST) {
            messages.add(new KnownRegisters(all.subList(from, Math.min(all.size(), from + KnownRegisters.MOST))));
        }
        return messages;
    }
}
