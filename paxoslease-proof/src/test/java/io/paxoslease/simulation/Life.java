package io.paxoslease.simulation;

import io.paxoslease.node.NodeClock;
import io.paxoslease.node.SimulatedEnvironment;
import io.paxoslease.protocol.Event;
import io.paxoslease.protocol.Generation;
import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.LeaseAlgorithm;
import io.paxoslease.protocol.Message;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Reading;
import io.paxoslease.protocol.Timing;
import io.paxoslease.transport.Admission;
import io.paxoslease.transport.CellConfig;
import io.paxoslease.transport.Hello;
import io.paxoslease.transport.Transport;
import io.paxoslease.transport.Versions;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What a node stands on between one start and the stop or crash that follows. */
final class Life implements SimulatedEnvironment.Machine, Transport {

    private static final int LATE_CALLBACKS = 6;
    private static final long LATEST_CALLBACK = 5_000_000;

    private final World world;
    private final SimulatedNode node;
    private final SimulatedLoop loop;
    /** What it was started with, or has moved to since. */
    private Generation generation;
    /** What is to follow, as far as it has been told. */
    private @Nullable Generation coming;

    private CellConfig config;
    private final Admission admission;
    /** What nodes run that this one has been connected with. */
    private final Set<Generation> admitted = new HashSet<>();

    private final Map<NodeId, Hello> met = new LinkedHashMap<>();
    private @Nullable LeaseAlgorithm algorithm;
    private int sealed;
    /** The highest generation whose list decides alone, as far as the node has said. */
    private int decides;

    private final Moment memoryLostAt;
    private Transport.@Nullable Receiver receiver;
    private boolean over;

    Life(World world, SimulatedNode node, SimulatedLoop loop, Moment memoryLostAt) {
        this.world = world;
        this.node = node;
        this.loop = loop;
        this.generation = node.file();
        this.config = new CellConfig("cell", generation, null);
        this.admission = new Admission(config, node.id());
        this.sealed = config.sealed();
        admitted.add(generation);
        this.memoryLostAt = memoryLostAt;
    }

    @Override
    public NodeClock clock() {
        return node.clock();
    }

    @Override
    public LeaseAlgorithm newNode(Timing timing, Reading now) {
        LeaseAlgorithm made = world.subject().newNode(node, timing, memoryLostAt, now);
        algorithm = made;
        node.memory().made(made);
        return made;
    }

    @Override
    public void open(Transport.Receiver opened) {
        receiver = opened;
        if (!node.isClient()) { // as the machine does: the last process of the node is gone now
            Objects.requireNonNull(algorithm)
                    .step(new Event.OtherLife(null, 0), node.clock().readingNow());
        }
    }

    @Override
    public ScheduledExecutorService loop() {
        return loop;
    }

    @Override
    public Transport transport() {
        return this;
    }

    @Override
    public void send(NodeId to, List<Message> messages) {
        if (!over) {
            node.beforeSending();
        }
        if (!over) {
            node.send(to, messages);
        }
    }

    /** User code runs a little late now and then; a process that died runs none. */
    @Override
    public Executor callbacks() {
        return task -> {
            if (world.chance(LATE_CALLBACKS)) {
                world.agenda().after(world.random().nextLong(LATEST_CALLBACK), () -> node.whenAwake(this, task));
            } else if (!over) {
                task.run();
            }
        };
    }

    /** The loop finds what the network brought. */
    void arrive(int from, NodeId sender, List<Message> messages) {
        loop.arrive(() -> {
            node.heard(from, messages);
            receiver().received(sender, messages);
        });
    }

    void hint(NodeId peer, boolean reachable) {
        loop.arrive(() -> {
            if (reachable) {
                receiver().reachable(peer);
            } else {
                receiver().unreachable(peer);
            }
        });
    }

    SimulatedNode node() {
        return node;
    }

    /** Null: it has not been made yet. */
    @Nullable
    LeaseAlgorithm algorithm() {
        return algorithm;
    }

    /** The highest generation that the node has known to be sealed when it was last looked at. */
    int sealedAtLastLook() {
        return sealed;
    }

    void lookedAt(int generation) {
        sealed = generation;
    }

    Admission admission() {
        return admission;
    }

