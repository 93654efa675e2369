package io.paxoslease.clusters.witness;

import io.paxoslease.election.Leadership;
import io.paxoslease.spring.leader.LeaderElections;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.springframework.context.SmartLifecycle;

/**
 * Asks about every millisecond whether this instance leads, with a reading of the monotonic clock before and after. The
 * containers share that clock, because they share the kernel. What it writes needs no flush and no goodbye: after a SIGKILL
 * the last answer is still there.
 *
 * <p>Lines have a fixed width, and each is written over in place: {@code alive T} with the time of the last answer, then for
 * each leadership {@code leads TOKEN FROM TO}. It certainly led from FROM, read after the first yes, to TO, read before the
 * last yes. A hole between two answers is a pause; {@code hole FROM TO LEADS} gives the first answer after it.
 */
final class LeaderSampler implements SmartLifecycle {

    static final int UNWITNESSED = 70;
    private static final long PERIOD_NANOS = 1_000_000;
    /** Of the other roles, of which there are several. */
    private static final long LONG_PERIOD_NANOS = 10_000_000;

    private static final long HOLE_NANOS = 500_000_000;

    private final LeaderElections elections;
    private final String role;
    private final long periodNanos;
    private final Path file;
    private @Nullable Thread thread;
    private volatile boolean running;
    private int line;
    private long token;
    private long from;

    LeaderSampler(LeaderElections elections, Path directory, String node) {
        this.elections = elections;
        this.role = GuardedJob.ROLE;
        this.periodNanos = PERIOD_NANOS;
        this.file = directory.resolve("%s-%d.leads".formatted(node, System.nanoTime()));
    }

    /** Of another role, about every ten milliseconds, into a file of its own that begins with the role. */
    LeaderSampler(LeaderElections elections, String role, Path directory, String node) {
        this.elections = elections;
        this.role = role;
        this.periodNanos = LONG_PERIOD_NANOS;
        this.file = directory.resolve("%s@%s-%d.role".formatted(role, node, System.nanoTime()));
    }

    @Override
    public synchronized void start() {
        running = true;
        Thread sampler = new Thread(this::sample, "leader-sampler");
        sampler.setDaemon(true);
        sampler.start();
        thread = sampler;
    }

    private void sample() {
        try (FileChannel out = FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            long last = System.nanoTime();
            while (running) {
                put(out, 0, "alive " + last);
                long before = System.nanoTime();
                Leadership leadership = elections.leadership(role).orElse(null);
                long after = System.nanoTime();
                if (before - last > HOLE_NANOS) {
                    put(out, ++line, "hole %d %d %s".formatted(last, after, leadership != null));
                    token = 0; // A leadership that goes on after a hole gets a line of its own.
                }
                if (leadership != null) {
                    leads(out, leadership.fencingToken(), before, after);
                }
                last = before;
                LockSupport.parkNanos(periodNanos);
            }
        } catch (IOException | RuntimeException e) {
            System.err.println("The witness ends its instance: what it does not write down would not be judged: " + e);
            Runtime.getRuntime().halt(UNWITNESSED);
        }
    }

    private void leads(FileChannel out, long current, long before, long after) throws IOException {
        if (current != token) {
            token = current;
            from = after;
            line++;
        }
        put(out, line, "leads %d %d %d".formatted(token, from, before));
    }

    private static void put(FileChannel out, int line, String words) throws IOException {
        out.write(LineFile.padded(words), (long) line * LineFile.WIDTH);
    }

    /** After everything that may lead has stopped. */
    @Override
    public synchronized void stop() {
        running = false;
        if (thread != null) {
            LockSupport.unpark(thread);
        }
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    /** Starts before the elections and stops after them. */
    @Override
    public int getPhase() {
        return Integer.MIN_VALUE;
    }
}
