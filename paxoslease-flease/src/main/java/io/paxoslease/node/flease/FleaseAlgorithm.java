package io.paxoslease.node.flease;

import io.paxoslease.flease.FleaseOptions;
import io.paxoslease.node.NodeAlgorithm;
import io.paxoslease.node.NodeClock;
import io.paxoslease.node.SystemClock;
import io.paxoslease.protocol.LeaseAlgorithm;
import io.paxoslease.protocol.Message;
import io.paxoslease.protocol.Quorum;
import io.paxoslease.protocol.Timing;
import io.paxoslease.protocol.flease.FleaseMessage;
import io.paxoslease.protocol.flease.FleaseNode;
import io.paxoslease.protocol.registers.MaxRegisterMessage;
import io.paxoslease.transport.MessageTypes;
import java.time.Duration;
import java.util.List;

/** Flease: the members of a cell agree, and rely on wall clocks that differ by no more than a bound. */
record FleaseAlgorithm(FleaseOptions options) implements NodeAlgorithm {

    @Override
    public String name() {
        return options.algorithm();
    }

    @Override
    public List<Class<? extends Message>> messages() {
        return List.of(FleaseMessage.class, MaxRegisterMessage.class);
    }

    @Override
    public MessageTypes wireTypes() {
        return FleaseCodec.INSTANCE;
    }

    /** Both clocks are read as close to each other as can be. */
    @Override
    public NodeClock clock() {
        return new PairedClock(new SystemClock());
    }

    private long boundNanos() {
        return options.clockBound().toNanos();
    }

    @Override
    public LeaseAlgorithm create(Setup setup) {
        return new FleaseNode(
                setup.self(),
                new Quorum(setup.generation().current().members()),
                setup.timing(),
                boundNanos(),
                setup.quarantineEnd(silenceNanos(setup.timing())),
                setup.guard(),
                setup.incarnations(),
                setup.random(),
                Runtime.getRuntime().maxMemory(),
                setup.now());
    }

    @Override
    public long trustNanos(Timing timing) {
        return FleaseNode.trustNanos(timing, boundNanos());
    }

    @Override
    public long silenceNanos(Timing timing) {
        return FleaseNode.silenceNanos(timing, boundNanos());
    }

    @Override
    public boolean asksForHolders() {
        return true;
    }

    @Override
    public String numbered() {
        return "rounds";
    }

    @Override
    public Duration clockBound() {
        return options.clockBound();
    }
}