    /** Whether this node dials that one. */
    boolean lists(SimulatedNode other) {
        Generation next = coming;
        return generation.everyone().contains(other.id())
                || (next != null && next.everyone().contains(other.id()));
    }

    /** What it runs now. */
    Generation generation() {
        return generation;
    }

    /** What it tells others of: what it runs, unless that is the first one, and what it knows to come. */
    List<Generation> news() {
        return Stream.of(generation, coming)
                .filter(each -> each != null && each.previous() != null)
                .toList();
    }

    /** A store says that this one follows. */
    void readsNext(Generation next) {
        loop.arrive(() -> {
            counts(next);
            comes(next);
        });
        submit(new Event.NextGeneration(next));
    }

    void submit(Event event) {
        SimulatedEnvironment.submit(node.process(), event);
    }

    /** No other content of its number counts. */
    private void counts(Generation certain) {
        Generation next = coming;
        if (next != null && next.number() == certain.number() && !next.equals(certain)) {
            coming = null;
        }
    }

    @Override
    public void follows(Generation latest) {
        counts(latest);
    }

    private boolean comes(Generation next) {
        Generation known = coming;
        boolean isNew = (known == null || known.number() < next.number()) && admission.comes(next);
        if (isNew) {
            coming = next;
        }
        return isNew;
    }

    /** Another member says that this one is to come. */
    void told(NodeId by, Generation next) {
        loop.arrive(() -> {
            if (comes(next)) {
                receiver().generationSeen(by, next, Transport.Receiver.TOLD);
                sealed(decides);
            }
        });
    }

    /** It moves while it runs. */
    @Override
    public void changed(Generation now) {
        world.note(node.index(), "MOVES TO GENERATION " + now.number());
        world.statistics().met(Situation.MOVED_WHILE_RUNNING);
        generation = now;
        config = new CellConfig("cell", now, null);
        admission.changed(config);
        admitted.add(now);
        node.moved(now);
        Generation next = coming;
        if (next != null && next.number() <= now.number()) {
            coming = null;
        }
    }

    /** A client runs what decides alone: so it may hear of what follows that. */
    @Override
    public void sealed(int number) {
        decides = Math.max(decides, number);
        Generation next = coming;
        if (node.isClient() && next != null && next.number() <= decides) {
            generation = next;
            config = new CellConfig("cell", next, null);
            admission.changed(config);
            admitted.add(next);
            coming = null;
        }
    }

    /** How the node introduces itself. */
    Hello hello(SimulatedNode to) {
        LeaseAlgorithm made = Objects.requireNonNull(algorithm);
        Hello.Role role = node.isClient() ? Hello.Role.CLIENT : Hello.Role.MEMBER;
        Incarnation boot = new Incarnation(node.index(), node.lives());
        return new Hello(config, node.id(), to.id(), boot, Versions.OURS, role, "").whenSealed(made.sealedGeneration());
    }

    void connected(Hello other) {
        Generation its = other.config().generation();
        admitted.add(its);
        if (other.role() == Hello.Role.MEMBER) {
            loop.arrive(() -> receiver().generationSeen(other.from(), its, other.sealed()));
        }
        hint(other.from(), true);
    }

    /** A node that runs another configuration. */
    void met(Hello other) {
        if (!node.isClient() && heardOf(other)) {
            met.put(other.from(), other);
        }
    }

    boolean heardOf(Hello other) {
        String difference = admission.difference(other);
        if (difference != null) {
            world.statistics().met(Situation.OTHER_CONFIGURATION);
            boolean isSealed = admission.isSealed(other);
            loop.arrive(() -> receiver().otherConfiguration(other.from(), other.config(), difference, isSealed));
        }
        return difference != null;
    }

    /** Since the last call. */
    List<Hello> takeMet() {
        List<Hello> all = List.copyOf(met.values());
        met.clear();
        return all;
    }

    boolean admits(Generation generation) {
        return admitted.contains(generation);
    }

    private Transport.Receiver receiver() {
        return Objects.requireNonNull(receiver);
    }

    @Override
    public void close() {
        end();
    }

    /** From now on nothing that this life still does has an effect outside. */
    void end() {
        over = true;
        loop.kill();
    }

    boolean isOver() {
        return over;
    }

    SimulatedLoop simulatedLoop() {
        return loop;
    }
}
