package io.paxoslease.protocol.paxos;

import io.paxoslease.protocol.AcquireRequest;
import io.paxoslease.protocol.AcquireRequest.WaitMode;
import io.paxoslease.protocol.ConfigurationGuard;
import io.paxoslease.protocol.Effect;
import io.paxoslease.protocol.Event;
import io.paxoslease.protocol.Generation;
import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.MemberList;
import io.paxoslease.protocol.Message;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Reading;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A cell whose members change: nodes are started with a generation, meet all others that run, and messages arrive at once. */
final class ChangingCell {

    private static final long WALL = 1_700_000_000_000_000L;
    private static final String RESOURCE = "r";

    private record InFlight(NodeId from, NodeId to, Message message, long arrivesAt) {}

    private final Map<NodeId, Node> nodes = new LinkedHashMap<>();
    private final ArrayDeque<InFlight> network = new ArrayDeque<>();
    private final Map<NodeId, Reading> heldUntil = new LinkedHashMap<>();
    private final Map<NodeId, Long> tokens = new HashMap<>();
    private final List<Long> granted = new ArrayList<>();
    private final List<String> notices = new ArrayList<>();
    private final List<Message> undelivered = new ArrayList<>();
    private int refusals;
    private int losses;
    private int ownGrants;
    private long ownExtensions;
    /** Null: everybody with everybody. */
    private @Nullable Set<String> connected;

    private @Nullable NodeId watched;
    private Consumer<Message> onSend = message -> {};

    private long nanos;
    private long delayNanos;
    private long requests;
    private long incarnations;

    static MemberList list(Duration maxLeaseTime, String... ids) {
        return new MemberList(Stream.of(ids).map(NodeId::new).toList(), maxLeaseTime, 0.10);
    }

    Reading now() {
        return new Reading(new Moment(nanos), WALL + nanos / 1_000);
    }

    /** A process starts, in the place of the one before: it remembers nothing, and its acceptor is quarantined. */
    void start(String name, Generation generation) {
        start(name, generation, ConfigurationGuard.none(new NodeId(name)));
    }

    /** The same, where it may meet other configurations. */
    void start(String name, Generation generation, ConfigurationGuard guard) {
        NodeId id = new NodeId(name);
        stop(name);
        Moment end = new Moment(nanos).plusNanos(generation.timing(false).quarantineNanos());
        Node node = new Node(
                id,
                generation,
                end,
                guard,
                false,
                () -> new Incarnation(7, ++incarnations),
                new SplittableRandom(nanos),
                now());
        nodes.put(id, node);
        for (NodeId other : List.copyOf(nodes.keySet())) {
            if (!other.equals(id) && isConnected(id, other)) {
                meet(id, other);
                meet(other, id);
            }
        }
    }

    private void meet(NodeId one, NodeId other) {
        Node its = node(other.name());
        step(one, new Event.GenerationMet(other, its.generation(), its.sealedGeneration()));
        step(one, new Event.Reachable(other));
    }

    /** A node reads in the store that this generation follows, and tells all others. */
    void readsNext(String name, Generation next) {
        readsNext(name, next, nodes.keySet().stream().map(NodeId::name).toArray(String[]::new));
    }

    /** The same where only these others hear of it: those that know of another content do not listen (R6). */
    void readsNext(String name, Generation next, String... others) {
        NodeId id = new NodeId(name);
        step(id, new Event.NextGeneration(next));
        Stream.of(others).forEach(other -> step(new NodeId(other), new Event.GenerationMet(id, next, 0)));
    }

    /** From now on these pairs of nodes are connected, and no others. A node is one letter. */
    void connect(String... pairs) {
        connected = Set.of(pairs);
    }

    /** From now on everybody can reach everybody. */
    void connectAll() {
        connected = null;
    }

    /** Two nodes that run connect. */
    void reach(String one, String other) {
        meet(new NodeId(one), new NodeId(other));
        meet(new NodeId(other), new NodeId(one));
    }

    /** That member tells the node that a generation is to come. */
    void hears(String name, String member, Generation coming) {
        step(new NodeId(name), new Event.GenerationMet(new NodeId(member), coming, -1));
    }

    private boolean isConnected(NodeId one, NodeId other) {
        return connected == null
                || connected.contains(one.name() + other.name())
                || connected.contains(other.name() + one.name());
    }

    /** Messages take that long from now on. */
    void delay(Duration time) {
        delayNanos = time.toNanos();
    }

    /** The process is gone, without a word. */
    void stop(String name) {
        NodeId id = new NodeId(name);
        nodes.remove(id);
        heldUntil.remove(id);
        nodes.keySet().forEach(other -> step(other, new Event.Unreachable(id)));
    }

    /** Shows what that node sends from now on, whether it arrives or not. */
    void onSend(NodeId node, Consumer<Message> code) {
        watched = node;
        onSend = code;
    }

    Node node(String name) {
        return Objects.requireNonNull(nodes.get(new NodeId(name)), name);
    }

    void acquire(String name, Duration leaseTime) {
        acquire(name, RESOURCE, leaseTime);
    }

    /** A lease that no other node asks for. It is none of {@link #holder}'s, but its loss is counted. */
    void acquireOwn(String name, Duration leaseTime) {
        acquire(name, "of " + name, leaseTime);
    }

