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
import java.util.Objects;
import java.util.OptionalLong;
import java.util.Set;

/**
 * The registers that one member remembers, each with the highest value that it was raised to. It is remembered for those who have raised it: the
 * members together, and each client. Beyond the bound of one of them the register goes that it raised longest ago, unless another one has raised it
 * too. Beyond the bound of all clients together the source loses one that has most, such as an address, and there the client that has most; of
 * equals, the one that raised longest ago. So clients crowd out nothing of the members, and, under however many ids, nothing of a source that has no
 * more than an even share. Clients of one source can crowd out each other.
 */
public final class RegisterValues {

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

    /** What one client has raised, in that order. */
    private record Raised(String source, Set<String> registers) {}

    private final Map<String, Known> values = new HashMap<>();
    /** In the order in which they were last raised. */
    private final Set<String> ofMembers = new LinkedHashSet<>();
    /** By client, in the order in which these have raised last. */
    private final Map<NodeId, Raised> ofClients = new LinkedHashMap<>();
    /** How many those of one source have raised. */
    private final Map<String, Integer> bySource = new HashMap<>();

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

    /**
     * The same by a client.
     *
     * @param source where it comes from: what one attacker cannot have many of
     */
    public long raise(NodeId client, String source, String register, long value) {
        Raised before = ofClients.remove(client);
        Set<String> its = before == null ? new LinkedHashSet<>() : before.registers();
        if (before != null) {
            count(before.source(), -its.size());
        }
        ofClients.put(client, new Raised(source, its));
        long after = raise(its, register, value);
        count(source, its.size());
        if (its.size() > MOST_OF_A_CLIENT) {
            forgetOldestOf(client);
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

    private void count(String source, int more) {
        countOfClients += more;
        bySource.merge(source, more, (before, added) -> before + added == 0 ? null : before + added);
    }

    private void forgetOneOfClients() {
        int mostOfASource = bySource.values().stream().reduce(0, Math::max);
        NodeId most = null;
        int highest = 0;
        for (Map.Entry<NodeId, Raised> each : ofClients.entrySet()) {
            Raised its = each.getValue();
            if (its.registers().size() > highest && bySource.getOrDefault(its.source(), 0) == mostOfASource) {
                most = each.getKey();
                highest = its.registers().size();
            }
        }
        forgetOldestOf(Objects.requireNonNull(most, "a source without clients"));
    }

    private void forgetOldestOf(NodeId client) {
        Raised its = Objects.requireNonNull(ofClients.get(client), "no such client");
        forgetOldest(its.registers());
        count(its.source(), -1);
        if (its.registers().isEmpty()) {
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
        ofClients.values().forEach(each -> order.addAll(each.registers()));
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
