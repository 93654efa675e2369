package io.paxoslease.protocol.paxos;

import io.paxoslease.protocol.Effect.Extended;
import io.paxoslease.protocol.Effect.Granted;
import io.paxoslease.protocol.Effect.Lost;
import io.paxoslease.protocol.Event;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.paxos.PaxosMessage.Extend;
import io.paxoslease.protocol.paxos.ProtocolTestCell.InFlight;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;

/**
 * A lease becomes due while the round that renews another is under way, and then nothing of it leaves its holder any more. Is it
 * extended by a round in which nobody was asked about it?
 */
public final class JoinsTheRound implements Supplier<List<String>> {

    private static final Duration LEASE = Duration.ofMillis(300);

    /** @return what is wrong; nothing when all is well */
    @Override
    public List<String> get() {
        ProtocolTestCell cell = new ProtocolTestCell(3, Duration.ofMillis(1_000));
        NodeId a = cell.id(0);
        NodeId b = cell.id(1);
        cell.pass(Duration.ofMillis(1));
        cell.acquire(a, "first", LEASE.toMillis(), true);
        cell.deliverAll();
        cell.pass(Duration.ofMillis(14)); // too late to go with the first
        cell.acquire(a, "second", LEASE.toMillis(), true);
        cell.deliverAll();
        wakeAfter(cell, 87);
        wakeAfter(cell, 13);
        List<InFlight> asked = cell.hold(m -> m.message() instanceof Extend);
        if (asked.size() != 2) {
            return List.of("there is no round to join, but " + asked);
        }
        wakeAfter(cell, 1); // now the second is due
        asked.forEach(m -> cell.step(m.to(), new Event.Received(a, m.message())));
        cell.deliver(m -> m.to().equals(a));
        cell.acquire(b, "second", LEASE.toMillis(), true);
        while (cell.all(b, Granted.class).isEmpty() && cell.nanos() < 3 * LEASE.toNanos()) {
            cell.pass(Duration.ofMillis(1), m -> !m.from().equals(a));
        }
        boolean lost =
                cell.all(a, Lost.class).stream().anyMatch(l -> l.resource().equals("second"));
        boolean extended =
                cell.all(a, Extended.class).stream().anyMatch(e -> e.resource().equals("second"));
        if (cell.all(b, Granted.class).isEmpty() || cell.all(a, Extended.class).isEmpty()) {
            return List.of("b waits in vain, or the round has extended nothing");
        }
        return extended || !lost
                ? List.of("at %s, b is granted what a holds; a has extended %s"
                        .formatted(cell.now(b).moment(), cell.all(a, Extended.class)))
                : List.of();
    }

    private static void wakeAfter(ProtocolTestCell cell, long millis) {
        cell.jump(Duration.ofMillis(millis));
        cell.step(cell.id(0), new Event.Woken());
    }
}
