package io.paxoslease.protocol;

import io.paxoslease.protocol.Effect.Extended;
import io.paxoslease.protocol.Effect.Granted;
import io.paxoslease.protocol.Effect.Lost;
import io.paxoslease.protocol.Effect.Suspected;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;

/**
 * Watches what nodes believe, from outside: no two of them may believe at one instant that they hold one resource, each by
 * its own clock, and tokens of tenures of different nodes must grow. Belief begins only with a grant or an extension, so
 * that is when it is checked against everybody else's, as it stands at that very instant.
 */
final class BeliefChecker {

    /** A broken promise; the message tells the story. */
    static final class Violation extends AssertionError {
        private static final long serialVersionUID = 1L;

        Violation(String message) {
            super(message);
        }
    }

    private record Holding(NodeId node, String resource) {}

    private record Belief(long token, Moment until) {}

    private final Function<NodeId, Moment> clocks;
    private final Map<Holding, Belief> beliefs = new HashMap<>();
    private final Map<String, Granted> lastGrant = new HashMap<>();
    private final Map<String, NodeId> lastHolder = new HashMap<>();
    private int grants;
    private int handOvers;

    /** @param clocks what each node's monotonic clock shows now */
    BeliefChecker(Function<NodeId, Moment> clocks) {
        this.clocks = clocks;
    }

    void observe(NodeId node, Effect effect) {
        if (effect instanceof Granted granted) {
            grants++;
            checkToken(node, granted);
            believe(node, granted.resource(), granted.token(), granted.until().moment());
        } else if (effect instanceof Extended extended) {
            believe(
                    node,
                    extended.resource(),
                    extended.token(),
                    extended.until().moment());
        } else if (effect instanceof Suspected suspected) {
            beliefs.remove(new Holding(node, suspected.resource()));
        } else if (effect instanceof Lost lost) {
            beliefs.remove(new Holding(node, lost.resource()));
        }
    }

    /** The node released the resource, before it told anybody. */
    void released(NodeId node, String resource) {
        beliefs.remove(new Holding(node, resource));
    }

    /** The process died, and its beliefs with it. */
    void crashed(NodeId node) {
        beliefs.keySet().removeIf(holding -> holding.node().equals(node));
    }

    int grants() {
        return grants;
    }

    int handOvers() {
        return handOvers;
    }

    private void believe(NodeId node, String resource, long token, Moment until) {
        if (!clocks.apply(node).isBefore(until)) {
            return;
        }
        beliefs.put(new Holding(node, resource), new Belief(token, until));
        beliefs.forEach((other, belief) -> {
            boolean another = other.resource().equals(resource) && !other.node().equals(node);
            if (another && clocks.apply(other.node()).isBefore(belief.until())) {
                throw new Violation("Both %s (token %d) and %s (token %d) hold %s"
                        .formatted(node, token, other.node(), belief.token(), resource));
            }
        });
    }

    private void checkToken(NodeId node, Granted granted) {
        Granted before = lastGrant.put(granted.resource(), granted);
        NodeId holder = lastHolder.put(granted.resource(), node);
        if (before != null && granted.token() <= before.token()) {
            throw new Violation("The token of %s went from %d at %s to %d at %s"
                    .formatted(granted.resource(), before.token(), holder, granted.token(), node));
        }
        if (holder != null && !holder.equals(node)) {
            handOvers++;
        }
    }
}
