package io.paxoslease.protocol.paxos;

import io.paxoslease.protocol.Effect.Watched;
import io.paxoslease.protocol.Event;
import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.watch.WatchedResource.State;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * V3: one member of three has a record of a lease, which makes no holder. Is a client that watches told of a holder? Later the client hears this
 * member alone: does it count what it knows as current?
 */
public final class WatchedByOne implements Supplier<List<String>> {

    /** @return what is wrong; nothing when all is well */
    @Override
    public List<String> get() {
        ProtocolTestCell cell = new ProtocolTestCell(3, 1, Duration.ofSeconds(3));
        NodeId a = cell.id(0);
        NodeId b = cell.id(1);
        NodeId c = cell.id(2);
        NodeId client = cell.id(3);
        List<String> wrong = new ArrayList<>();
        PaxosMessage.Propose proposal = new PaxosMessage.Propose(
                "role:x", new Ballot(ProtocolTestCell.WALL + 1, new Incarnation(1, 1)), 2_000_000_000, 1);
        cell.step(a, new Event.Received(b, proposal)); // one acceptor has a record, which makes no holder
        cell.step(client, new Event.Watch("role:"));
        cell.pass(Duration.ofMillis(50));
        if (cell.all(client, Watched.class).stream()
                .anyMatch(told -> told.changes().stream().anyMatch(each -> each.state() == State.HELD))) {
            wrong.add("a holder is told of that one member names");
        }
        cell.step(client, new Event.Unreachable(b));
        cell.step(client, new Event.Unreachable(c));
        if (cell.last(client, Watched.class).current()) {
            wrong.add("what one member says counts as current");
        }
        return wrong;
    }
}
