package io.paxoslease.exploration;

import io.paxoslease.protocol.Event;
import io.paxoslease.protocol.Generation;
import io.paxoslease.protocol.Incarnation;
import io.paxoslease.transport.Admission;
import io.paxoslease.transport.CellConfig;
import io.paxoslease.transport.Hello;
import io.paxoslease.transport.Versions;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Which nodes can talk where some run another content of a generation than others: what production's {@link Admission} says at both ends.
 * What a node is comes as a {@linkplain ExploredMeeting look}.
 */
final class Contests {

    private final Cell cell;
    private final Map<List<Integer>, Boolean> known = new HashMap<>();

    Contests(Cell cell) {
        this.cell = cell;
    }

    /** Whether one of them dials the other. */
    boolean areInTouch(int one, int oneLook, int other, int otherLook) {
        boolean areThere = cell.isStarted(one, ExploredMeeting.life(oneLook))
                && cell.isStarted(other, ExploredMeeting.life(otherLook));
        return areThere
                && (generation(one, oneLook).everyone().contains(ExploredWorld.id(other))
                        || generation(other, otherLook).everyone().contains(ExploredWorld.id(one)));
    }

    /** Whether a connection between them stands. */
    boolean connects(int one, int oneLook, int other, int otherLook) {
        List<Integer> key = List.of(one, ExploredMeeting.life(oneLook), other, ExploredMeeting.life(otherLook));
        return known.computeIfAbsent(
                key, key0 -> takes(one, oneLook, other, otherLook) && takes(other, otherLook, one, oneLook));
    }

    /** That node as another configuration than the own one; null when it is none. */
    Event.@Nullable OtherConfiguration difference(int own, int ownLook, int other, int otherLook) {
        Admission admission = admission(own, ownLook);
        Hello hello = hello(other, otherLook, own);
        String difference = admission.difference(hello);
        Generation its = generation(other, otherLook);
        return difference == null
                ? null
                : new Event.OtherConfiguration(
                        ExploredWorld.id(other),
                        its.current().members(),
                        its.timing(false).quarantineNanos(),
                        difference,
                        admission.isSealed(hello));
    }

    private boolean takes(int own, int ownLook, int other, int otherLook) {
        return admission(own, ownLook).judge(hello(other, otherLook, own)) == null;
    }

    private Admission admission(int node, int look) {
        return new Admission(config(node, look), ExploredWorld.id(node));
    }

    private Hello hello(int from, int look, int to) {
        Hello.Role role = from < cell.acceptors ? Hello.Role.MEMBER : Hello.Role.CLIENT;
        Incarnation boot = new Incarnation(from, ExploredMeeting.life(look));
        return new Hello(
                config(from, look), ExploredWorld.id(from), ExploredWorld.id(to), boot, Versions.OURS, role, "");
    }

    private CellConfig config(int node, int look) {
        return new CellConfig("cell", generation(node, look), null);
    }

    private Generation generation(int node, int look) {
        return cell.generation(node, ExploredMeeting.life(look));
    }
}
