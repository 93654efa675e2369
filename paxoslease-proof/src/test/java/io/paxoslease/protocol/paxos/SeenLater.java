package io.paxoslease.protocol.paxos;

import io.paxoslease.protocol.ConfigurationGuard;
import io.paxoslease.protocol.Effect;
import io.paxoslease.protocol.Event;
import io.paxoslease.protocol.Generation;
import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Reading;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Supplier;

/** A0: member b serves when it hears that member a was connected to another process of b after its own had started. */
public final class SeenLater implements Supplier<List<String>> {

    private static final NodeId A = new NodeId("a");
    private static final NodeId B = new NodeId("b");
    private static final NodeId C = new NodeId("c");
    private static final Duration MAX = Duration.ofSeconds(3);
    private static final long SECOND = 1_000_000_000L;
    private static final long WALL = 1_700_000_000_000_000L;

    private final Generation generation = Generation.first(ChangingCell.list(MAX, "a", "b", "c"));
    private final long quarantine = generation.timing(false).quarantineNanos();
    private final List<String> wrong = new ArrayList<>();
    private long nanos;
    private Node b = newNode();

    /** @return what is wrong; nothing when all is well */
    @Override
    public List<String> get() {
        whatTheOtherProcessGrantedIsOver();
        whatThisProcessGrantedIsOver();
        whoIsNoMemberIsNotBelieved();
        return wrong;
    }

    private void whatTheOtherProcessGrantedIsOver() {
        b = newNode();
        nanos += quarantine;
        expect(true, propose(C), "it does not serve after its quarantine");
        b.step(new Event.OtherLife(A, 0), now());
        nanos += quarantine - 1;
        expect(false, propose(C), "it answers while a lease of the other process may be held");
        nanos += 1;
        expect(true, propose(C), "it does not serve after the second quarantine");
    }

    /** The other process was seen so long ago that its leases are over soon, before a lease that this one has granted. */
    private void whatThisProcessGrantedIsOver() {
        b = newNode();
        nanos += quarantine;
        expect(true, propose(C), "it does not serve after its quarantine");
        b.step(new Event.OtherLife(A, quarantine), now());
        nanos += SECOND;
        expect(false, propose(A), "it gives what it has granted itself to another");
    }

    /** As one that introduces itself as a member of a generation that it has made up. */
    private void whoIsNoMemberIsNotBelieved() {
        b = newNode();
        nanos += quarantine;
        expect(true, propose(C), "it does not serve after its quarantine");
        b.step(new Event.OtherLife(new NodeId("stranger"), 0), now());
        nanos += 2 * SECOND;
        expect(true, propose(C), "a stranger has silenced it");
    }

    private void expect(boolean accepted, boolean found, String otherwise) {
        if (accepted != found) {
            wrong.add(otherwise);
        }
    }

    private Node newNode() {
        return new Node(
                B,
                generation,
                new Moment(nanos + quarantine),
                ConfigurationGuard.none(B),
                false,
                () -> new Incarnation(7, nanos),
                new SplittableRandom(1),
                now());
    }

    private Reading now() {
        return new Reading(new Moment(nanos), WALL + nanos / 1_000);
    }

    private boolean propose(NodeId from) {
        Ballot ballot =
                new Ballot(WALL + nanos / 1_000 + 1, new Incarnation(from.name().charAt(0), 1));
        PaxosMessage.Propose propose =
                new PaxosMessage.Propose("r", ballot, MAX.toNanos(), nanos, PaxosMessage.QueueMode.NONE, 0, 0);
        return b.step(new Event.Received(from, propose), now()).stream()
                .anyMatch(effect ->
                        effect instanceof Effect.Send send && send.message() instanceof PaxosMessage.Accepted);
    }
}
