package io.paxoslease.node;

import io.paxoslease.PaxosLease;
import io.paxoslease.PaxosLeaseOptions;
import io.paxoslease.protocol.Event;
import io.paxoslease.protocol.LeaseAlgorithm;
import io.paxoslease.protocol.Reading;
import io.paxoslease.protocol.Timing;
import io.paxoslease.transport.Transport;
import io.paxoslease.transport.netty.PeerState;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Supplier;

/** Lets a simulation in another package put a whole production node on clocks, threads and links of its own. */
public final class SimulatedEnvironment implements NodeEnvironment {

    private final Machine machine;

    /** What one start of a node stands on. */
    public interface Machine {

        NodeClock clock();

        LeaseAlgorithm newNode(Timing timing, Reading now);

        void open(Transport.Receiver receiver);

        ScheduledExecutorService loop();

        Transport transport();

        Executor callbacks();

        void close();
    }

    private SimulatedEnvironment(Machine machine) {
        this.machine = machine;
    }

    /** A production node whose every start takes a new machine. */
    public static PaxosLease create(PaxosLeaseOptions options, Supplier<Machine> machines) {
        return LocalNode.create(options, same -> new SimulatedEnvironment(machines.get()))
                .handle();
    }

    /** Whether the node takes no further part, because it found a fault in itself. */
    public static boolean hasFailed(PaxosLease node) {
        NodeRuntime running = LocalNode.of(node).lifecycle.running();
        return running != null && running.hasFailed();
    }

    /** As what watches a store of the members tells the node. */
    public static void submit(PaxosLease node, Event event) {
        NodeRuntime running = LocalNode.of(node).lifecycle.running();
        if (running != null) {
            running.runner().submit(event);
        }
    }

    @Override
    public NodeClock clock() {
        return machine.clock();
    }

    @Override
    public LeaseAlgorithm newNode(Timing timing, Reading now) {
        return machine.newNode(timing, now);
    }

    @Override
    public void open(Transport.Receiver receiver) {
        machine.open(receiver);
    }

    @Override
    public ScheduledExecutorService loop() {
        return machine.loop();
    }

    @Override
    public Transport transport() {
        return machine.transport();
    }

    @Override
    public Executor callbacks() {
        return machine.callbacks();
    }

    @Override
    public List<PeerState> peers() {
        return List.of();
    }

    @Override
    public void close() {
        machine.close();
    }
}
