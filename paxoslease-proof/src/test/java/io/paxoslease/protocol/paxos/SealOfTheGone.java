package io.paxoslease.protocol.paxos;

import io.paxoslease.protocol.Generation;
import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Reading;
import io.paxoslease.protocol.Timing;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;

/**
 * R4: a member of the majority has been at the generation for long enough, goes back before anybody knows of a seal, serves its old list again, and
 * does not reach the node that asks. Does that node take the generation for sealed when the last member of the majority answers?
 */
public final class SealOfTheGone implements Supplier<List<String>> {

    private static final Duration MAX = Duration.ofSeconds(9);
    private static final long D_Q = new Timing(MAX, 0.10).quarantineNanos();
    private static final NodeId A = new NodeId("a");
    private static final NodeId B = new NodeId("b");
    private static final Incarnation BOOT = new Incarnation(1, 1);

    /** @return what is wrong; nothing when all is well */
    @Override
    public List<String> get() {
        List<String> grows = sealed(MAX.multipliedBy(4));
        return grows.isEmpty() ? sealed(MAX) : grows;
    }

    /** A member that goes back keeps the quarantine of the settings before, however long a lease may be after the change. */
    private static List<String> sealed(Duration after) {
        Seal seal = new Seal(
                new Generation(2, ChangingCell.list(after, "a", "b", "d"), ChangingCell.list(MAX, "a", "b", "c")));
        long age = seal.ageNanos();
        asked(seal, 0, A, B);
        asked(seal, age, A);
        // a is started with the list before, and serves again with c; b is reached again.
        asked(seal, age + D_Q, B);
        boolean tooEarly = seal.isAged(at(age + D_Q));
        asked(seal, age + D_Q + 1, A, B);
        return tooEarly
                ? List.of("it counts for sealed, and {a, c} can grant")
                : seal.isAged(at(age + D_Q + 1))
                        ? List.of()
                        : List.of("it is not sealed though a and b were there all the time");
    }

    private static Reading at(long nanos) {
        return new Reading(new Moment(nanos), nanos / 1_000);
    }

    private static void asked(Seal seal, long nanos, NodeId... members) {
        for (NodeId member : members) {
            seal.heard(member, BOOT, at(nanos), at(nanos));
        }
    }
}
