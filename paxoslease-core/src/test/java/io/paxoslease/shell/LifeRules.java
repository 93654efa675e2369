package io.paxoslease.shell;

import io.paxoslease.protocol.Effect;
import io.paxoslease.protocol.Event;
import io.paxoslease.protocol.Message;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Reading;
import io.paxoslease.protocol.paxos.Ballot;
import io.paxoslease.protocol.paxos.OneByOne;
import io.paxoslease.protocol.paxos.PaxosMessage;
import io.paxoslease.shell.Recording.Life;
import io.paxoslease.shell.Recording.Step;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What one node's record must show by itself. The rules are written down here a second time, from section 5, on purpose:
 * nothing of the node's own bookkeeping is used.
 */
final class LifeRules {

    /** What a proposer said in one attempt for one resource, and who agreed. */
    private static final class Round {
        final Reading begun;
        final Set<NodeId> open = new HashSet<>();
        final Set<NodeId> accepted = new HashSet<>();

        @Nullable
        Ballot ballot;

        long leaseNanos;
        boolean proposed;
        boolean prepared;

        Round(Reading begun) {
            this.begun = begun;
        }
    }

    private final Life life;
    private final List<String> violations;
    private final Map<Long, Round> rounds = new HashMap<>();
    /** What each attempt to extend names, in the order of its list, and what each numbered list named. */
    private final Map<Long, Map<String, Round>> extensions = new HashMap<>();

    private final Map<Long, List<String>> lists = new HashMap<>();
    /** Proposals that came in, and may be answered later. */
    private final Map<NodeId, Set<PaxosMessage.Propose>> kept = new HashMap<>();

    private final Map<String, Round> acquires = new HashMap<>();
    private final Map<String, List<Round>> renewals = new HashMap<>();
    private final Map<String, RecordedTenure> current = new HashMap<>();
    private final List<RecordedTenure> tenures = new ArrayList<>();
    private Moment before;

    private LifeRules(Life life, List<String> violations) {
        this.life = life;
        this.violations = violations;
        this.before = life.start().moment();
    }

    /** The node's tenures; adds what is wrong to the violations. */
    static List<RecordedTenure> check(Life life, List<String> violations) {
        LifeRules rules = new LifeRules(life, violations);
        life.steps().forEach(rules::check);
        return rules.tenures;
    }

    private void check(Step step) {
        if (step.now().moment().isBefore(before)) {
            wrong(step, "was handled before the step that came before it");
        }
        before = step.now().moment();
        onEvent(step);
        for (Effect effect : OneByOne.of(step.effects())) {
            if (effect instanceof Effect.Send send) {
                onSend(step, send);
            } else if (effect instanceof Effect.Granted granted) {
                onGranted(step, granted);
            } else if (effect instanceof Effect.Extended extended) {
                onExtended(step, extended);
            } else if (effect instanceof Effect.Lost lost) {
                end(lost.resource(), lost.token(), step);
            }
        }
    }

    private void onEvent(Step step) {
        if (step.event() instanceof Event.Received received) {
            onReceived(received);
        } else if (step.event() instanceof Event.GiveUp giveUp) {
            end(giveUp.resource(), giveUp.token(), step);
        } else if (step.event() instanceof Event.Shutdown) {
            List.copyOf(current.values()).forEach(tenure -> end(tenure.resource, tenure.token, step));
        }
    }

    private void onReceived(Event.Received received) {
        if (received.message() instanceof PaxosMessage.Reply reply) {
            Round round = rounds.get(reply.attempt());
            if (round != null && reply.ballot().equals(round.ballot)) {
                if (reply instanceof PaxosMessage.Open) {
                    round.open.add(received.from());
                } else if (reply instanceof PaxosMessage.Accepted && round.proposed) {
                    round.accepted.add(received.from());
                }
            }
        } else if (received.message() instanceof PaxosMessage.Extended extended) {
            int position = 0;
            for (Round round :
                    extensions.getOrDefault(extended.attempt(), Map.of()).values()) {
                if (!extended.missing().contains(position++)) {
                    round.accepted.add(received.from());
                }
            }
        } else if (received.message() instanceof PaxosMessage.Propose propose
                && propose.queueMode() != PaxosMessage.QueueMode.NONE) {
            kept.computeIfAbsent(received.from(), n -> new HashSet<>()).add(propose);
        }
    }

