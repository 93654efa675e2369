package io.paxoslease.protocol.paxos;

import io.paxoslease.protocol.Generation;
import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.MemberList;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Reading;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;

/**
 * R2: the bound on the clocks becomes wider, and one member is not restarted. It grants together with the others as soon as it has heard of the next
 * generation from any node, before the seal and after it.
 * Does it exclude others for as long as the holder may believe, on the clocks that the next generation allows?
 */
public final class DriftOfTheNext implements Supplier<List<String>> {

    private static final Duration MAX = Duration.ofSeconds(9);
    private static final double WIDER = 0.2;
    private static final long LEASE = Duration.ofSeconds(3).toNanos();

    /** @return what is wrong; nothing when all is well */
    @Override
    public List<String> get() {
        MemberList before = ChangingCell.list(MAX, "a", "b", "c");
        Generation next = new Generation(2, new MemberList(before.members(), MAX, WIDER), before);
        Reading now = new Reading(new Moment(0), 0);
        Generations c = new Generations(Generation.first(before), () -> new Incarnation(1, 1), now);
        for (int sealed : new int[] {-1, 0, 2}) {
            List<String> tell = sealed < 0 ? List.of("d") : List.of("a", "b"); // d is no member: as of one that is new
            tell.forEach(member -> c.met(new NodeId(member), next, sealed));
            c.changeMode(now);
            double believedNanos = LEASE / (1 - WIDER);
            double excludedNanos = c.exclusionNanos(LEASE) / (1 + WIDER);
            if (excludedNanos < believedNanos) {
                return List.of("the holder believes for %.0f ms, and c excludes others for %.0f ms"
                        .formatted(believedNanos / 1e6, excludedNanos / 1e6));
            }
        }
        return List.of();
    }
}
