package io.paxoslease.protocol.paxos;

import io.paxoslease.protocol.Effect.Granted;
import io.paxoslease.protocol.Event;
import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.paxos.PaxosMessage.Accepted;
import io.paxoslease.protocol.paxos.PaxosMessage.Nominate;
import io.paxoslease.protocol.paxos.PaxosMessage.Release;
import io.paxoslease.protocol.paxos.PaxosMessage.ReleaseTo;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;

/**
 * Client d holds the lease, and client e waits. Do a nomination, a release to e by another node, and a release to e that comes twice give
 * e no more than the rules of the acceptors do?
 */
public final class NominatedRelease implements Supplier<List<String>> {

    private final List<String> wrong = new ArrayList<>();

    /** @return what is wrong; nothing when all is well */
    @Override
    public List<String> get() {
        asks();
        releasesOfAnother();
        comesLate();
        return wrong;
    }

    /** d holds, e waits, f waits longer. */
    private static ProtocolTestCell waiting() {
        ProtocolTestCell cell = new ProtocolTestCell(3, 3, Duration.ofMillis(1_000));
        for (int client : new int[] {3, 5, 4}) {
            cell.pass(Duration.ofMillis(1));
            cell.acquire(cell.id(client), "r", 800, true);
            cell.deliverAll();
        }
        return cell;
    }

    private static Incarnation incarnation(ProtocolTestCell cell, NodeId id) {
        return cell.node(id).view(cell.now(id)).incarnation();
    }

    private void asks() {
        ProtocolTestCell cell = waiting();
        NodeId d = cell.id(3);
        long token = cell.last(d, Granted.class).token();
        cell.step(d, new Event.Nominate("r", token, cell.id(4), 500_000_000, 1));
        cell.deliverAll();
        check(cell, List.of(d), "a nomination ends the tenure of d at an acceptor");
    }

    private void releasesOfAnother() {
        ProtocolTestCell cell = waiting();
        NodeId d = cell.id(3);
        NodeId e = cell.id(4);
        long token = cell.last(d, Granted.class).token();
        ReleaseTo forged = new ReleaseTo(new Release("r", incarnation(cell, d), token), e);
        Nominate question = new Nominate("r", incarnation(cell, d), token, 1, e);
        for (NodeId member : cell.ids.subList(0, 3)) {
            cell.step(member, new Event.Received(e, question));
            cell.step(member, new Event.Received(e, forged));
        }
        cell.deliverAll();
        check(cell, List.of(d), "e has the lease by a release that d has not sent");
    }

    /** The holder's release reaches a twice: when it comes again, f holds the lease, and e is queued behind f. */
    private void comesLate() {
        ProtocolTestCell cell = waiting();
        NodeId d = cell.id(3);
        NodeId e = cell.id(4);
        long token = cell.last(d, Granted.class).token();
        Release release = new Release("r", incarnation(cell, d), token);
        cell.step(d, new Event.GiveUp("r", token));
        cell.deliverAll();
        for (NodeId member : cell.ids.subList(0, 3)) {
            cell.step(member, new Event.Received(d, new ReleaseTo(release, e)));
        }
        cell.deliverAll();
        check(cell, List.of(d, cell.id(5)), "e has the lease though f holds it");
        NodeId f = cell.id(5);
        Release next = new Release(
                "r", incarnation(cell, f), cell.last(f, Granted.class).token());
        for (NodeId member : cell.ids.subList(0, 3)) {
            cell.step(member, new Event.Received(f, new ReleaseTo(next, e)));
            boolean accepted = !cell.hold(m -> m.to().equals(e) && m.message() instanceof Accepted)
                    .isEmpty();
            Acceptor acceptor = Objects.requireNonNull(new NodeProbe(cell.node(member)).acceptor());
            AcceptorSlot record = acceptor.live("r", cell.now(member).moment());
            if (accepted && (record == null || !e.equals(record.ownerNode))) {
                wrong.add(member + " has accepted the proposal of e and has no record of it");
            }
        }
    }

    private void check(ProtocolTestCell cell, List<NodeId> holders, String what) {
        List<NodeId> granted = cell.ids.stream()
                .filter(id -> !cell.all(id, Granted.class).isEmpty())
                .toList();
        if (!granted.equals(holders)) {
            wrong.add(what);
        }
    }
}