    private void onSend(Step step, Effect.Send send) {
        Message message = send.message();
        if (message instanceof PaxosMessage.Prepare prepare) {
            Round round = rounds.computeIfAbsent(prepare.attempt(), a -> new Round(step.now()));
            round.ballot = prepare.ballot();
            round.prepared = true;
            acquires.put(name(prepare.resource(), prepare.ballot().counter()), round);
        } else if (message instanceof PaxosMessage.Propose propose) {
            onPropose(step, propose);
        } else if (message instanceof PaxosMessage.Extend extend) {
            onExtend(step, extend);
        } else if (message instanceof PaxosMessage.Release release && current.containsKey(release.resource())) {
            wrong(step, "lets a release leave while the node holds " + release.resource());
        } else if (message instanceof PaxosMessage.Reply
                || message instanceof PaxosMessage.Extended
                || message instanceof PaxosMessage.UnknownBatch) {
            onAnswer(step, send);
        }
    }

    private void onPropose(Step step, PaxosMessage.Propose propose) {
        Round round = rounds.computeIfAbsent(propose.attempt(), a -> new Round(step.now()));
        if (round.prepared && !round.proposed && !isMajority(round.open, step.now())) {
            wrong(step, "proposes though only " + round.open + " said that nothing is in the way");
        }
        round.ballot = propose.ballot();
        round.leaseNanos = propose.leaseNanos();
        round.proposed = true;
        if (!round.prepared) { // to acquire in one round, or to renew
            acquires.put(name(propose.resource(), propose.ballot().counter()), round);
            renews(propose.resource(), round);
        }
    }

    private void onExtend(Step step, PaxosMessage.Extend extend) {
        List<String> named = extend.extensions().stream()
                .map(PaxosMessage.Extension::resource)
                .toList();
        if (extend.isByNumber()) {
            named = lists.getOrDefault(extend.batchId(), List.of());
        } else if (extend.batchId() != PaxosMessage.Extend.UNNUMBERED) {
            List<String> before = lists.put(extend.batchId(), named);
            if (before != null && !before.equals(named)) {
                wrong(step, "changes a list that it has sent: " + extend);
            }
        }
        if (named.isEmpty()) {
            wrong(step, "extends nothing, or a list that it has never sent: " + extend);
        }
        Map<String, Round> all = extensions.computeIfAbsent(extend.attempt(), a -> new LinkedHashMap<>());
        for (String resource : named) {
            all.computeIfAbsent(resource, r -> {
                Round round = new Round(step.now());
                round.leaseNanos = extend.leaseNanos();
                renews(resource, round);
                return round;
            });
        }
    }

    private String name(String resource, long token) {
        return RecordedTenure.name(life.node(), resource, token);
    }

    private void renews(String resource, Round round) {
        renewals.computeIfAbsent(resource, r -> new ArrayList<>()).add(round);
    }

    /** An answer goes to who asked, in the step that heard the question unless that was kept, and repeats what names it. */
    private void onAnswer(Step step, Effect.Send send) {
        if (send.message() instanceof PaxosMessage.InUse told && told.isOfRecord()) {
            onRecordInTheWay(step, send.to(), told);
            return;
        }
        boolean echo = send.message() instanceof PaxosMessage.Reply reply
                && !(reply instanceof PaxosMessage.Open)
                && kept.getOrDefault(send.to(), Set.of()).stream()
                        .anyMatch(ask -> isEcho(reply, ask.resource(), ask.ballot(), ask.attempt()));
        if (step.event() instanceof Event.Received asked && asked.from().equals(send.to())) {
            if (send.message() instanceof PaxosMessage.Extended extended
                    && asked.message() instanceof PaxosMessage.Extend ask) {
                echo = extended.attempt() == ask.attempt()
                        && extended.incarnation().equals(ask.incarnation());
            } else if (send.message() instanceof PaxosMessage.UnknownBatch unknown
                    && asked.message() instanceof PaxosMessage.Extend ask) {
                echo = ask.isByNumber()
                        && unknown.attempt() == ask.attempt()
                        && unknown.incarnation().equals(ask.incarnation());
            } else if (send.message() instanceof PaxosMessage.Reply reply
                    && asked.message() instanceof PaxosMessage.Prepare ask) {
                echo = !(reply instanceof PaxosMessage.Accepted)
                        && isEcho(reply, ask.resource(), ask.ballot(), ask.attempt());
            } else if (send.message() instanceof PaxosMessage.Reply reply
                    && asked.message() instanceof PaxosMessage.Propose ask) {
                echo |= !(reply instanceof PaxosMessage.Open)
                        && isEcho(reply, ask.resource(), ask.ballot(), ask.attempt());
            }
        }
        if (!echo) {
            wrong(step, "answers " + send + ", which is not what was asked");
        }
    }

