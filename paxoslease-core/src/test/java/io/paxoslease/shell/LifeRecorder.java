package io.paxoslease.shell;

import io.paxoslease.protocol.Effect;
import io.paxoslease.protocol.Event;
import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Quorum;
import io.paxoslease.protocol.Reading;
import io.paxoslease.protocol.Timing;
import io.paxoslease.protocol.paxos.Node;
import io.paxoslease.shell.Recording.Life;
import io.paxoslease.shell.Recording.Step;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Makes a node and writes down all that its behaviour depends on. Written by the node's thread, read by any. */
public final class LifeRecorder {

    private final NodeId self;
    private final List<NodeId> members;
    private final Timing timing;
    private final @Nullable Moment quarantineEnd;
    private final Reading start;
    private final List<Incarnation> incarnations = new ArrayList<>();
    private final List<Long> draws = new ArrayList<>();
    private final List<Step> steps = new ArrayList<>();
    private final Map<Class<?>, Integer> counts = new HashMap<>();
    private final SplittableRandom random = new SplittableRandom();

    public LifeRecorder(
            NodeId self, List<NodeId> members, Timing timing, @Nullable Moment quarantineEnd, Reading start) {
        this.self = self;
        this.members = members;
        this.timing = timing;
        this.quarantineEnd = quarantineEnd;
        this.start = start;
    }

    /** The node of this life, every step of which goes through the tap. */
    public Node newNode(Supplier<Incarnation> source, StepTap tap) {
        Node node = new Node(
                self, new Quorum(members), timing, quarantineEnd, () -> incarnation(source.get()), this::draw, start);
        tap.follow(node, this);
        return node;
    }

    private synchronized Incarnation incarnation(Incarnation drawn) {
        incarnations.add(drawn);
        return drawn;
    }

    private synchronized long draw() {
        long drawn = random.nextLong();
        draws.add(drawn);
        return drawn;
    }

    synchronized void stepped(Event event, Reading now, List<Effect> effects) {
        steps.add(new Step(event, now, effects));
        effects.forEach(effect -> counts.merge(effect.getClass(), 1, Integer::sum));
    }

    /** How many effects of that kind there were so far. */
    public synchronized int count(Class<? extends Effect> kind) {
        return counts.getOrDefault(kind, 0);
    }

    public synchronized Life life() {
        return new Life(self, members, timing, quarantineEnd, start, incarnations, draws, steps);
    }
}
