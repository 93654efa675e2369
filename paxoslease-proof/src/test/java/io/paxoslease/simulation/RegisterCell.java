package io.paxoslease.simulation;

import io.paxoslease.NodeMode;
import io.paxoslease.PaxosLease;
import io.paxoslease.PaxosLeaseOptions;
import io.paxoslease.node.NodeClock;
import io.paxoslease.node.SimulatedEnvironment;
import io.paxoslease.protocol.ConfigurationGuard;
import io.paxoslease.protocol.Event;
import io.paxoslease.protocol.Generation;
import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.LeaseAlgorithm;
import io.paxoslease.protocol.Message;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Reading;
import io.paxoslease.protocol.Timing;
import io.paxoslease.protocol.paxos.Node;
import io.paxoslease.protocol.registers.MaxRegisterMessage;
import io.paxoslease.transport.Transport;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Whole production nodes whose members change while they run, without a fault: messages take some time, keep their place, and are not lost,
 * unless the test takes one away.
 */
final class RegisterCell {

    private static final Duration LONGEST_DELAY = Duration.ofMillis(20);

    private final Agenda agenda = new Agenda();
    private final SplittableRandom random;
    private final Map<NodeId, OneNode> processes = new LinkedHashMap<>();
    private final Map<Set<NodeId>, Object> connections = new HashMap<>();
    private final Map<List<NodeId>, Long> arrivals = new HashMap<>();
    private long incarnations;
    private @Nullable NodeId deaf;
    private Lost lost = (from, to, message) -> false;

    /** Which messages do not arrive. */
    interface Lost {
        boolean is(NodeId from, NodeId to, Message message);
    }

    RegisterCell(long seed) {
        HistoryChecker.Violation.forget(); // what an earlier test of this thread has provoked
        this.random = new SplittableRandom(seed);
    }

    private final class OneNode implements SimulatedEnvironment.Machine, SimulatedLoop.Owner {
        final NodeId id;
        final Generation file;
        final SimulatedClock clock;
        final SimulatedLoop loop;

        @Nullable
        Node machine;

        Transport.@Nullable Receiver receiver;

        @Nullable
        PaxosLease node;

        OneNode(NodeId id, Generation file) {
            this.id = id;
            this.file = file;
            this.clock = new SimulatedClock(
                    agenda, new Scenario.Machine(random.nextLong(), 1_000_000, 0, Scenario.Sway.NONE, 0), false);
            this.loop = new SimulatedLoop(agenda, clock, this);
        }

        @Override
        public NodeClock clock() {
            return clock;
        }

        @Override
        public LeaseAlgorithm newNode(Timing timing, Reading now) {
            machine = new Node(
                    id,
                    file,
                    now.moment().plusNanos(file.timing(false).quarantineNanos()),
                    ConfigurationGuard.none(id),
                    false,
                    () -> new Incarnation(7, ++incarnations),
                    random.split(),
                    now);
            return machine;
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
            return (to, messages) -> carry(this, to, messages);
        }

        @Override
        public Executor callbacks() {
            return Runnable::run;
        }

        @Override
        public void close() {
            loop.kill();
        }

        @Override
        public boolean standsStill() {
            return false;
        }

        @Override
        public long wakeUpNanos() {
            return 0;
        }

        @Override
        public void handedOver() {}

        @Override
        public void taskDone() {}

        boolean isClient() {
            return !file.everyone().contains(id);
        }

        Node machine() {
            return Objects.requireNonNull(machine);
        }

        void arrive(Consumer<Transport.Receiver> what) {
            loop.arrive(() -> what.accept(Objects.requireNonNull(receiver)));
        }
    }

    private void carry(OneNode from, NodeId to, List<Message> all) {
        Object connection = connections.get(Set.of(from.id, to));
        List<Message> messages =
                all.stream().filter(each -> !lost.is(from.id, to, each)).toList();
        if (connection == null || messages.isEmpty()) {
            return;
        }
        List<NodeId> link = List.of(from.id, to);
        long at = Math.max(arrivals.getOrDefault(link, 0L), agenda.now() + random.nextLong(LONGEST_DELAY.toNanos()));
        arrivals.put(link, at);
        agenda.at(at, () -> {
            OneNode target = processes.get(to);
            if (target != null && connections.get(Set.of(from.id, to)) == connection) {
                target.arrive(receiver -> receiver.received(from.id, messages));
            }
        });
    }

    /** The first start of that process: a member of that generation, or a client. */
    void start(String name, Generation file) {
        NodeId id = new NodeId(name);
        OneNode process = new OneNode(id, file);
        boolean isClient = process.isClient();
        PaxosLeaseOptions.Builder options = PaxosLeaseOptions.builder(name)
                .mode(isClient ? NodeMode.CLIENT : NodeMode.MEMBER)
                .leaseTime(file.current().maxLeaseTime())
                .maxLeaseTime(file.current().maxLeaseTime());
        file.current().members().forEach(member -> options.peer(member.name(), member.name() + ":1"));
        PaxosLease node = SimulatedEnvironment.create(options.build(), () -> process);
        process.node = node;
        node.start();
        for (OneNode other : List.copyOf(processes.values())) {
            if (!isClient || !other.isClient()) {
                connections.put(Set.of(id, other.id), new Object());
                meet(process, other);
                meet(other, process);
            }
        }
        processes.put(id, process);
        pass(Duration.ZERO);
    }

    private static void meet(OneNode one, OneNode other) {
        one.arrive(receiver -> {
            if (!other.isClient()) {
                receiver.generationSeen(
                        other.id, other.machine().generation(), other.machine().sealedGeneration());
            }
            receiver.reachable(other.id);
        });
    }

    /** The process is gone, without a word. */
    void stop(String name) {
        NodeId id = new NodeId(name);
        OneNode gone = Objects.requireNonNull(processes.remove(id));
        gone.loop.kill();
        for (OneNode other : processes.values()) {
            connections.remove(Set.of(id, other.id));
            other.arrive(receiver -> receiver.unreachable(id));
        }
    }

    /** Members read in their store that this generation follows, and tell all others, but those who are deaf. */
    void change(Generation next, String... names) {
        for (String name : names) {
            OneNode process = process(name);
            SimulatedEnvironment.submit(Objects.requireNonNull(process.node), new Event.NextGeneration(next));
            processes.values().stream()
                    .filter(other -> other != process && !other.id.equals(deaf))
                    .forEach(other -> other.arrive(receiver -> receiver.generationSeen(process.id, next, -1)));
        }
    }

    void lose(Lost which) {
        lost = which;
    }

    /** From now on that node hears of no change, and gets answers on registers only. */
    void deafen(String name) {
        NodeId id = new NodeId(name);
        deaf = id;
        lose((from, to, message) -> to.equals(id) && !(message instanceof MaxRegisterMessage));
    }

    private OneNode process(String name) {
        return Objects.requireNonNull(processes.get(new NodeId(name)), name);
    }

    PaxosLease node(String name) {
        return Objects.requireNonNull(process(name).node);
    }

    int sealed(String name) {
        return process(name).machine().sealedGeneration();
    }

    int generation(String name) {
        return process(name).machine().generation().number();
    }

    void pass(Duration time) {
        agenda.runUntil(agenda.now() + time.toNanos());
    }

    /** Lets time pass until it has an answer. */
    <T> CompletableFuture<T> await(CompletableFuture<T> answer) {
        for (int i = 0; i < 10_000 && !answer.isDone(); i++) {
            pass(Duration.ofMillis(1));
        }
        return answer;
    }
}
