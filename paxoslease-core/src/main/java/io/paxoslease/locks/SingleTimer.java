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
            boolean started = false;
            try {
                node.later(() -> fire(node), nanos);
                started = true;
            } finally {
                if (!started) { // the next use starts one
                    compareAndSet(node, null);
                }
            }
        }
    }

    private void fire(NodeRuntime node) {
        if (compareAndSet(node, null)) {
            code.accept(node);
        }
    }
}
