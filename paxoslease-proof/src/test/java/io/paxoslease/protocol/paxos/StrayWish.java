package io.paxoslease.protocol.paxos;

import io.paxoslease.protocol.Effect;
import io.paxoslease.protocol.Effect.Granted;
import io.paxoslease.protocol.Event;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.paxos.PaxosMessage.Wanted;
import io.paxoslease.protocol.paxos.ProtocolTestCell.InFlight;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;

/**
 * The word that others wait for a client's lease is late, and the client has acquired the lease again since, with no other that wants
 * it: does it let go of it?
 */
public final class StrayWish implements Supplier<List<String>> {

    /** @return what is wrong; nothing when all is well */
    @Override
    public List<String> get() {
        ProtocolTestCell cell = new ProtocolTestCell(3, 2, Duration.ofMillis(1_000));
        NodeId d = cell.id(3);
        NodeId e = cell.id(4);
        cell.pass(Duration.ofMillis(1));
        cell.acquire(d, "r", 300, true);
        cell.deliverAll();
        long request = cell.acquire(e, "r", 300, true);
        List<InFlight> asked = cell.hold(m -> m.from().equals(e));
        asked.forEach(m -> cell.step(m.to(), new Event.Received(m.from(), m.message())));
        List<InFlight> late = cell.hold(m -> m.message() instanceof Wanted);
        cell.deliverAll();
        cell.step(e, new Event.Withdraw("r", request));
        cell.step(d, new Event.GiveUp("r", cell.last(d, Granted.class).token()));
        cell.pass(Duration.ofMillis(5));
        cell.acquire(d, "r", 300, true);
        cell.deliverAll();
        long before = cell.all(d, Effect.Wanted.class).size();
        cell.network.addAll(late);
        cell.deliverAll();
        return cell.all(d, Effect.Wanted.class).size() > before
                ? List.of("d hears that others want the lease that it has now, and none does")
                : List.of();
    }
}
