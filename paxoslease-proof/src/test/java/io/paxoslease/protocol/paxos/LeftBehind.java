package io.paxoslease.protocol.paxos;

import io.paxoslease.protocol.Effect.Extended;
import io.paxoslease.protocol.Effect.Granted;
import io.paxoslease.protocol.Event;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.paxos.PaxosMessage.Propose;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;

/**
 * Two leases are extended together; the holder asks for more time for one of them, and those messages are lost. The other goes on. Does
 * the one go on with it, though nobody has agreed to that?
 */
public final class LeftBehind implements Supplier<List<String>> {

    private static final Duration LEASE = Duration.ofMillis(300);

    /** @return what is wrong; nothing when all is well */
    @Override
    public List<String> get() {
        ProtocolTestCell cell = new ProtocolTestCell(3, Duration.ofMillis(1_000));
        NodeId a = cell.id(0);
        NodeId b = cell.id(1);
        cell.pass(Duration.ofMillis(1));
        cell.acquire(a, "stays", LEASE.toMillis(), true);
        cell.acquire(a, "leaves", LEASE.toMillis(), true);
        cell.deliverAll();
        cell.pass(LEASE);
        Granted granted = cell.last(a, Granted.class);
        cell.step(a, new Event.Renew("leaves", granted.token(), LEASE.toNanos(), 77));
        cell.acquire(b, "leaves", LEASE.toMillis(), true);
        for (int millis = 0; cell.all(b, Granted.class).isEmpty(); millis++) {
            if (millis > 3 * LEASE.toMillis()) {
                return List.of("b waits in vain");
            }
            cell.pass(Duration.ofMillis(1), m -> !(m.from().equals(a) && m.message() instanceof Propose));
        }
        Moment until = cell.all(a, Extended.class).stream()
                .filter(extended -> extended.resource().equals("leaves"))
                .reduce((earlier, later) -> later)
                .orElseThrow()
                .until()
                .moment();
        return cell.now(b).moment().isBefore(until)
                ? List.of("at %s, b is granted what a holds until %s"
                        .formatted(cell.now(b).moment(), until))
                : List.of();
    }
}
