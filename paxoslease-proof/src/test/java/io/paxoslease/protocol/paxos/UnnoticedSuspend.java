package io.paxoslease.protocol.paxos;

import io.paxoslease.protocol.Effect.Extended;
import io.paxoslease.protocol.Effect.Granted;
import io.paxoslease.protocol.Event;
import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.paxos.PaxosMessage.Release;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;

/**
 * A suspend that is too short to be noticed, but longer than what was left of the lease: in the meantime another holds it and
 * releases it. Does the first go on under its old token, which is the smaller one?
 */
public final class UnnoticedSuspend implements Supplier<List<String>> {

    /** @return what is wrong; nothing when all is well */
    @Override
    public List<String> get() {
        ProtocolTestCell cell = new ProtocolTestCell(3, Duration.ofMillis(1_000));
        NodeId a = cell.id(0);
        NodeId b = cell.id(1);
        NodeId c = cell.id(2);
        cell.pass(Duration.ofMillis(1));
        cell.acquire(a, "r", 600, true);
        cell.deliverAll();
        Granted first = cell.last(a, Granted.class);
        // For b and c the time of a's lease passes; a's monotonic clock stands still.
        Incarnation incarnation = cell.node(a).view(cell.now(a)).incarnation();
        Release expired = new Release("r", incarnation, first.token());
        cell.step(b, new Event.Received(a, expired));
        cell.step(c, new Event.Received(a, expired));
        cell.pass(Duration.ofMillis(5));
        cell.acquire(b, "r", 600, true);
        cell.deliverAll();
        Granted second = cell.last(b, Granted.class);
        cell.step(b, new Event.GiveUp("r", second.token()));
        cell.deliverAll();
        cell.jump(Duration.ofMillis(450));
        cell.wallOffsetMicros.put(a, 200_000L);
        cell.step(a, new Event.Woken());
        cell.deliverAll();
        cell.pass(Duration.ofMillis(30)); // renewals are gathered
        cell.deliverAll();
        return cell.all(a, Extended.class).isEmpty()
                ? List.of()
                : List.of("the token went from %d at b to %d at a".formatted(second.token(), first.token()));
    }
}
