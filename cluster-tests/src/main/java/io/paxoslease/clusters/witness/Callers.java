package io.paxoslease.clusters.witness;

import io.paxoslease.AcquireOptions;
import io.paxoslease.Lease;
import io.paxoslease.PaxosLease;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.event.EventListener;

/**
 * Threads that acquire leases, hold them for a while and release them, under names that all instances share. For each a line
 * {@code NAME TOKEN ASKED FROM TO HELD}: it was held for certain from FROM, read after the first yes, to TO, read before the last one;
 * HELD is false when it was lost meanwhile. Without a lease within the wait the token is zero.
 */
final class Callers implements SmartLifecycle {

    private static final AcquireOptions HOW =
            AcquireOptions.builder().maxWait(Duration.ofSeconds(10)).build();
    private static final int SHORT_MILLIS = 5;
    private static final int LONG_MILLIS = 1_000;
    private static final int PAUSE_MILLIS = 200;

    private final PaxosLease node;
    private final LineFile file;
    private final int threads;
    private final int names;
    private final int longOneOf;
    private volatile boolean running;
    private @Nullable ThreadGroup group;

    /**
     * @param names how many different leases they ask for
     * @param longOneOf one of so many holds is long
     */
    Callers(PaxosLease node, Path directory, String name, int threads, int names, int longOneOf) {
        this.node = node;
        this.file = new LineFile(directory.resolve(name + ".calls"));
        this.threads = threads;
        this.names = names;
        this.longOneOf = longOneOf;
    }

    /** Not before the node serves requests, so that no line tells of the start. */
    @EventListener
    void ready(ApplicationReadyEvent event) {
        ThreadGroup callers = new ThreadGroup("callers");
        group = callers;
        SplittableRandom seeds = new SplittableRandom();
        for (int i = 0; i < threads; i++) {
            SplittableRandom random = seeds.split();
            Thread thread = new Thread(callers, () -> call(random), "caller-" + i);
            thread.setDaemon(true);
            thread.start();
        }
    }

    private void call(SplittableRandom random) {
        try {
            while (running) {
                String name = "lock-" + random.nextInt(names);
                long asked = System.nanoTime();
                Optional<Lease> lease = node.tryAcquire(name, HOW);
                long answered = System.nanoTime();
                if (lease.isEmpty()) {
                    file.append(name, 0, asked, answered, answered, true);
                } else {
                    hold(lease.get(), asked, random.nextInt(longOneOf) == 0 ? LONG_MILLIS : SHORT_MILLIS);
                }
                TimeUnit.MILLISECONDS.sleep(1 + random.nextInt(2 * PAUSE_MILLIS));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException e) {
            if (running) { // not while the node stops
                System.err.println("The witness ends its instance: a caller ends with " + e);
                Runtime.getRuntime().halt(LeaderSampler.UNWITNESSED);
            }
        }
    }

    private void hold(Lease lease, long asked, int millis) throws InterruptedException {
        boolean held = lease.isHeld();
        long from = System.nanoTime();
        long to = from;
        long end = from + TimeUnit.MILLISECONDS.toNanos(millis);
        try {
            while (held && running && to < end) {
                TimeUnit.MILLISECONDS.sleep(SHORT_MILLIS);
                long before = System.nanoTime();
                held = lease.isHeld();
                to = held ? before : to;
            }
        } finally {
            file.append(lease.resource(), lease.fencingToken(), asked, from, to, held || !running);
            lease.release();
        }
    }

    @Override
    public void start() {
        running = true;
    }

    /** Before the node stops. */
    @Override
    public void stop() {
        running = false;
        if (group != null) {
            group.interrupt();
        }
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    /** Starts last and stops first. */
    @Override
    public int getPhase() {
        return Integer.MAX_VALUE;
    }
}
