package io.paxoslease.shell;

import io.paxoslease.protocol.Effect;
import io.paxoslease.protocol.Event;
import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.Message;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.paxos.PaxosMessage;
import io.paxoslease.shell.Recording.Belief;
import io.paxoslease.shell.Recording.Life;
import io.paxoslease.shell.Recording.Step;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** What the records of all nodes of a cell must show together. They share one clock, so their moments compare. */
public final class RecordRules {

    private static final Comparator<Moment> BY_TIME = (a, b) -> Long.signum(b.nanosUntil(a));

    private record Delivery(NodeId from, NodeId to, Message message) {}

    /** What an acceptor told others that it has recorded. */
    private record LiveRecord(Incarnation owner, long counter, Moment until) {}

    private final Recording recording;
    private final List<String> violations = new ArrayList<>();

    private RecordRules(Recording recording) {
        this.recording = recording;
    }

    /** Every rule that the record breaks, in words. */
    public static List<String> violations(Recording recording) {
        return new RecordRules(recording).check();
    }

    private List<String> check() {
        List<RecordedTenure> tenures = new ArrayList<>();
        recording.lives().forEach(life -> tenures.addAll(LifeRules.check(life, violations)));
        tenures.sort(Comparator.comparing(tenure -> tenure.granted, BY_TIME));
        tenures.stream()
                .collect(Collectors.groupingBy(tenure -> tenure.resource))
                .values()
                .forEach(this::checkOneResource);
        recording.lives().forEach(this::checkExclusion);
        checkDelivery();
        checkBeliefs(tenures);
        return List.copyOf(violations);
    }

    /** In the order of their grants: one ends before the next begins, and tokens grow. */
    private void checkOneResource(List<RecordedTenure> tenures) {
        for (int i = 1; i < tenures.size(); i++) {
            RecordedTenure earlier = tenures.get(i - 1);
            RecordedTenure later = tenures.get(i);
            if (later.granted.isBefore(earlier.end())) {
                violations.add("%s began while %s lasted".formatted(later, earlier));
            }
            if (later.token <= earlier.token) {
                violations.add("%s came after %s".formatted(later, earlier));
            }
        }
    }

    /** A2: nobody is told that the way is free while another's lease is live here. */
    private void checkExclusion(Life life) {
        Map<String, LiveRecord> records = new HashMap<>();
        for (Step step : life.steps()) {
            if (step.event() instanceof Event.Received received) {
                if (received.message() instanceof PaxosMessage.Release release) {
                    records.computeIfPresent(
                            release.resource(), (r, record) -> isReleased(record, release) ? null : record);
                }
                for (Effect effect : step.effects()) {
                    if (effect instanceof Effect.Send send && send.message() instanceof PaxosMessage.Reply reply) {
                        checkAgreement(life, step, received.message(), reply, records);
                    }
                }
            }
        }
    }

    private static boolean isReleased(LiveRecord record, PaxosMessage.Release release) {
        return record.owner().equals(release.incarnation()) && record.counter() <= release.upToCounter();
    }

    private void checkAgreement(
            Life life, Step step, Message asked, PaxosMessage.Reply reply, Map<String, LiveRecord> records) {
        if (!(reply instanceof PaxosMessage.Open) && !(reply instanceof PaxosMessage.Accepted)) {
            return;
        }
        Moment now = step.now().moment();
        Incarnation owner = reply.ballot().incarnation();
        LiveRecord last = records.get(reply.resource());
        LiveRecord live = last != null && now.isBefore(last.until()) ? last : null;
        if (live != null && !live.owner().equals(owner)) {
            violations.add("Acceptor %s agreed to %s while %s was live".formatted(life.node(), reply, live));
        }
        if (reply instanceof PaxosMessage.Accepted && asked instanceof PaxosMessage.Propose propose) {
            long exclusion = (long) (propose.leaseNanos()
                    * (1 + life.timing().drift())
                    / (1 - life.timing().drift()));
            Moment until = now.plusNanos(exclusion);
            Moment atLeast = live == null ? until : Moment.later(live.until(), until);
            records.put(reply.resource(), new LiveRecord(owner, reply.ballot().counter(), atLeast));
        }
    }

    /** What came in was sent before, by who is said to have sent it, and as often at least. */
    private void checkDelivery() {
        Map<Delivery, ArrayDeque<Moment>> sent = new HashMap<>();
        for (Life life : recording.lives()) {
            for (Step step : life.steps()) {
                for (Effect effect : step.effects()) {
                    if (effect instanceof Effect.Send send) {
                        sent.computeIfAbsent(
                                        new Delivery(life.node(), send.to(), send.message()), d -> new ArrayDeque<>())
                                .add(step.now().moment());
                    }
                }
            }
        }
        for (Life life : recording.lives()) {
            for (Step step : life.steps()) {
                if (step.event() instanceof Event.Received received) {
                    ArrayDeque<Moment> times = sent.get(new Delivery(received.from(), life.node(), received.message()));
                    Moment leftAt = times == null ? null : times.poll();
                    if (leftAt == null || !leftAt.isBefore(step.now().moment())) {
                        violations.add("Node %s received what was not sent: %s".formatted(life.node(), received));
                    }
                }
            }
        }
    }

    /** What users saw lies within a tenure of their node, and no two nodes' users saw the same resource held at once. */
    private void checkBeliefs(List<RecordedTenure> tenures) {
        Map<String, List<RecordedTenure>> byName =
                tenures.stream().collect(Collectors.groupingBy(RecordedTenure::toString));
        for (Belief belief : recording.beliefs()) {
            String name = RecordedTenure.name(belief.node(), belief.resource(), belief.token());
            boolean covered = byName.getOrDefault(name, List.of()).stream()
                    .anyMatch(tenure -> !belief.from().isBefore(tenure.granted)
                            && !tenure.end().isBefore(belief.to()));
            if (!covered) {
                violations.add("%s is not covered by a tenure: held too early, or too long".formatted(belief));
            }
        }
        recording.beliefs().stream()
                .sorted(Comparator.comparing(Belief::from, BY_TIME))
                .collect(Collectors.groupingBy(Belief::resource))
                .values()
                .forEach(this::checkBeliefsInOneResource);
    }

    private void checkBeliefsInOneResource(List<Belief> beliefs) {
        for (int i = 1; i < beliefs.size(); i++) {
            if (beliefs.get(i).from().isBefore(beliefs.get(i - 1).to())) {
                violations.add("%s while %s".formatted(beliefs.get(i), beliefs.get(i - 1)));
            }
        }
    }
}
