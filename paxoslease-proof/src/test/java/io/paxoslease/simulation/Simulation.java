package io.paxoslease.simulation;

import io.paxoslease.protocol.Message;
import io.paxoslease.protocol.NodeId;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * One run of a cell, decided by one seed: whole production nodes on simulated clocks, loops and links. First things go
 * wrong; then everything heals, and everybody must be served in time. A {@link HistoryChecker} watches throughout.
 */
public final class Simulation {

    private static final int TRACE_LINES = 60;
    private static final long HINT_NANOS = 30_000_000;

    private final Scenario scenario;
    private final World world;
    private final SimulatedNetwork network;
    private final Cell cell = new Cell();
    private final List<SimulatedNode> nodes = new ArrayList<>();
    private final List<User> users = new ArrayList<>();
    private final Meetings meetings;

    private Simulation(Scenario scenario, Trace trace) {
        this.scenario = scenario;
        this.world = new World(scenario, trace);
        this.network =
                new SimulatedNetwork(world.agenda(), scenario, world.random().split(), world.statistics(), cell);
        for (int i = 0; i < scenario.nodes(); i++) {
            nodes.add(newNode(i));
            users.add(new User(world, nodes.get(i)));
        }
        this.meetings = new Meetings(world, nodes, network);
    }

    /** What is wrong with the run of that seed, with the end of its trace; null when nothing is. */
    public static @Nullable String violation(LongFunction<Scenario> draw, long seed) {
        return outcome(draw, seed) == null ? trace(draw, seed, TRACE_LINES) : null;
    }

    /** The run of that seed for people: what goes wrong by plan, the last lines of what happens, the violation if any. */
    static String trace(LongFunction<Scenario> draw, long seed, int lines) {
        Scenario scenario = draw.apply(seed);
        Trace trace = new Trace(true, lines);
        String fault = new Simulation(scenario, trace).fault();
        return scenario.describe() + trace + (fault == null ? "" : "\nVIOLATION: " + fault);
    }

    /** The statistics of a good run; null when it is a bad one. */
    static @Nullable Statistics outcome(LongFunction<Scenario> draw, long seed) {
        Simulation silent = new Simulation(draw.apply(seed), new Trace(false, 0));
        return silent.fault() == null ? silent.world.statistics() : null;
    }

    /** @throws HistoryChecker.Violation without a trace */
    static Statistics run(LongFunction<Scenario> draw, long seed) {
        Simulation simulation = new Simulation(draw.apply(seed), new Trace(false, 0));
        simulation.run();
        return simulation.world.statistics();
    }

    /** A violation, or a fault that a node found in itself or let out. */
    private @Nullable String fault() {
        try {
            run();
            return null;
        } catch (HistoryChecker.Violation | IllegalStateException | IllegalArgumentException e) {
            return String.valueOf(e.getMessage());
        }
    }

    private void run() {
        HistoryChecker.Violation.forget();
        for (int i = 0; i < nodes.size(); i++) {
            SimulatedNode node = nodes.get(i);
            long up = scenario.machines().get(i).upNanos();
            if (node.isInstalled()) {
                world.agenda()
                        .at(0, () -> node.start(() -> node.clock().moment().plusNanos(-up)));
            } else {
                world.checker().crashed(i);
            }
            users.get(i).begin();
        }
        if (scenario.changes() != null) {
            meetings.begin();
        }
        new FaultInjector(world, nodes, network, meetings).plan(scenario.faults());
        world.agenda().runUntil(scenario.safetyNanos());
        world.checkNodesAreSound();
        new Recovery(world, nodes, users, network).run();
        world.checkNodesAreSound();
        noteWrappedClocks();
        world.statistics().ended(world.now(), world.checker().handOvers());
    }

    private void noteWrappedClocks() {
        for (int i = 0; i < nodes.size(); i++) {
            if (scenario.machines().get(i).origin() > 0 && nodes.get(i).clock().local() < 0) {
                world.statistics().met(Situation.CLOCK_WRAPPED);
            }
        }
    }

    private SimulatedNode newNode(int index) {
        SimulatedClock clock =
                new SimulatedClock(world.agenda(), scenario.machines().get(index), scenario.coarseWall());
        Changes changes = scenario.changes();
        boolean isNewcomer = changes != null && index >= changes.firstNewcomer() && index < scenario.acceptors();
        return new SimulatedNode(
                world, index, Scenario.id(index), cell, clock, isNewcomer ? null : scenario.firstFile());
    }

    /** Carries messages, and tells nodes of each other's coming and going as connections do: a little late, or not at all. */
    private final class Cell implements SimulatedNode.Cell, SimulatedNetwork.Receiver {

        @Override
        public void send(SimulatedNode from, NodeId to, List<Message> messages) {
            network.send(from.index(), Integer.parseInt(to.name().substring(1)), messages);
        }

        @Override
        public void receive(int from, int life, int to, List<Message> messages) {
            nodes.get(to).receive(nodes.get(from), life, messages);
        }

        @Override
        public int lives(int node) {
            return nodes.get(node).lives();
        }

        @Override
        public void changed(SimulatedNode changed) {
            for (SimulatedNode other : scenario.changes() == null ? nodes : List.<SimulatedNode>of()) {
                if (other != changed && !world.chance(4)) {
                    long delay = world.random().nextLong(HINT_NANOS);
                    world.agenda().after(delay, () -> other.hint(changed.id(), changed.life() != null));
                }
            }
        }
    }
}
