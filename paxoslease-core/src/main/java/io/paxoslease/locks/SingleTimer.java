package io.paxoslease.locks;

import io.paxoslease.node.NodeRuntime;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Runs code on the thread of a node after a time; at most one timer is set at a time. Thread-safe. */
@SuppressWarnings("serial") // made for use, not to be stored
final class SingleTimer extends AtomicReference<@Nullable NodeRuntime> {

    private final transient Consumer<NodeRuntime> code;

    /** @param code given the node of the timer */
    SingleTimer(Consumer<NodeRuntime> code) {
        this.code = code;
    }

    /** Runs the code after that time by the node's clock, unless a timer is set there. */
    void start(NodeRuntime node, long nanos) {
        NodeRuntime set = get();
        if (set != node && compareAndSet(set, node)) {
            try {
                node.later(() -> fire(node), nanos);
            } catch (RuntimeException | Error e) { // the next use starts one
                compareAndSet(node, null);
                throw e;
            }
        }
    }

    private void fire(NodeRuntime node) {
        if (compareAndSet(node, null)) {
            code.accept(node);
        }
    }
}
