package io.paxoslease.protocol.paxos;

import io.paxoslease.protocol.Effect;
import io.paxoslease.protocol.Effect.Granted;
import io.paxoslease.protocol.Effect.Send;
import io.paxoslease.protocol.Event;
import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Quorum;
import io.paxoslease.protocol.Reading;
import io.paxoslease.protocol.paxos.PaxosMessage.Accepted;
import io.paxoslease.protocol.paxos.PaxosMessage.Extend;
import io.paxoslease.protocol.paxos.PaxosMessage.Extension;
import io.paxoslease.protocol.paxos.PaxosMessage.Prepare;
import io.paxoslease.protocol.paxos.PaxosMessage.Propose;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Sees what a node says and hears, and that it holds nothing without the agreement of a majority of distinct acceptors,
 * each to the latest attempt and after it was made, and before the deadline (P1, P3). What the node's own acceptor says
 * stays inside the node; it counts as having agreed.
 */
final class HoldingWitness {

    private final NodeId self;
    private final Quorum quorum;
    private final Map<String, Round> rounds = new HashMap<>();
    /** What was to be extended, by attempt and by the number of the list. */
    private final Map<Long, List<String>> extensions = new HashMap<>();

    private final Map<Long, List<String>> lists = new HashMap<>();

    /** The latest attempt for one resource: an extension has only its incarnation in common with the answer. */
    private static final class Round {
        final Incarnation incarnation;
        final long attempt;
        final Reading began;
        final Set<NodeId> agreed = new HashSet<>();
        boolean proposed;
        long leaseNanos;

        Round(Incarnation incarnation, long attempt, Reading began) {
            this.incarnation = incarnation;
            this.attempt = attempt;
            this.began = began;
        }

        boolean is(Incarnation other, long number) {
            return proposed && incarnation.equals(other) && attempt == number;
        }
    }

    HoldingWitness(NodeId self, Quorum quorum) {
        this.self = self;
        this.quorum = quorum;
    }

    /** Called before the event is handled. */
    void hear(Event event) {
        if (event instanceof Event.Received received && quorum.contains(received.from())) {
            if (received.message() instanceof Accepted accepted) {
                agree(received.from(), accepted.resource(), accepted.ballot().incarnation(), accepted.attempt());
            } else if (received.message() instanceof PaxosMessage.Extended extended) {
                List<String> asked = extensions.getOrDefault(extended.attempt(), List.of());
                for (int i = 0; i < asked.size(); i++) {
                    if (!extended.missing().contains(i)) {
                        agree(received.from(), asked.get(i), extended.incarnation(), extended.attempt());
                    }
                }
            }
        }
    }

    private void agree(NodeId from, String resource, Incarnation incarnation, long attempt) {
        Round round = rounds.get(resource);
        if (round != null && round.is(incarnation, attempt)) {
            round.agreed.add(from);
        }
    }

    void see(Effect effect, Reading now) {
        if (effect instanceof Send send && send.message() instanceof Prepare m) {
            round(m.resource(), m.ballot().incarnation(), m.attempt(), now);
        } else if (effect instanceof Send send && send.message() instanceof Propose m) {
            propose(round(m.resource(), m.ballot().incarnation(), m.attempt(), now), m.leaseNanos());
        } else if (effect instanceof Send send && send.message() instanceof Extend m) {
            List<String> named = named(m);
            extensions.put(m.attempt(), named);
            for (String resource : named) {
                propose(round(resource, m.incarnation(), m.attempt(), now), m.leaseNanos());
            }
        } else if (effect instanceof Granted granted) {
            check(granted.resource(), granted.until(), now, effect);
        } else if (effect instanceof Effect.Extended extended) {
            check(extended.resource(), extended.until(), now, effect);
        }
    }

    /** A list that is sent by its number is the one that was sent under it. */
    private List<String> named(Extend extend) {
        if (extend.isByNumber()) {
            List<String> listed = lists.get(extend.batchId());
            if (listed == null) {
                throw new AssertionError("Names a list that it has never sent: " + extend);
            }
            return listed;
        }
        List<String> named =
                extend.extensions().stream().map(Extension::resource).toList();
        if (extend.batchId() != Extend.UNNUMBERED) {
            List<String> before = lists.put(extend.batchId(), named);
            if (before != null && !before.equals(named)) {
                throw new AssertionError("A list has changed since it was sent: " + extend);
            }
        }
        return named;
    }

    private Round round(String resource, Incarnation incarnation, long attempt, Reading now) {
        Round round = rounds.get(resource);
        if (round == null || round.attempt != attempt) {
            round = new Round(incarnation, attempt, now);
            rounds.put(resource, round);
        }
        return round;
    }

    private static void propose(Round round, long leaseNanos) {
        round.proposed = true;
        round.leaseNanos = leaseNanos;
    }

    private void check(String resource, Reading until, Reading now, Effect effect) {
        if (!now.moment().isBefore(until.moment())) {
            throw new AssertionError("Held although it is over: " + effect);
        }
        if (quorum.size() == 1 && quorum.contains(self)) {
            return;
        }
        Round round = rounds.get(resource);
        Set<NodeId> agreed = new HashSet<>(round == null ? Set.of() : round.agreed);
        if (quorum.contains(self)) {
            agreed.add(self);
        }
        if (round == null || agreed.size() < quorum.majority()) {
            throw new AssertionError("Held without a majority, by %s: %s".formatted(agreed, effect));
        }
        if (!now.moment().isBefore(round.began.plusNanos(round.leaseNanos).moment())) {
            throw new AssertionError("Held by an attempt that came too late: " + effect);
        }
    }
}
