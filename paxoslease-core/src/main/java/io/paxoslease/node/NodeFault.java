package io.paxoslease.node;

import io.paxoslease.protocol.Printable;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether a node still takes part, and the fault in itself that ended it. A fault is handled in an order: flags first, which need no memory; then
 * what can fail for want of it, each part by itself; the log last, which may be what fails. By any thread.
 */
final class NodeFault {

    private static final Logger log = LoggerFactory.getLogger(NodeFault.class);

    private final EffectSink sink;
    private final Runnable handled;
    private final FaultSteps steps = new FaultSteps(this::endsSink, this::logFault);

    private volatile boolean isOver;
    /** What ended the node; null: nothing has. */
    private final AtomicReference<@Nullable Throwable> fault = new AtomicReference<>();
    /** Where it was found: made into text once the node has ended. */
    private volatile @Nullable Object foundAt;

    /** @param handled is called when nothing is left to be done after a fault, perhaps more than once */
    NodeFault(EffectSink sink, Runnable handled) {
        this.sink = sink;
        this.handled = handled;
    }

    /** Whether the node takes no further part: it was stopped, or has found a fault in itself. */
    boolean isOver() {
        return isOver;
    }

    void stopped() {
        isOver = true;
    }

    boolean isFound() {
        return fault.get() != null;
    }

    /** Ends the node. What could not be done is tried again by {@link #end}. Never throws. */
    void found(Throwable failure, Object at) {
        boolean isFirst = !isOver;
        isOver = true;
        if (isFirst && fault.compareAndSet(null, failure)) {
            foundAt = at;
            sink.failed(failure);
            end();
        } else if (failure != fault.get()) {
            warnOfAnother(failure, at);
        }
    }

    private static void warnOfAnother(Throwable failure, Object at) {
        try {
            log.warn("A node that had ended found a fault in itself at {}", Printable.text(at), failure);
        } catch (RuntimeException | Error silent) {
            return; // it had ended
        }
    }

    /** Does what the fault has left to be done; whether nothing is left. Never throws. */
    boolean end() {
        boolean done = steps.run();
        if (done) {
            handled.run();
        }
        return done;
    }

    private boolean endsSink() {
        return sink.endAfterFault();
    }

    private boolean logFault() {
        log.error(
                "This node takes no further part: it found a fault in itself at {}",
                Printable.text(foundAt),
                fault.get());
        return true;
    }
}