    /** Q13: a renewal, of another or the node's own, has met the record of who is told. */
    private void onRecordInTheWay(Step step, NodeId owner, PaxosMessage.InUse told) {
        boolean isMet = step.event() instanceof Event.Received asked
                && !asked.from().equals(owner)
                && isRenewalBehind(asked.message(), told);
        boolean isMetHere = !owner.equals(life.node())
                && current.containsKey(told.resource())
                && step.effects().stream()
                        .anyMatch(
                                effect -> effect instanceof Effect.Send sent && isRenewalBehind(sent.message(), told));
        if (!isMet && !isMetHere) {
            wrong(step, "tells " + owner + " that " + told + ", and no renewal has met its record");
        }
    }

    private static boolean isRenewalBehind(Message message, PaxosMessage.InUse told) {
        return message instanceof PaxosMessage.Propose propose
                && propose.queueMode() == PaxosMessage.QueueMode.NONE
                && propose.resource().equals(told.resource())
                && !propose.ballot().incarnation().equals(told.ballot().incarnation());
    }

    private static boolean isEcho(PaxosMessage.Reply reply, String resource, Ballot ballot, long attempt) {
        return reply.resource().equals(resource) && reply.ballot().equals(ballot) && reply.attempt() == attempt;
    }

    /** P3: the deadline counts from before the first message, and a majority of distinct acceptors recorded the lease. */
    private void onGranted(Step step, Effect.Granted granted) {
        RecordedTenure tenure = new RecordedTenure(
                life.node(), granted.resource(), granted.token(), step.now().moment(), granted.until());
        Round round = acquires.get(name(granted.resource(), granted.token()));
        if (round == null || !carries(round, granted.until(), Long.MIN_VALUE, step.now())) {
            wrong(step, "grants " + tenure + " without a majority, or for longer than it asked for");
        }
        if (current.put(granted.resource(), tenure) != null) {
            wrong(step, "grants " + granted.resource() + " twice");
        }
        tenures.add(tenure);
        renewals.remove(granted.resource());
    }

    private void onExtended(Step step, Effect.Extended extended) {
        RecordedTenure tenure = current.get(extended.resource());
        if (tenure == null || tenure.token != extended.token()) {
            wrong(step, "extends what it does not hold");
            return;
        }
        boolean carried = extended.until().equals(tenure.until)
                || renewals.getOrDefault(extended.resource(), List.of()).stream()
                        .anyMatch(round -> carries(round, extended.until(), tenure.until.wallMicros(), step.now()));
        if (!carried) {
            wrong(step, "extends " + tenure + " without a majority, or for longer than it asked for");
        }
        tenure.until = extended.until();
    }

    /** Each clock's deadline counts separately, and a wall clock that was set back does not shorten the older one. */
    private boolean carries(Round round, Reading until, long earlierWallMicros, Reading now) {
        Reading asked = round.begun.plusNanos(round.leaseNanos);
        return until.moment().equals(asked.moment())
                && until.wallMicros() <= Math.max(asked.wallMicros(), earlierWallMicros)
                && isMajority(round.accepted, now);
    }

    /** The others' votes are on record; the own acceptor's is not, and counts once unless it was silent. */
    private boolean isMajority(Set<NodeId> others, Reading now) {
        Moment silentUntil = life.quarantineEnd();
        boolean own = silentUntil == null || !now.moment().isBefore(silentUntil);
        Set<NodeId> voters = new HashSet<>(others);
        voters.retainAll(life.members());
        voters.remove(life.node());
        return 2 * (voters.size() + (own ? 1 : 0)) > life.members().size();
    }

    private void end(String resource, long token, Step step) {
        RecordedTenure tenure = current.get(resource);
        if (tenure != null && tenure.token == token) {
            tenure.ended = step.now().moment();
            current.remove(resource);
        }
    }

    private void wrong(Step step, String what) {
        violations.add("Node %s, at %s, %s: %s".formatted(life.node(), step.now(), step.event(), what));
    }
}
