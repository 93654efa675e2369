package io.paxoslease.testing;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.TestInfo;

/**
 * Runs one test with one seed after another. {@code -Dfuzz.runs=N} says how many, {@code -Dfuzz.seed=S} repeats one. A run
 * that fails, or that does not end, is reported with its input and the command that repeats it.
 */
public final class Fuzz {

    private static final @Nullable Long RUNS = Long.getLong("fuzz.runs");
    private static final @Nullable Long ONE = Long.getLong("fuzz.seed");

    /** A run takes milliseconds. */
    private static final Duration ENDLESS = Duration.ofSeconds(30);

    private static final ThreadMXBean threads = ManagementFactory.getThreadMXBean();

    private final String test;
    private volatile @Nullable Run current;

    /** One run: everything in it follows from the seed. */
    public static final class Run {

        private final long seed;
        private final SplittableRandom random;
        private volatile Supplier<String> input = () -> "";

        private Run(long seed) {
            this.seed = seed;
            this.random = new SplittableRandom(seed);
        }

        public SplittableRandom random() {
            return random;
        }

        /** Shows these bytes, in hexadecimal, if the run fails. */
        public byte[] input(byte[] bytes) {
            input = () -> HexFormat.of().formatHex(bytes);
            return bytes;
        }

        /** Shows this if the run fails. */
        public void input(Supplier<String> description) {
            input = description;
        }
    }

    public Fuzz(TestInfo info) {
        this.test = info.getTestClass().map(Class::getSimpleName).orElseThrow() + "#"
                + info.getTestMethod().orElseThrow().getName();
    }

    /**
     * Runs the body with the first seeds, from zero.
     *
     * @param usual how many runs there are when nothing else is asked for
     */
    public void runs(int usual, Consumer<Run> body) {
        long first = ONE == null ? 0 : ONE;
        long count = ONE != null ? 1 : RUNS == null ? usual : RUNS;
        FutureTask<Long> task = new FutureTask<>(() -> {
            long start = threads.getCurrentThreadCpuTime();
            for (long seed = first; seed < first + count; seed++) {
                Run run = new Run(seed);
                current = run;
                body.accept(run);
            }
            return threads.getCurrentThreadCpuTime() - start;
        });
        Thread worker = new Thread(task, "fuzz");
        worker.setDaemon(true);
        worker.start();
        double seconds = await(task, worker) / 1e9;
        System.out.printf(
                "%s: %d runs in %.1f s of processor time, %.0f a second%n", test, count, seconds, count / seconds);
    }

    private long await(FutureTask<Long> task, Thread worker) {
        while (true) {
            Run before = current;
            try {
                return task.get(ENDLESS.toSeconds(), TimeUnit.SECONDS);
            } catch (ExecutionException e) {
                throw failure(String.valueOf(e.getCause()), e.getCause());
            } catch (TimeoutException e) {
                if (before != null && before == current) {
                    String where = Arrays.toString(worker.getStackTrace());
                    throw failure("A run does not end within %s; it is at %s".formatted(ENDLESS, where), e);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw failure("Interrupted", e);
            }
        }
    }

    private AssertionError failure(String why, @Nullable Throwable cause) {
        Run run = current;
        long seed = run == null ? 0 : run.seed;
        String input = run == null ? "" : run.input.get();
        return new AssertionError(
                "Seed %d; repeat with mvn -pl paxoslease-core test -Dtest='%s' -Dfuzz.seed=%d%n%s%nInput: %s"
                        .formatted(seed, test, seed, why, input),
                cause);
    }
}
