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
import java.util.stream.Stream;

/**
 * R4: a question reaches an acceptor late, after it has moved; or an answer arrives late, after the acceptor has gone back. Either takes nearly the
 * longest lease. Does the seal come while the old list can still grant, or while a lease of it lasts?
 */
public final class SealOfTheLate implements Supplier<List<String>> {

    private static final Duration MAX = Duration.ofSeconds(9);
    private static final long M = MAX.toNanos();
    private static final long D_Q = new Timing(MAX, 0.10).quarantineNanos();
    private static final NodeId A = new NodeId("a");
    private static final NodeId B = new NodeId("b");
    private static final Incarnation BOOT = new Incarnation(1, 1);

    /** @return what is wrong; nothing when all is well */
    @Override
    public List<String> get() {
        return Stream.concat(question().stream(), answer().stream()).toList();
    }

    private static Reading at(long nanos) {
        return new Reading(new Moment(nanos), nanos / 1_000);
    }

    private static Seal newSeal() {
        return new Seal(
                new Generation(2, ChangingCell.list(MAX, "a", "b", "d"), ChangingCell.list(MAX, "a", "b", "c")));
    }

    /** Until just before M, a grants leases with c alone; then it moves while it runs, and the question arrives. */
    private static List<String> question() {
        Seal seal = newSeal();
        seal.heard(B, BOOT, at(0), at(0));
        seal.heard(A, BOOT, at(0), at(M - 1));
        asked(seal, D_Q, A, B);
        boolean tooEarly = seal.isAged(at(D_Q));
        asked(seal, D_Q + M - 1, A, B);
        return tooEarly
                ? List.of("it counts as sealed, and what a has granted with c lasts")
                : isSealed(seal, D_Q + M - 1);
    }

    /** A has answered, and is started with the list before. When its answer counts no more, it serves again with c. */
    private static List<String> answer() {
        Seal seal = newSeal();
        asked(seal, 0, A, B);
        long askedAt = D_Q - M + 1;
        seal.heard(A, BOOT, at(askedAt), at(D_Q));
        long servesAgain = askedAt + D_Q;
        asked(seal, servesAgain, B);
        boolean tooEarly = seal.isAged(at(servesAgain));
        asked(seal, servesAgain + 1, A, B);
        return tooEarly ? List.of("it counts as sealed, and {a, c} can grant") : isSealed(seal, servesAgain + 1);
    }

    private static List<String> isSealed(Seal seal, long nanos) {
        return seal.isAged(at(nanos)) ? List.of() : List.of("it is not sealed though a and b were there");
    }

    private static void asked(Seal seal, long nanos, NodeId... members) {
        for (NodeId member : members) {
            seal.heard(member, BOOT, at(nanos), at(nanos));
        }
    }
}
