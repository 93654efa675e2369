package io.paxoslease.transport.netty;

import io.paxoslease.protocol.Generation;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.transport.CellConfig;
import io.paxoslease.transport.ComingMembers;
import io.paxoslease.transport.Transport.Receiver;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Changes of the members (section 9), as far as connections go: where the members of the next generation are, which members tell each other
 * and their clients, and whom this node calls. On the event loop.
 */
final class MemberChanges implements MemberChangeListener {

    /** Each is a file that is wrong, or a node that lies. */
    private static final int MOST_OTHERS = 64;

    private final TransportContext transport;
    private final PeerLinks links;
    /** The latest generation that this node runs or knows to come, unless it follows none. Told to all who know of no later one. */
    private @Nullable ComingMembers newest;
    /** What this node runs, while a later one is to come; null: none is, or it follows none. A client that comes now may know of neither. */
    private @Nullable ComingMembers current;
    /** Both, the earlier one first, with the addresses that are known by now. */
    private List<ComingMembers> corrected = List.of();
    /** By number, what the node takes to decide, or to follow; the addresses may not be known yet. */
    private final Map<Integer, Generation> counted = new HashMap<>();
    /** What members have told of while another content of the same number counts, or before the one that it follows; in that order. */
    private final Set<Told> others = new LinkedHashSet<>();

    private record Told(NodeId by, ComingMembers coming) {}

    MemberChanges(TransportContext transport, PeerLinks links) {
        this.transport = transport;
        this.links = links;
        this.newest = own();
    }

    private Generation running() {
        return transport.identity.config().generation();
    }

    /** To be told of the generation that this node runs; null when that follows none. */
    private @Nullable ComingMembers own() {
        CellConfig config = transport.identity.config();
        Generation generation = config.generation();
        Map<NodeId, InetSocketAddress> known = transport.addresses.all();
        return config.clockBound() == null
                        && generation.previous() != null
                        && known.keySet().containsAll(generation.everyone())
                ? new ComingMembers(generation, known)
                : null;
    }

    @Override
    public void isConnected(NodeId member) {
        links.clients.giveWay(member);
    }

    @Override
    public void told(NodeId by, ComingMembers coming) {
        if (comes(coming)) {
            transport.receiver().generationSeen(by, coming.generation(), Receiver.TOLD);
            return;
        }
        ComingMembers known = newest;
        Generation last = known == null ? running() : known.generation();
        if (last.equals(coming.generation())) {
            learn(coming); // as the file of that member has them
        } else if (isAnother(coming.generation())) {
            keep(new Told(by, coming));
            transport.log.warn(
                    by.name() + " of a change",
                    null,
                    "peer '%s' tells of generation %d with the members %s, and this node knows of it with %s: each generation has one content, so correct the file of the node that has the wrong one"
                            .formatted(
                                    by,
                                    coming.generation().number(),
                                    coming.generation().current().members(),
                                    Objects.requireNonNull(
                                                    counting(coming.generation().number()))
                                            .current()
                                            .members()));
        } else if (last.number() < coming.generation().number()) {
            keep(new Told(by, coming));
        }
    }

    /** The content of that number which counts here; null: none is known. */
    private @Nullable Generation counting(int number) {
        ComingMembers known = newest;
        return known != null && known.generation().number() == number ? known.generation() : counted.get(number);
    }

    private boolean isAnother(Generation generation) {
        Generation counting = counting(generation.number());
        return counting != null && !counting.equals(generation);
    }

    /** This node's own store has it: what others have told counts no more. */
    void coming(ComingMembers coming) {
        counts(coming.generation());
        transport.addresses.learn(coming.addresses());
        comes(coming);
    }

    /** From now on this is the content of its number, and any other one that members tell of is kept aside. */
    void counts(Generation generation) {
        ComingMembers known = newest;
        if (known != null && known.generation().number() == generation.number() && isAnother(generation)) {
            keep(new Told(transport.identity.self(), known));
            newest = own();
            current = null;
        }
        counted.keySet().removeIf(number -> number < running().number());
        counted.put(generation.number(), generation);
        for (Told other : List.copyOf(others)) {
            if (other.coming().generation().equals(generation) && isTaken(other.coming())) {
                others.remove(other);
            }
        }
    }

