package io.paxoslease.node;

import io.paxoslease.protocol.LeaseAlgorithm;
import io.paxoslease.protocol.Reading;
import io.paxoslease.protocol.Timing;
import io.paxoslease.transport.Transport;
import io.paxoslease.transport.netty.PeerState;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;

/** Another environment, for tests that change a part of it. */
class DelegatingEnvironment implements NodeEnvironment {

    final NodeEnvironment machine;

    DelegatingEnvironment(NodeEnvironment machine) {
        this.machine = machine;
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
    public void guardBy(ClockGuard guard) {
        machine.guardBy(guard);
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
    public void keepCallbacks() {
        machine.keepCallbacks();
    }

    @Override
    public List<PeerState> peers() {
        return machine.peers();
    }

    @Override
    public boolean leave() {
        return machine.leave();
    }

    @Override
    public boolean hasThreads() {
        return machine.hasThreads();
    }

    @Override
    public void close() {
        machine.close();
    }
}
