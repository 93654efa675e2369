package io.paxoslease.shell;

import io.paxoslease.protocol.Effect;
import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.Quorum;
import io.paxoslease.protocol.paxos.Node;
import io.paxoslease.shell.Recording.Life;
import io.paxoslease.shell.Recording.Step;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;

/** Feeds a fresh node with what was recorded, and compares what it wants done, step by step. */
public final class Replay {

    private Replay() {}

    /** Where the replay differs from the record first; nothing when it does not. */
    public static Optional<String> firstDifference(Recording recording) {
        return recording.lives().stream()
                .map(Replay::firstDifference)
                .flatMap(Optional::stream)
                .findFirst();
    }

    private static Optional<String> firstDifference(Life life) {
        Iterator<Incarnation> incarnations = life.incarnations().iterator();
        Iterator<Long> draws = life.draws().iterator();
        Node node = new Node(
                life.node(),
                new Quorum(life.members()),
                life.timing(),
                life.quarantineEnd(),
                incarnations::next,
                draws::next,
                life.start());
        for (int i = 0; i < life.steps().size(); i++) {
            Step step = life.steps().get(i);
            String replayed = replay(node, step);
            if (!replayed.isEmpty()) {
                return Optional.of("Node %s, step %d, %s: recorded %s, replayed %s"
                        .formatted(life.node(), i, step.event(), step.effects(), replayed));
            }
        }
        return incarnations.hasNext() || draws.hasNext()
                ? Optional.of("Node %s drew less than it did when it was recorded".formatted(life.node()))
                : Optional.empty();
    }

    /** What came out instead; nothing when it is what was recorded. */
    private static String replay(Node node, Step step) {
        try {
            List<Effect> effects = node.step(step.event(), step.now());
            return effects.equals(step.effects()) ? "" : effects.toString();
        } catch (NoSuchElementException | IllegalStateException fault) {
            return fault.toString();
        }
    }
}
