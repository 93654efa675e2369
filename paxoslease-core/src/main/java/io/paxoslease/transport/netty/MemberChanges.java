package io.paxoslease.transport.netty;

import io.paxoslease.protocol.Generation;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.transport.CellConfig;
import io.paxoslease.transport.ComingMembers;
import io.paxoslease.transport.Transport.Receiver;
import java.net.InetSocketAddress;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Changes of the members (section 9), as far as connections go: where the members of the next generation are, which members tell each other
 * and their clients, and whom this node calls. On the event loop.
 */
final class MemberChanges implements ChangeNews {

    /** Each is a file that is wrong, or a node that lies. */
    private static final int MOST_OTHERS = 16;

    private final TransportContext transport;
    private final PeerLinks links;
    /** The latest generation that this node runs or knows to come, unless it follows none. Told to all who know of none as late. */
    private @Nullable ComingMembers newest;
    /** What the node takes to follow, or to decide; its addresses may not be known yet. */
    private @Nullable Generation latest;
    /** Contents that members have told of while another one of the same number counts. */
    private final Map<Generation, ComingMembers> others = new HashMap<>();
    /** What follows the one that is to come here: told too early. */
    private @Nullable Told later;

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
        Map<NodeId, InetSocketAddress> known = transport.members;
        return config.clockBound() == null
                        && generation.previous() != null
                        && known.keySet().containsAll(generation.everyone())
                ? new ComingMembers(generation, known)
                : null;
    }

    @Override
    public void told(NodeId by, ComingMembers coming) {
        if (comes(coming)) {
            transport.receiver().generationMet(by, coming.generation(), Receiver.TOLD);
            return;
        }
        ComingMembers known = newest;
        if (known != null && later == null && known.generation().isFollowedBy(coming.generation())) {
            later = new Told(by, coming);
        } else if (isAnother(coming.generation())) {
            keep(coming);
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
        }
    }

    /** The content of that number which counts here; null: none is known. */
    private @Nullable Generation counting(int number) {
        ComingMembers known = newest;
        Generation first = known == null || known.generation().number() != number ? latest : known.generation();
        return first == null || first.number() != number ? null : first;
    }

    private boolean isAnother(Generation generation) {
        Generation counting = counting(generation.number());
        return counting != null && !counting.equals(generation);
    }

    /** This node's own store has it: what others have told counts no more. */
    void coming(ComingMembers coming) {
        counts(coming.generation());
        transport.learn(coming.addresses());
        comes(coming);
    }

    /** From now on this is the content of its number, and any other one that members tell of is kept aside. */
    void counts(Generation generation) {
        ComingMembers known = newest;
        if (known != null && known.generation().number() == generation.number() && isAnother(generation)) {
            keep(known);
            newest = own();
        }
        latest = generation;
        ComingMembers other = others.remove(generation);
        if (other != null) {
            comes(other);
        }
    }

    /** Each member tells of a content only once, and this one may turn out to be the right one. */
    private void keep(ComingMembers other) {
        others.keySet().removeIf(each -> each.number() < other.generation().number());
        if (others.size() < MOST_OTHERS) {
            others.put(other.generation(), other);
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
        newest = coming;
        transport.learn(coming.addresses());
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
        transport.runs(new CellConfig(before.cell(), generation, before.clockBound()));
        ComingMembers known = newest;
        if (known == null || !known.generation().equals(generation)) {
            newest = own();
        }
        links.call(generation.everyone());
        letGo();
        tellAll();
        Told after = later;
        later = null;
        if (after != null) {
            told(after.by(), after.coming());
        }
    }

    /** That generation is known to be sealed. A client runs what decides; a member what it was started with, or has changed to. */
    void sealed(int number) {
        transport.sealed(number);
        ComingMembers known = newest;
        if (transport.identity.isClient()
                && known != null
                && transport.isSealed(known.generation())
                && running().number() < known.generation().number()) {
            changed(known.generation());
        } else {
            letGo();
        }
    }

    /** Those who were members before a change that is over are called no more. */
    private void letGo() {
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
        ComingMembers told = toTell();
        if (told != null) {
            links.forEachConnection(connection -> connection.members.tell(told));
        }
    }

    /** A client tells nobody: it has no say in who votes. */
    @Override
    public @Nullable ComingMembers toTell() {
        return transport.identity.isClient() ? null : newest;
    }

    /** Once a second: those that were slow to read. */
    void tick() {
        tellAll();
    }
}
