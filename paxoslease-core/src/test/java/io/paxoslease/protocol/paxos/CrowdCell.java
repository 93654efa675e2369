package io.paxoslease.protocol.paxos;

import io.paxoslease.protocol.AcquireRequest;
import io.paxoslease.protocol.AcquireRequest.WaitMode;
import io.paxoslease.protocol.Effect;
import io.paxoslease.protocol.Event;
import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.Message;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Quorum;
import io.paxoslease.protocol.Reading;
import io.paxoslease.protocol.Timing;
import io.paxoslease.testing.ArrayBytes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Three members and any number of clients, on one clock that jumps from event to event. Every message takes about a millisecond. */
final class CrowdCell {

    static final Duration LEASE = Duration.ofSeconds(10);
    static final String ROLE = "role";

    private static final long WALL = 1_700_000_000_000_000L;
    private static final long WAY_NANOS = 1_000_000;

    private record Entry(long at, long sequence, Runnable action) implements Comparable<Entry> {
        @Override
        public int compareTo(Entry other) {
            return at == other.at ? Long.compare(sequence, other.sequence) : Long.compare(at, other.at);
        }
    }

    private static final class Instance {
        private final Node node;
        private long wakesAt = Long.MAX_VALUE;
        private boolean crashed;

        Instance(Node node) {
            this.node = node;
        }
    }

    final Timing timing = new Timing(Duration.ofSeconds(15), 0.01);
    final List<NodeId> members = List.of(new NodeId("a"), new NodeId("b"), new NodeId("c"));
    private final Quorum quorum = new Quorum(members);
    private final Map<NodeId, Instance> instances = new LinkedHashMap<>();
    private final PriorityQueue<Entry> agenda = new PriorityQueue<>();
    private final SplittableRandom random = new SplittableRandom(7);
    private final List<Effect.Granted> grants = new ArrayList<>();
    private Consumer<NodeId> onGrant = node -> {};
    private @Nullable NodeId leader;
    private long grantedAt;
    private long nanos;
    private long sequence;
    private long requests;
    private long messages;
    private long proposals;

    CrowdCell() {
        members.forEach(this::start);
    }

    void start(NodeId id) {
        long serial = ++sequence;
        Node node = new Node(
                id,
                quorum,
                timing,
                null,
                () -> new Incarnation(serial, ++sequence),
                new SplittableRandom(serial),
                reading());
        instances.put(id, new Instance(node));
    }

    private Reading reading() {
        return new Reading(new Moment(nanos), WALL + nanos / 1_000);
    }

    private Instance instance(NodeId id) {
        return Objects.requireNonNull(instances.get(id));
    }

    void at(long when, Runnable action) {
        agenda.add(new Entry(when, sequence++, action));
    }

    void onGrant(Consumer<NodeId> listener) {
        onGrant = listener;
    }

    void acquire(NodeId id) {
        acquire(id, ROLE);
    }

    void acquire(NodeId id, String resource) {
        AcquireRequest request =
                new AcquireRequest(++requests, resource, LEASE.toNanos(), true, WaitMode.WAIT, (Moment) null);
        step(id, new Event.Acquire(request));
    }

    void giveUp() {
        NodeId holder = Objects.requireNonNull(leader);
        leader = null;
        step(holder, new Event.GiveUp(ROLE, grants.get(grants.size() - 1).token()));
    }

    /** Its connections break, as when a process ends. */
    void crashLeader() {
        NodeId gone = Objects.requireNonNull(leader);
        leader = null;
        instance(gone).crashed = true;
        members.forEach(member -> step(member, new Event.Unreachable(gone)));
    }

    /** The process is over, and nothing of it is left here. */
    void end(NodeId id, boolean gracefully) {
        if (id.equals(leader)) {
            leader = null;
        }
        if (gracefully) {
            step(id, new Event.Shutdown());
        }
        instances.remove(id);
        at(nanos + WAY_NANOS, () -> members.forEach(member -> step(member, new Event.Unreachable(id))));
    }

    private void step(NodeId id, Event event) {
        Instance instance = instances.get(id);
        if (instance == null || instance.crashed) {
            return;
        }
        for (Effect effect : instance.node.step(event, reading())) {
            if (effect instanceof Effect.Send send) {
                send(id, send.to(), send.message());
            } else if (effect instanceof Effect.Granted granted
                    && granted.resource().equals(ROLE)) {
                if (leader != null) {
                    throw new AssertionError(id + " is granted what " + leader + " holds");
                }
                grants.add(granted);
                leader = id;
                grantedAt = nanos;
                at(nanos, () -> onGrant.accept(id));
            }
        }
        Moment due = instance.node.nextDeadline();
        if (due != null && due.nanos() < instance.wakesAt) {
            instance.wakesAt = Math.max(nanos, due.nanos());
            at(instance.wakesAt, () -> wake(id));
        }
    }

    private void wake(NodeId id) {
        Instance instance = instances.get(id);
        if (instance != null && instance.wakesAt <= nanos) {
            instance.wakesAt = Long.MAX_VALUE;
            step(id, new Event.Woken());
        }
    }

    private void send(NodeId from, NodeId to, Message message) {
        messages++;
        proposals += message instanceof PaxosMessage.Propose || message instanceof PaxosMessage.Prepare ? 1 : 0;
        at(nanos + WAY_NANOS + random.nextLong(WAY_NANOS / 10), () -> step(to, new Event.Received(from, message)));
    }

    void pass(Duration time) {
        long end = nanos + time.toNanos();
        while (!agenda.isEmpty() && agenda.peek().at() <= end) {
            Entry next = agenda.remove();
            nanos = next.at();
            next.action().run();
        }
        nanos = end;
    }

    long nanos() {
        return nanos;
    }

    long messages() {
        return messages;
    }

    long proposals() {
        return proposals;
    }

    @Nullable
    NodeId leader() {
        return leader;
    }

    long grantedAt() {
        return grantedAt;
    }

    /** Of all that the members remember. */
    long bytesOfMembers() {
        return members.stream()
                .mapToLong(id -> ArrayBytes.of(instance(id).node))
                .sum();
    }

    /** When the last record of the leader's lease ends, at the members. */
    long exclusionEnds() {
        long last = 0;
        for (NodeId member : members) {
            AcceptorSlot slot = Objects.requireNonNull(new NodeProbe(instance(member).node).acceptor())
                    .live(ROLE, new Moment(nanos));
            last = slot == null ? last : Math.max(last, slot.deadline().nanos());
        }
        return last;
    }
}