    /** Whether it is the next one, now or before. */
    private boolean isTaken(ComingMembers coming) {
        ComingMembers known = newest;
        if (known != null && known.generation().equals(coming.generation())) {
            learn(coming);
            return true;
        }
        return comes(coming);
    }

    /** Of those that are called: others of that list may have left, and be elsewhere when they come back. */
    private void learn(ComingMembers known) {
        Map<NodeId, InetSocketAddress> addresses = new HashMap<>(known.addresses());
        addresses.keySet().removeIf(id -> links.find(id) == null);
        transport.addresses.learn(addresses);
    }

    /** A member tells of a content once, unless an address changes, and this one may turn out to be the right one. */
    private void keep(Told other) {
        int past = running().number();
        others.removeIf(each -> each.coming().generation().number() <= past);
        if (others.size() < MOST_OTHERS) {
            others.add(other);
        }
    }

    /** @return whether it is the next one, and was not known with its addresses */
    private boolean comes(ComingMembers coming) {
        Generation generation = coming.generation();
        ComingMembers known = newest;
        boolean isKnown = known != null && known.generation().number() >= generation.number();
        if (isKnown || isAnother(generation) || transport.isClosing() || !transport.admission.comes(generation)) {
            return false;
        }
        current = known != null && known.generation().equals(running()) ? known : own();
        newest = coming;
        transport.admission.coming(generation, links.clients.bootIds(generation.everyone()));
        transport.addresses.learn(coming.addresses());
        transport.log.plain.info(
                "Generation {} is to come, with the members {}",
                generation.number(),
                generation.current().members());
        links.call(generation.everyone());
        tellAll();
        if (transport.identity.isClient() && transport.isSealed(generation)) { // it heard of the seal first
            changed(generation);
        }
        return true;
    }

    /** This node runs that generation from now on. */
    void changed(Generation generation) {
        CellConfig before = transport.identity.config();
        transport.runs(new CellConfig(before.cell(), generation, before.clocked()));
        ComingMembers known = newest;
        if (known == null || !known.generation().equals(generation)) {
            newest = own();
        }
        current = null;
        links.call(generation.everyone());
        forgetFormerMembers();
        tellAll();
        transport.loop.execute(transport.guarded(this::takeUp)); // the node may be about to say more
    }

    /** What was told too early may be next now. */
    private void takeUp() {
        for (Told other : List.copyOf(others)) {
            if (running().isFollowedBy(other.coming().generation()) && others.remove(other)) {
                told(other.by(), other.coming());
            }
        }
    }

    /** That generation is known to be sealed; those who are members before it may be needed yet. */
    void knowsSeal(int number) {
        transport.knowsSeal(number);
    }

    /** The list of that generation decides alone. A client runs what decides; a member what it was started with, or has changed to. */
    void sealed(int number) {
        transport.sealed(number);
        ComingMembers known = newest;
        if (transport.identity.isClient()
                && known != null
                && transport.isSealed(known.generation())
                && running().number() < known.generation().number()) {
            changed(known.generation());
        } else {
            forgetFormerMembers();
        }
    }

    /** Those who were members before a change that is over are called no more. */
    private void forgetFormerMembers() {
        Generation own = running();
        ComingMembers known = newest;
        if (own.previous() == null || !transport.isSealed(own)) {
            return;
        }
        boolean hasNext = known != null && known.generation().number() > own.number();
        Collection<NodeId> kept = hasNext
                ? Objects.requireNonNull(known).generation().everyone()
                : own.current().members();
        links.callOnly(Set.copyOf(kept));
    }

    private void tellAll() {
        List<ComingMembers> news = toTell();
        if (!news.isEmpty()) {
            links.forEachConnection(connection -> connection.members.tell(news));
        }
    }

    /** A client tells nothing, because it has no say in who votes. */
    @Override
    public List<ComingMembers> toTell() {
        if (transport.identity.isClient()) {
            return List.of();
        }
        List<ComingMembers> now = new ArrayList<>(2);
        addCorrected(current, now);
        addCorrected(newest, now);
        if (!now.equals(corrected)) {
            corrected = List.copyOf(now);
        }
        return corrected;
    }

    private void addCorrected(@Nullable ComingMembers known, List<ComingMembers> to) {
        if (known != null) {
            to.add(new ComingMembers(known.generation(), transport.addresses.corrected(known.addresses())));
        }
    }

    /** Once a second: those that were slow to read. */
    void tick() {
        tellAll();
    }
}
