package io.paxoslease.protocol.paxos;

import io.paxoslease.protocol.AcquireRequest;
import io.paxoslease.protocol.AcquireRequest.WaitMode;
import io.paxoslease.protocol.Effect.Granted;
import io.paxoslease.protocol.Event;
import io.paxoslease.protocol.LeaseView;
import io.paxoslease.protocol.NodeId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** X1, X2: a note gives nothing to another node that writes the same, and it ends with its record. */
public final class HoldersNote implements Supplier<List<String>> {

    private final ProtocolTestCell cell = new ProtocolTestCell(3, 1, Duration.ofMillis(1_000));
    private final NodeId a = cell.id(0);
    private final NodeId b = cell.id(1);
    private final NodeId c = cell.id(2);
    private final NodeId d = cell.id(3);

    /** @return what is wrong; nothing when all is well */
    @Override
    public List<String> get() {
        List<String> wrong = new ArrayList<>();
        acquire(a, 1, "url=http://leader");
        cell.pass(Duration.ofMillis(50));
        acquire(d, 2, "url=http://leader");
        cell.pass(Duration.ofMillis(400));
        if (!cell.all(d, Granted.class).isEmpty()) {
            wrong.add("d has the lease that a holds, because it wrote the same note");
        }
        cell.step(d, new Event.Withdraw("r", 2));
        acquire(b, 3, "");
        cell.pass(
                Duration.ofMillis(3_000),
                message -> !message.from().equals(a) && !message.to().equals(a));
        LeaseView known = cell.node(c).view("r", cell.now(c));
        if (known == null || !b.equals(known.owner()) || !known.note().isEmpty()) {
            wrong.add("c is to know that b holds it, without a note, and knows " + known);
        }
        return wrong;
    }

    private void acquire(NodeId node, long id, String note) {
        cell.step(
                node,
                new Event.Acquire(new AcquireRequest(id, "r", 300_000_000, true, WaitMode.WAIT, null, false, note, 0)));
    }
}
