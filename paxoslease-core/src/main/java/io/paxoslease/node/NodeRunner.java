package io.paxoslease.node;

import io.paxoslease.protocol.Effect;
import io.paxoslease.protocol.Event;
import io.paxoslease.protocol.Generation;
import io.paxoslease.protocol.LeaseAlgorithm;
import io.paxoslease.protocol.Message;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Printable;
import io.paxoslease.protocol.Reading;
import io.paxoslease.transport.CellConfig;
import io.paxoslease.transport.Transport;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs one {@link LeaseAlgorithm} on one thread: takes events in, reads the clocks once for each, steps, and carries out the
 * effects. Messages that steps of one batch produce for a peer leave together. {@link #submit} may be called by any
 * thread; everything else happens on the loop.
 */
public final class NodeRunner implements Transport.Receiver {

    private static final Logger log = LoggerFactory.getLogger(NodeRunner.class);
    private static final int BATCH = 1_024;

    private final LeaseAlgorithm node;
    private final ScheduledExecutorService loop;
    private final NodeClock clock;
    private final ClockGuard guard;
    private final EffectSink sink;
    private final NodeCounts counts;

    private final ConcurrentLinkedQueue<Event> events = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean draining = new AtomicBoolean();
    private final Transport transport;
    private final SendBuffer sendBuffer;
    private final WakeTimer timer;
    private volatile @Nullable ScheduledFuture<?> beats;
    private final NodeFault fault;

    /** Made before it is needed. */
    private final IllegalStateException loopEnded = new IllegalStateException(
            "the thread of this node has ended, or runs its timers no more: see what the log says before, and the JVM's own output");

    private final LoopWatch loopWatch;

    /**
     * @param loop runs tasks one at a time, in order
     * @param transport where messages go
     * @param sink where everything else goes; {@code counts} counts what goes through here
     */
    public NodeRunner(
            LeaseAlgorithm node,
            ScheduledExecutorService loop,
            NodeClock clock,
            ClockGuard guard,
            Transport transport,
            EffectSink sink,
            NodeCounts counts) {
        this.node = node;
        this.loop = loop;
        this.loopWatch = new LoopWatch(loop, this::failItsThread);
        this.clock = clock;
        this.guard = guard;
        this.sink = sink;
        this.fault = new NodeFault(sink, this::endBeats);
        this.counts = counts;
        this.transport = transport;
        this.sendBuffer = new SendBuffer(transport, () -> clock.read().moment().nanos());
        this.timer = new WakeTimer(loop, clock, () -> run(() -> handle(new Event.Woken())));
    }

    /** Starts to beat and to wake the node. */
    public void start() {
        execute(() -> run(() -> {
            if (!fault.isOver()) {
                beats = loop.scheduleWithFixedDelay(this::beat, 0, ClockGuard.BEAT_NANOS, TimeUnit.NANOSECONDS);
            }
        }));
    }

    /** Hands an event to the node. Events of one thread stay in order. Dropped once the node has stopped. If it throws, the node does not have it. */
    public void submit(Event event) {
        events.add(event);
        drainSoon();
    }

    /** The same for two, which are handled in one go: what they send leaves together. */
    public void submit(Event first, Event second) {
        events.add(first);
        events.add(second);
        drainSoon();
    }

    /** If the loop fails to take the task, as for want of a thread, the events wait for the next beat. */
    private void drainSoon() {
        if (draining.compareAndSet(false, true)) {
            try {
                execute(() -> run(this::drain));
            } catch (Error failure) {
                draining.set(false);
                warn("The loop of this node did not take a task: it is tried again with the next beat", failure);
            }
        }
    }

    /** What cannot be logged, as for want of memory, is not: it matters more that the work goes on. */
    static void warn(String what, Throwable failure) {
        try {
            log.warn(Printable.text(what), failure);
        } catch (RuntimeException | Error silent) {
            return;
        }
    }

    /** Asks the node something, on its thread. */
    public <T> CompletableFuture<T> ask(Function<LeaseAlgorithm, T> question) {
        CompletableFuture<T> answer = new CompletableFuture<>();
        Runnable asked = () -> {
            try {
                answer.complete(question.apply(node));
            } catch (RuntimeException | Error e) { // the asker's
                answer.completeExceptionally(e);
            }
        };
        if (!execute(asked)) {
            answer.completeExceptionally(new IllegalStateException("the node has stopped"));
        }
        return answer;
    }

    /**
     * Stops the node: leases are released, the messages that say so are handed to the transport, and nothing is answered
     * any more. Completes when that is done.
     *
     * @param first called on the loop before anything is released, because users of a lease must stop first (P6). Returns events that the node
     *     handles before it stops
     */
    public CompletableFuture<Void> stop(Supplier<? extends List<? extends Event>> first) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        boolean accepted = execute(() -> {
            run(() -> {
                drain();
                first.get().forEach(this::step); // all of it: other events may wait for a later batch
                drain();
                step(new Event.Shutdown());
                flush();
                halt();
            });
            done.complete(null);
        });
        if (!accepted) {
            done.complete(null);
        }
        return done;
    }

    /** On the loop. What the task throws is a fault of this node, which takes no further part: no timer ends silently. */
    public void run(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException | Error failure) {
            fault.found(failure, "a task");
        }
    }

    @Override
    public void received(NodeId from, List<Message> messages) {
        try {
            for (Message message : messages) {
                counts.received(message);
                step(new Event.Received(from, message));
            }
            flush();
        } catch (RuntimeException | Error failure) { // not the connection's, that the message came by
            fault.found(failure, "a message");
        }
    }

    @Override
    public void failed(Throwable failure) {
        fault.found(failure, "a connection");
    }

    @Override
    public void reachable(NodeId peer) {
        handle(new Event.Reachable(peer));
    }

    @Override
    public void unreachable(NodeId peer) {
        handle(new Event.Unreachable(peer));
    }

    @Override
    public void generationSeen(NodeId member, Generation generation, int sealed) {
        handle(new Event.GenerationMet(member, generation, sealed));
    }

    @Override
    public void otherConfiguration(NodeId other, CellConfig config, String difference, boolean isSealed) {
        handle(new Event.OtherConfiguration(
                other, config.members(), NodeAlgorithm.silenceNanos(config), difference, isSealed));
    }

    @Override
    public void otherLife(NodeId member, long nanosAgo) {
        handle(new Event.OtherLife(member, nanosAgo));
    }

    private void handle(Event event) {
        try {
            step(event);
            flush();
        } catch (RuntimeException | Error failure) {
            fault.found(failure, event);
        }
    }

    @Override
    public boolean serves() {
        return !fault.isOver() && node.serves(clock.read());
    }

    private void drain() {
        draining.set(false);
        int n = 0;
        for (Event event = events.poll(); event != null; event = events.poll()) {
            step(event);
            if (++n == BATCH) {
                loopWatch.beat(); // the loop is not stuck, however many events there are
                drainSoon();
                break;
            }
        }
        flush();
    }

    /** Also does what could not be done for want of a thread or of memory: events that wait, a timer that was not set. */
    private void beat() {
        loopWatch.beat();
        if (fault.isFound()) {
            fault.end();
            return;
        }
        try {
            checkClocks();
            drain();
        } catch (RuntimeException | Error failure) {
            fault.found(failure, "the beat");
        }
    }

    /** Compares both clocks with the last beat; the leases are suspect before anybody may trust the clocks again. */
    private void checkClocks() {
        Reading now = clock.readPair();
        ClockGuard.Verdict verdict = guard.hasMoved() ? ClockGuard.Verdict.MAY_HAVE_FORGOTTEN : guard.judge(now);
        if (verdict != ClockGuard.Verdict.AGREE) {
            counts.clocksDisagreed();
            guard.report(verdict);
            step(new Event.ClocksDisagree(verdict == ClockGuard.Verdict.MAY_HAVE_FORGOTTEN), now);
        }
        guard.beat(now);
    }

    /**
     * The clocks are read here, after the event came in, and nowhere else. When they no longer agree, the node hears of that
     * before it hears of anything else.
     */
    private void step(Event event) {
        Reading now = clock.read();
        if (guard.judge(now) != ClockGuard.Verdict.AGREE) {
            checkClocks();
            now = clock.read();
        }
        step(event, now);
    }

    private void step(Event event, Reading now) {
        if (fault.isOver()) {
            return;
        }
        try {
            for (Effect effect : node.step(event, now)) {
                counts.emitted(effect);
                if (effect instanceof Effect.Send send) {
                    sendBuffer.add(send);
                } else {
                    sink.apply(effect);
                }
            }
        } catch (RuntimeException | Error failure) {
            fault.found(failure, event);
        }
    }

    /**
     * Notices that the thread of this node has ended, which no task on it can, and does what a fault has left to be done. By {@link FaultWatch}.
     *
     * @return whether there is nothing more to look after
     */
    boolean lookAfterFault() {
        if (fault.isFound()) {
            return fault.end();
        }
        ScheduledFuture<?> beating = beats;
        if (loop.isShutdown() || transport.isEnding() || (beating != null && beating.isDone())) {
            failItsThread();
        } else if (beating != null && !fault.isOver()) {
            loopWatch.look();
        }
        return fault.isOver() && !fault.isFound(); // it has been stopped
    }

    private void failItsThread() {
        if (!fault.isOver()) {
            fault.found(loopEnded, "its thread");
        }
    }

    private void flush() {
        if (fault.isFound()) {
            sendBuffer.clear(); // not even what it sent before
        }
        try {
            sendBuffer.flush(node);
            if (!fault.isOver()) {
                timer.wakeAt(node.nextDeadline());
            }
            sink.finish();
        } catch (RuntimeException | Error failure) {
            fault.found(failure, "the end of a task");
        }
    }

    private void halt() {
        fault.stopped();
        sendBuffer.clear();
        timer.cancel();
        endBeats();
    }

    private void endBeats() {
        ScheduledFuture<?> beating = beats;
        if (beating != null) {
            beating.cancel(false);
        }
    }

    boolean execute(Runnable task) {
        try {
            loop.execute(task);
            return true;
        } catch (RejectedExecutionException stopped) {
            return false;
        }
    }
}
