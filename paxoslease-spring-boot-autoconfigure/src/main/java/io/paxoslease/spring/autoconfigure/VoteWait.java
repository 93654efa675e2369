package io.paxoslease.spring.autoconfigure;

import io.paxoslease.PaxosLease;
import io.paxoslease.PaxosLeaseException;
import io.paxoslease.monitor.AwaitedVote;
import io.paxoslease.protocol.Printable;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/**
 * Lets the node vote on when the application stops, until the other members have a majority without it, if a quarantine ends soon. All else has
 * stopped by then, and what it led is led elsewhere, by the vote of this node. Leases that are still held then are held until the node stops.
 */
final class VoteWait implements SmartLifecycle {

    /** Stops just before the node. */
    static final int PHASE = PaxosLeaseLifecycle.PHASE + 1;

    private static final Logger log = LoggerFactory.getLogger(VoteWait.class);
    private static final Duration LOOK = Duration.ofMillis(100);

    private final Supplier<Optional<AwaitedVote>> vote;
    private final Duration atMost;
    private final Function<Runnable, NextSignal> nextSignal;
    private volatile boolean running;

    /** @param atMost less than the container waits for a phase */
    VoteWait(PaxosLease node, Duration atMost) {
        this(() -> voteOf(node), atMost, NextSignal::then);
    }

    VoteWait(Supplier<Optional<AwaitedVote>> vote, Duration atMost, Function<Runnable, NextSignal> nextSignal) {
        this.vote = vote;
        this.atMost = atMost;
        this.nextSignal = nextSignal;
    }

    private static Optional<AwaitedVote> voteOf(PaxosLease node) {
        try {
            return node.monitor().awaitedVote();
        } catch (PaxosLeaseException silent) {
            return Optional.empty();
        }
    }

    @Override
    public void start() {
        running = true;
    }

    @Override
    public void stop() {
        running = false;
        vote.get().ifPresent(this::await);
    }

    private void await(AwaitedVote first) {
        log.info(
                "This node stops in up to {} ms: without its vote the other members have no majority until the quarantine of '{}' ends. A second signal (SIGTERM, Ctrl+C) ends the wait",
                Math.min(first.within().toMillis(), atMost.toMillis()),
                Printable.name(first.member()));
        CountDownLatch hurried = new CountDownLatch(1);
        NextSignal signal = nextSignal.apply(hurried::countDown);
        try {
            long start = System.nanoTime();
            if (!othersDecide(hurried)) {
                log.warn(
                        "This node stops although the other members have no majority yet: leases cannot be renewed until they have");
            } else if (System.nanoTime() - start < first.within().toNanos()) {
                log.info(
                        "The wait has ended early: the members that this node reaches have changed, and either have a majority now or cannot get one");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            signal.close();
        }
    }

    /** Whether they do, or waiting does not help, before the time is over or the signal comes. */
    private boolean othersDecide(CountDownLatch hurried) throws InterruptedException {
        long start = System.nanoTime();
        for (Optional<AwaitedVote> awaited = vote.get(); awaited.isPresent(); awaited = vote.get()) {
            long left = atMost.toNanos() - (System.nanoTime() - start);
            long look = Math.min(LOOK.toNanos(), awaited.get().within().toNanos());
            if (left <= 0 || hurried.await(Math.min(left, look), TimeUnit.NANOSECONDS)) {
                return false;
            }
        }
        return true;
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    @Override
    public int getPhase() {
        return PHASE;
    }
}
