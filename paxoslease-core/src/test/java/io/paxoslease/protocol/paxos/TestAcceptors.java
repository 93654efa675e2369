package io.paxoslease.protocol.paxos;

import io.paxoslease.protocol.ConfigurationGuard;
import io.paxoslease.protocol.Generation;
import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.MemberList;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Reading;
import io.paxoslease.protocol.Timing;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Acceptors by themselves, of a cell that has never changed. */
final class TestAcceptors {

    private static final NodeId SELF = new NodeId("a");

    private TestAcceptors() {}

    /** One to which every node is a member. */
    static Acceptor acceptor(Timing timing, @Nullable Moment quarantineEnd, Reading now) {
        return acceptor(timing, node -> true, quarantineEnd, now);
    }

    static Acceptor acceptor(Timing timing, Predicate<NodeId> isMember, @Nullable Moment quarantineEnd, Reading now) {
        return acceptor(timing, isMember, quarantineEnd, AcceptorMemory.UNBOUNDED, now);
    }

    /** One that remembers what fits into so much of a heap. */
    static Acceptor acceptor(
            Timing timing, Predicate<NodeId> isMember, @Nullable Moment quarantineEnd, long heapBytes, Reading now) {
        MemberList members = new MemberList(List.of(SELF), timing.maxLeaseTime(), timing.drift());
        Generations generations = new Generations(Generation.first(members), () -> new Incarnation(3, 3), now);
        return new Acceptor(
                generations,
                isMember,
                quarantineEnd,
                ConfigurationGuard.none(SELF),
                AcceptorMemory.of(heapBytes),
                1,
                now);
    }
}
