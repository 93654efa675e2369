package io.paxoslease.simulation;

import io.paxoslease.protocol.ConfigurationGuard;
import io.paxoslease.protocol.Generation;
import io.paxoslease.protocol.Moment;
import io.paxoslease.transport.Hello;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Connections between nodes that may run different configurations: nodes introduce themselves, production's {@link
 * io.paxoslease.transport.Admission} judges, and both ends of a refused connection learn what the other runs. Nodes dial fifty times as
 * often as real ones, and their guards wait as much shorter.
 */
final class Meetings {

    private static final long DIAL = 20_000_000;
    /** In the proportion of the real ones. */
    private static final long SEEN = DIAL * ConfigurationGuard.SEEN_NANOS / 1_000_000_000;

    private static final long LOOK_AROUND = DIAL * ConfigurationGuard.LOOK_AROUND_NANOS / 1_000_000_000;
    /** Of so many looks at a connection, one finds that it broke for no reason. */
    private static final int BREAKS = 200;

    /** How long a guard is silent for what was granted before the faults ended, besides D_Q. */
    static final long GUARDED = SEEN + LOOK_AROUND + DIAL;

    private record Connection(Life one, Life other) {}

    private final World world;
    private final List<SimulatedNode> nodes;
    private final SimulatedNetwork network;
    private final SimulatedStore store;
    /** By the smaller index and the larger one. */
    private final Map<List<Integer>, Connection> connections = new HashMap<>();

    Meetings(World world, List<SimulatedNode> nodes, SimulatedNetwork network) {
        this.world = world;
        this.nodes = nodes;
        this.network = network;
        this.store = new SimulatedStore(world, nodes);
    }

    /** The guard of a process that has just been started; of one that has served for long, if it was running at the beginning. */
    static ConfigurationGuard guard(World world, SimulatedNode node, long silenceNanos, Moment now) {
        long looks = world.now() == 0 ? 0 : LOOK_AROUND;
        ConfigurationGuard guard = new ConfigurationGuard(
                node.id(), node.file().everyone(), silenceNanos, world.now() == 0 ? 0 : SEEN, looks);
        guard.lookAround(now);
        return guard;
    }

    void begin() {
        world.agenda().after(world.random().nextLong(DIAL), this::dial);
    }

    private void dial() {
        for (int one = 0; one < nodes.size(); one++) {
            for (int other = one + 1; other < nodes.size(); other++) {
                look(nodes.get(one), nodes.get(other));
            }
        }
        for (SimulatedNode node : nodes) {
            tellWhomItMet(node);
        }
        store.look();
        for (SimulatedNode node : nodes) {
            tellWhatComes(node);
        }
        world.agenda().after(DIAL - world.random().nextLong(DIAL / 4), this::dial);
    }

    /** A process that stands still keeps its connections, and answers no new one. */
    private void look(SimulatedNode one, SimulatedNode other) {
        Life mine = one.life();
        Life its = other.life();
        boolean cut = network.isCut(one.index(), other.index()) || network.isCut(other.index(), one.index());
        Connection connection = connections.get(List.of(one.index(), other.index()));
        if (connection != null) {
            boolean same = connection.one == mine && connection.other == its;
            if (!same || cut || world.chance(BREAKS)) {
                connections.remove(List.of(one.index(), other.index()));
                tellGone(one, connection.one, other);
                tellGone(other, connection.other, one);
            }
            return;
        }
        if (cut || mine == null || its == null || !one.answers() || !other.answers()) {
            return;
        }
        if (mine.lists(other) || its.lists(one)) {
            if (world.random().nextBoolean()) {
                introduce(mine, its);
            } else {
                introduce(its, mine);
            }
        }
    }

    private static void tellGone(SimulatedNode node, Life life, SimulatedNode gone) {
        if (node.life() == life) {
            node.hint(gone.id(), false);
        }
    }

    private void introduce(Life dials, Life answers) {
        Hello hello = dials.hello(answers.node());
        Hello welcome = answers.hello(dials.node());
        if (answers.admission().judge(hello) != null || dials.admission().judge(welcome) != null) {
            boolean betweenMembers = hello.role() == welcome.role();
            if (hello.config().generation().number()
                            == welcome.config().generation().number()
                    && hello.config().generation().number() > 1) {
                world.statistics().met(Situation.TWO_CONTENTS);
            }
            if (betweenMembers) {
                answers.met(hello);
                dials.met(welcome);
            }
            return;
        }
        boolean inOrder = dials.node().index() < answers.node().index();
        Life first = inOrder ? dials : answers;
        Life second = inOrder ? answers : dials;
        connections.put(List.of(first.node().index(), second.node().index()), new Connection(first, second));
        dials.connected(welcome);
        answers.connected(hello);
    }

    /** Nodes of one configuration tell each other of the others. */
    private void tellWhomItMet(SimulatedNode node) {
        Life life = node.life();
        List<Hello> met = life == null ? List.of() : life.takeMet();
        for (SimulatedNode other : met.isEmpty() ? List.<SimulatedNode>of() : nodes) {
            if (isConnected(node, other) && !other.isClient()) {
                Life its = Objects.requireNonNull(other.life());
                met.forEach(its::heardOf);
            }
        }
    }

    /** Members tell everybody whom they are connected with. */
    private void tellWhatComes(SimulatedNode node) {
        Life life = node.life();
        for (Generation news : life == null || node.isClient() ? List.<Generation>of() : life.news()) {
            nodes.stream().filter(other -> isConnected(node, other)).forEach(other -> other.liveLife()
                    .told(node.id(), news));
        }
    }

    SimulatedStore store() {
        return store;
    }

    boolean isConnected(SimulatedNode one, SimulatedNode other) {
        Connection connection =
                connections.get(List.of(Math.min(one.index(), other.index()), Math.max(one.index(), other.index())));
        boolean inOrder = one.index() < other.index();
        return connection != null
                && connection.one == (inOrder ? one : other).life()
                && connection.other == (inOrder ? other : one).life();
    }
}