    private void acquire(String name, String resource, Duration leaseTime) {
        step(
                new NodeId(name),
                new Event.Acquire(
                        new AcquireRequest(++requests, resource, leaseTime.toNanos(), true, WaitMode.WAIT, null)));
    }

    void release(String name) {
        NodeId id = new NodeId(name);
        heldUntil.remove(id);
        step(id, new Event.GiveUp(RESOURCE, Objects.requireNonNull(tokens.get(id))));
    }

    /** A message of a node that is only played by the test; the answers are {@link #undelivered}. */
    void receive(String from, String to, Message message) {
        step(new NodeId(to), new Event.Received(new NodeId(from), message));
    }

    void step(String name, Event event) {
        step(new NodeId(name), event);
    }

    /**
     * One node asks for the lease, and shortly after it another one does, which has the only majority that counts.
     *
     * @return what is wrong: both hold it, or the second one does not; nothing when all is well
     */
    List<String> conflict(String wrong, String rightful, Duration leaseTime) {
        acquire(wrong, leaseTime);
        pass(leaseTime.dividedBy(10));
        acquire(rightful, leaseTime);
        try {
            pass(leaseTime.dividedBy(10));
        } catch (AssertionError twoHolders) {
            return List.of(String.valueOf(twoHolders.getMessage()));
        }
        return rightful.equals(holder())
                ? List.of()
                : List.of("'%s' has a majority and does not hold the lease".formatted(rightful));
    }

    private void step(NodeId id, Event event) {
        Node node = nodes.get(id);
        if (node == null) {
            return;
        }
        OneByOne.of(node.step(event, now())).forEach(effect -> learn(id, effect));
    }

    /** An extension is refused by saying where the acceptor stands; members tell each other of a seal in the same words, but no client. */
    private boolean isRefusal(Effect.Send send) {
        boolean isOfExtension =
                send.message() instanceof PaxosMessage.Standing standing && standing.isUnasked() && isClient(send.to());
        return isOfExtension || send.message() instanceof PaxosMessage.Refused;
    }

    private boolean isClient(NodeId id) {
        Node node = nodes.get(id);
        return node != null && !node.generation().everyone().contains(id);
    }

    private void learn(NodeId id, Effect effect) {
        if (effect instanceof Effect.Send send) {
            if (id.equals(watched)) {
                onSend.accept(send.message());
            }
            if (isConnected(id, send.to()) || send.to().equals(id)) {
                network.add(new InFlight(id, send.to(), send.message(), nanos + delayNanos));
            }
            refusals += isRefusal(send) ? 1 : 0;
        } else if (effect instanceof Effect.Granted grant && !grant.resource().equals(RESOURCE)) {
            ownGrants++;
        } else if (effect instanceof Effect.Extended extended
                && !extended.resource().equals(RESOURCE)) {
            ownExtensions++;
        } else if (effect instanceof Effect.Granted grant) {
            granted.add(grant.token());
            tokens.put(id, grant.token());
            heldUntil.put(id, grant.until());
        } else if (effect instanceof Effect.Extended extended) {
            heldUntil.put(id, extended.until());
        } else if (effect instanceof Effect.Lost lost) {
            if (lost.resource().equals(RESOURCE)) {
                heldUntil.remove(id);
            }
            losses++;
        } else if (effect instanceof Effect.Notice notice) {
            notices.add(id + ": " + notice.text());
        }
    }

    /** Who holds the lease now by its own clock; null: no node. */
    @Nullable
    String holder() {
        List<String> holders = heldUntil.entrySet().stream()
                .filter(entry -> now().moment().isBefore(entry.getValue().moment()))
                .map(entry -> entry.getKey().name())
                .toList();
        if (holders.size() > 1) {
            throw new AssertionError("two holders: " + holders);
        }
        return holders.isEmpty() ? null : holders.get(0);
    }

    /** Time passes by steps of five milliseconds; every node wakes when it wants to. */
    void pass(Duration time) {
        for (long end = nanos + time.toNanos(); nanos < end; nanos += 5_000_000) {
            for (NodeId id : List.copyOf(nodes.keySet())) {
                for (int i = 0; isDue(id); i++) {
                    if (i > 10) {
                        throw new AssertionError(id + " wakes for ever at one moment");
                    }
                    step(id, new Event.Woken());
                }
            }
            for (InFlight next = network.peek(); next != null && next.arrivesAt() <= nanos; next = network.peek()) {
                network.remove();
                if (!nodes.containsKey(next.to())) {
                    undelivered.add(next.message());
                }
                step(next.to(), new Event.Received(next.from(), next.message()));
            }
            holder();
        }
    }

    private boolean isDue(NodeId id) {
        Moment due = node(id.name()).nextDeadline();
        return due != null && !now().moment().isBefore(due);
    }

    /** What every grant had for a token, in order. */
    List<Long> granted() {
        return granted;
    }

    int losses() {
        return losses;
    }

    /** How many leases were granted by {@link #acquireOwn}. */
    int ownGrants() {
        return ownGrants;
    }

    /** How often one of these was renewed. */
    long ownExtensions() {
        return ownExtensions;
    }

    int refusals() {
        return refusals;
    }

    /** Everything that was sent to nodes that do not run. */
    List<Message> undelivered() {
        return undelivered;
    }

    List<String> notices() {
        return notices;
    }
}
