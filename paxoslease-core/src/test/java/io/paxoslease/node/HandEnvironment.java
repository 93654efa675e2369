package io.paxoslease.node;

import io.paxoslease.PaxosLease;
import io.paxoslease.PaxosLeaseOptions;
import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.Message;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Quorum;
import io.paxoslease.protocol.Reading;
import io.paxoslease.protocol.Timing;
import io.paxoslease.protocol.paxos.Node;
import io.paxoslease.protocol.paxos.PaxosMessage;
import io.paxoslease.transport.Transport;
import io.paxoslease.transport.netty.PeerState;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What a node stands on in a test of threads: a loop of the test's, a clock that stands still, and two other members of its
 * cell that agree to everything. Nothing expires by itself, so what is not given back is missed.
 */
public final class HandEnvironment implements NodeEnvironment {

    public static final PaxosLeaseOptions OPTIONS = PaxosLeaseOptions.builder("a")
            .peer("a", "localhost:1")
            .peer("b", "localhost:2")
            .peer("c", "localhost:3")
            .build();

    private static final NodeId SELF = new NodeId("a");
    private static final AtomicLong incarnations = new AtomicLong();

    public final HandLoop loop = new HandLoop();
    private final HandClock clock;
    private final Consumer<Message> sent;
    private Transport.@Nullable Receiver receiver;

    /** @param sent is shown every message that leaves for the first other member, on the node's thread, as it leaves */
    public HandEnvironment(HandClock clock, Consumer<Message> sent) {
        this.clock = clock;
        this.sent = sent;
    }

    public HandEnvironment(HandClock clock) {
        this(clock, message -> {});
    }

    /** A node whose every start gets an environment and a thread of its own. */
    public static PaxosLease node(HandClock clock, Consumer<Message> sent) {
        return LocalNode.create(OPTIONS, options -> withThread(clock, sent)).handle();
    }

    /** With a thread that runs the loop until it is shut down. */
    public static HandEnvironment withThread(HandClock clock, Consumer<Message> sent) {
        HandEnvironment environment = new HandEnvironment(clock, sent);
        Thread thread = new Thread(environment.loop::runUntilShutdown, "test-loop");
        thread.setDaemon(true);
        thread.start();
        return environment;
    }

    @Override
    public NodeClock clock() {
        return clock;
    }

    @Override
    public Node newNode(Timing timing, Reading now) {
        Quorum quorum = new Quorum(List.of(SELF, new NodeId("b"), new NodeId("c")));
        return new Node(
                SELF,
                quorum,
                timing,
                null,
                () -> new Incarnation(1, incarnations.incrementAndGet()),
                new SplittableRandom(1),
                now);
    }

    @Override
    public void open(Transport.Receiver opened) {
        receiver = opened;
    }

    @Override
    public ScheduledExecutorService loop() {
        return loop;
    }

    @Override
    public Transport transport() {
        return this::answer;
    }

    private void answer(NodeId to, List<Message> messages) {
        List<Message> answers = new ArrayList<>();
        for (Message message : messages) {
            if (to.name().equals("b")) {
                sent.accept(message);
            }
            if (message instanceof PaxosMessage.Prepare ask) {
                answers.add(new PaxosMessage.Open(ask.resource(), ask.ballot(), ask.attempt()));
            } else if (message instanceof PaxosMessage.Propose ask) {
                answers.add(new PaxosMessage.Accepted(ask.resource(), ask.ballot(), ask.attempt()));
            } else if (message instanceof PaxosMessage.Nominate ask) { // nobody waits
                answers.add(new PaxosMessage.Nominated(ask.resource(), ask.question(), List.of()));
            }
        }
        Transport.Receiver node = receiver;
        if (node != null && !answers.isEmpty()) {
            loop.execute(() -> node.received(to, answers));
        }
    }

    @Override
    public Executor callbacks() {
        return Runnable::run;
    }

    @Override
    public List<PeerState> peers() {
        return List.of();
    }

    @Override
    public void close() {
        loop.shutdown();
    }
}
