package io.paxoslease.protocol.paxos;

import io.paxoslease.protocol.Generation;
import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Reading;
import io.paxoslease.protocol.paxos.PaxosMessage.Standing;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * R4: the hypervisor pauses the machine of the node that asks, so that its monotonic clock stands still, and only its wall clock shows it. In the
 * meantime a member goes back and serves its old list again. Does the node take the generation for sealed by what that member has said before?
 */
public final class SealOfThePaused implements Supplier<List<String>> {

    /** Half of it is less than what the guard of the clocks does not notice, which is 0.2 s. */
    private static final Duration MAX = Duration.ofMillis(300);

    private static final NodeId A = new NodeId("a");
    private static final NodeId B = new NodeId("b");

    private final Generation second =
            new Generation(2, ChangingCell.list(MAX, "a", "b", "d"), ChangingCell.list(MAX, "a", "b", "c"));
    private final long age = second.timing(false).quarantineNanos();

    private static Reading at(long nanos, long pausedNanos) {
        return new Reading(new Moment(nanos), (nanos + pausedNanos) / 1_000);
    }

    private void answers(Generations d, long nonce, NodeId member, Reading now) {
        d.heard(member, new Standing(nonce, new Incarnation(1, 1), second, 0), now);
    }

    /** @return what is wrong; nothing when all is well */
    @Override
    public List<String> get() {
        List<String> wrong = new ArrayList<>();
        for (long paused :
                new long[] {age, MAX.toNanos() * 3 / 4}) { // too long for its question; for the answers before only
            wrong.addAll(pausedFor(paused));
        }
        return wrong;
    }

    private List<String> pausedFor(long paused) {
        Generations d = new Generations(second, () -> new Incarnation(9, 1), at(0, 0));
        long first = d.ask(at(0, 0)).nonce();
        answers(d, first, A, at(0, 0));
        answers(d, first, B, at(0, 0));
        long last = d.ask(at(age, 0)).nonce();
        answers(d, last, A, at(age, 0));
        // The machine stands still; a is started with the list before, and serves again with c if that lasts. Then the
        // answer of b is read.
        answers(d, last, B, at(age + 1, paused));
        if (d.sealed() == 2) {
            return List.of(
                    "it counts for sealed by what a has said before a pause of %d ms".formatted(paused / 1_000_000));
        }
        long fresh = d.ask(at(age + 2, paused)).nonce();
        answers(d, fresh, A, at(age + 2, paused));
        answers(d, fresh, B, at(age + 2, paused));
        return d.sealed() == 2 ? List.of() : List.of("it is not sealed though a and b were there all the time");
    }
}
