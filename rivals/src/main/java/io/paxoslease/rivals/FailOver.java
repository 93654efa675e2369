package io.paxoslease.rivals;

import io.paxoslease.rivals.backends.WorkerProcess;
import io.paxoslease.rivals.report.Samples;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Two processes stand for leader. The one that leads is killed at a moment that has nothing to do with its renewals, or
 * gives the leadership up; the time runs until the other one leads. Products whose fail-over is mostly waiting wait
 * together.
 */
final class FailOver {

    private static final Duration SLOW = Duration.ofSeconds(10);
    private static final Duration PATIENCE = Duration.ofMinutes(3);
    private static final long SETTLE_MILLIS = 500;
    private static final int GRACEFUL_SPREAD_MILLIS = 500;
    private static final double MILLI = 1e6;

    private final RunOptions options;
    private final Workspace workspace;
    private final Samples samples;

    FailOver(RunOptions options, Workspace workspace, Samples samples) {
        this.options = options;
        this.workspace = workspace;
        this.samples = samples;
    }

    void run(List<Contender> contenders) throws InterruptedException {
        together(contenders.stream()
                .filter(each -> each.leaseTime(Tuning.DEFAULT).compareTo(SLOW) >= 0)
                .toList());
        for (Contender contender : contenders) {
            if (contender.leaseTime(Tuning.DEFAULT).compareTo(SLOW) < 0) {
                runs(contender, Tuning.DEFAULT);
            }
            if (!contender.leaseTime(Tuning.DEFAULT).isZero()) {
                runs(contender, Tuning.TUNED);
            }
        }
    }

    private void together(List<Contender> slow) throws InterruptedException {
        if (slow.isEmpty()) {
            return;
        }
        ExecutorService pool = Executors.newFixedThreadPool(slow.size());
        try {
            List<Future<?>> running = new ArrayList<>();
            for (Contender contender : slow) {
                running.add(pool.submit(() -> {
                    runs(contender, Tuning.DEFAULT);
                    return null;
                }));
            }
            for (Future<?> each : running) {
                each.get();
            }
        } catch (ExecutionException e) {
            throw new IllegalStateException(e);
        } finally {
            pool.shutdownNow();
        }
    }

    private void runs(Contender contender, Tuning tuning) throws InterruptedException {
        Lab.say("%s, %s, %s".formatted(Workload.FAIL_OVER.word(), contender.name(), tuning.name()));
        try {
            Path directory = workspace.directory(contender.name());
            try (Servers servers = contender.backend().start(directory, Workload.FAIL_OVER.clients(), tuning);
                    Pair pair = new Pair(contender, tuning, servers, directory)) {
                servers.awaitReady();
                pair.awaitReady();
                // Among those that wait together, nobody would get undisturbed figures of a few milliseconds.
                boolean alone = contender.leaseTime(tuning).compareTo(SLOW) < 0;
                boolean graceful = alone && (tuning == Tuning.TUNED || isOnlyDefault(contender));
                for (int i = 0; graceful && i < options.get("graceful-runs"); i++) {
                    samples.add(contender.name(), "released-ms", pair.release() / MILLI);
                }
                for (int i = 0; i < options.get("runs"); i++) {
                    String metric = "kill-%s-ms".formatted(tuning == Tuning.TUNED ? "tuned" : "default");
                    samples.add(contender.name(), metric, pair.kill() / MILLI);
                }
            }
        } catch (IOException e) {
            Lab.say("%s failed and is left out: %s".formatted(contender.name(), e.getMessage()));
        }
    }

    private static boolean isOnlyDefault(Contender contender) {
        return contender.leaseTime(Tuning.DEFAULT).isZero();
    }

    /** One process that leads, and one that waits. */
    private final class Pair implements AutoCloseable {

        private final Contender contender;
        private final Tuning tuning;
        private final Servers servers;
        private final Path directory;
        private WorkerProcess leader;
        private final WorkerProcess other;

        Pair(Contender contender, Tuning tuning, Servers servers, Path directory) throws IOException {
            this.contender = contender;
            this.tuning = tuning;
            this.servers = servers;
            this.directory = directory;
            this.leader = start(0);
            this.other = start(1);
        }

        private WorkerProcess start(int index) throws IOException {
            return WorkerProcess.start(
                    directory.resolve("candidate" + index + ".log"),
                    new WorkerProcess.Spec(
                            contender.name(),
                            List.of(index),
                            tuning,
                            false,
                            servers.addresses(),
                            options.get("heap-mb")));
        }

        void awaitReady() throws IOException, InterruptedException {
            leader.awaitReady();
            other.awaitReady();
        }

        private void stand(int spreadMillis) throws IOException, InterruptedException {
            leader.tell("stand");
            leader.await(Worker.GRANTED, PATIENCE);
            other.tell("stand");
            Thread.sleep(SETTLE_MILLIS + ThreadLocalRandom.current().nextInt(Math.max(1, spreadMillis)));
        }

        private long granted() throws IOException, InterruptedException {
            return Long.parseLong(other.await(Worker.GRANTED, PATIENCE));
        }

        private void end() throws IOException, InterruptedException {
            other.tell("resign");
            other.await(Worker.RESIGNING, PATIENCE);
        }

        /** Nanoseconds from just before the leader gives up until the other one leads. */
        long release() throws IOException, InterruptedException {
            stand(GRACEFUL_SPREAD_MILLIS);
            leader.tell("resign");
            long begin = Long.parseLong(leader.await(Worker.RESIGNING, PATIENCE));
            long nanos = granted() - begin;
            end();
            return nanos;
        }

        /** Nanoseconds from just before the leader's process is killed until the other one leads. */
        long kill() throws IOException, InterruptedException {
            stand((int) contender.renewal(tuning).toMillis());
            long begin = System.nanoTime();
            leader.kill();
            long nanos = granted() - begin;
            end();
            leader = start(0);
            leader.awaitReady();
            return nanos;
        }

        @Override
        public void close() {
            leader.close();
            other.close();
        }
    }
}
