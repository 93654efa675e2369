package io.paxoslease.shell;

import io.paxoslease.protocol.Effect;
import io.paxoslease.protocol.Event;
import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Reading;
import io.paxoslease.protocol.Timing;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What went into the protocol and came out of it, in the nodes of one cell that share one monotonic clock.
 *
 * @param beliefs what users of the nodes saw of their leases
 */
public record Recording(List<Life> lives, List<Belief> beliefs) {

    public Recording {
        lives = List.copyOf(lives);
        beliefs = List.copyOf(beliefs);
    }

    /** One step: what happened, the reading it was handled with, and what the node wanted done. */
    public record Step(Event event, Reading now, List<Effect> effects) {

        public Step {
            effects = List.copyOf(effects);
        }

        public Step withEvent(Event other) {
            return new Step(other, now, effects);
        }

        public Step withEffect(int index, Effect other) {
            List<Effect> altered = new ArrayList<>(effects);
            altered.set(index, other);
            return new Step(event, now, altered);
        }
    }

    /**
     * One node between a start and the next stop.
     *
     * @param members the cell
     * @param quarantineEnd as in the node's constructor
     * @param start the reading that the node was made with
     * @param incarnations what it drew, in order
     * @param draws the random numbers it drew, in order
     */
    public record Life(
            NodeId node,
            List<NodeId> members,
            Timing timing,
            @Nullable Moment quarantineEnd,
            Reading start,
            List<Incarnation> incarnations,
            List<Long> draws,
            List<Step> steps) {

        public Life {
            members = List.copyOf(members);
            incarnations = List.copyOf(incarnations);
            draws = List.copyOf(draws);
            steps = List.copyOf(steps);
        }

        public Life withSteps(List<Step> other) {
            return new Life(node, members, timing, quarantineEnd, start, incarnations, draws, other);
        }
    }

    /**
     * A user looked at a lease again and again, and it was held: at all times between two of the looks.
     *
     * @param from after the first look
     * @param to before the last look
     */
    public record Belief(NodeId node, String resource, long token, Moment from, Moment to) {}

    public int steps() {
        return lives.stream().mapToInt(life -> life.steps().size()).sum();
    }

    /** The same with one life's step replaced. */
    public Recording with(int life, int step, Step other) {
        List<Step> steps = new ArrayList<>(lives.get(life).steps());
        steps.set(step, other);
        return with(life, steps);
    }

    /** The same with the steps of one life replaced. */
    public Recording with(int life, List<Step> steps) {
        List<Life> altered = new ArrayList<>(lives);
        altered.set(life, lives.get(life).withSteps(steps));
        return new Recording(altered, beliefs);
    }
}
