package io.paxoslease.clusters;

import io.paxoslease.clusters.SupervisedProcess.End;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Instances in processes of this machine that meet in a store. They share the monotonic clock, and each has a witness: of the one
 * leadership, and of locks that it acquires all the time.
 */
final class StorageCell implements AutoCloseable {

    private static final int CALLERS = 4;

    private final Path directory;
    private final Path witness;
    private final Duration lease;
    private final Map<String, Instance> instances = new LinkedHashMap<>();

    /** An instance, which may run or not. */
    static final class Instance {

        private final String name;
        private final SupervisedProcess process;
        private final List<String> command;

        private Instance(String name, SupervisedProcess process, List<String> command) {
            this.name = name;
            this.process = process;
            this.command = command;
        }

        String name() {
            return name;
        }

        void start() {
            process.start(command);
        }

        /** SIGKILL. */
        void kill() {
            process.end(End.KILL);
        }

        /** SIGTERM, without a wait: it may not end before the store is back. */
        void terminate() {
            process.terminate();
        }

        /** After a {@link #terminate}. */
        void restart() {
            process.end(End.STOP);
            start();
        }

        /** SIGSTOP. */
        void pause() {
            process.signal("STOP");
        }

        void unpause() {
            process.signal("CONT");
        }

        @Override
        public String toString() {
            return name;
        }
    }

    /**
     * None is started yet.
     *
     * @param directory for logs, and what the witnesses write
     * @param lease the lease time, and the longest
     * @param jars on the class path, beside those of the application
     * @param store where an instance finds the store, by its name, as options
     */
    StorageCell(Path directory, int size, Duration lease, List<Path> jars, Function<String, List<String>> store) {
        this.directory = directory;
        this.lease = lease;
        try {
            this.witness = Files.createDirectory(directory.resolve("witness"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        for (int i = 1; i <= size; i++) {
            String name = "n" + i;
            List<String> options =
                    Stream.concat(options(name), store.apply(name).stream()).toList();
            instances.put(
                    name, new Instance(name, new SupervisedProcess(logFile(name)), ProcessCommand.with(options, jars)));
        }
    }

    private Stream<String> options(String name) {
        return Stream.of(
                "--witness.directory=" + witness,
                "--witness.callers=" + CALLERS,
                "--paxoslease.cell=chaos",
                "--paxoslease.node-id=" + name,
                "--paxoslease.algorithm=storage",
                "--paxoslease.lease-time=%dms".formatted(lease.toMillis()),
                "--paxoslease.max-lease-time=%dms".formatted(lease.toMillis()));
    }

    /** Starts all of them, and returns when one leads. */
    StorageCell start() {
        instances.values().forEach(Instance::start);
        awaitService();
        return this;
    }

    List<Instance> instances() {
        return List.copyOf(instances.values());
    }

    /** Waits until an instance leads, and returns it. */
    Instance leader() {
        long begin = System.nanoTime();
        AtomicReference<@Nullable Tenure> found = new AtomicReference<>();
        Wait.until("one leads, see the logs in " + directory, () -> {
            found.set(history().leading().stream()
                    .filter(each -> each.to() > begin)
                    .findAny()
                    .orElse(null));
            return found.get() != null;
        });
        return Objects.requireNonNull(
                instances.get(Objects.requireNonNull(found.get()).node()));
    }

    /** Waits until an instance leads by a lease that was granted or renewed from now on, and says how long that took. */
    Duration awaitService() {
        long begin = System.nanoTime();
        Wait.until("one leads, see the logs in " + directory, () -> history().leading().stream()
                .anyMatch(each -> each.to() - begin > lease.toNanos()));
        return Duration.ofNanos(System.nanoTime() - begin);
    }

    /** Waits until every instance has acquired a lock that it asked for from now on. */
    void awaitAllServe() {
        long begin = System.nanoTime();
        for (Instance each : instances()) {
            Wait.until(
                    "%s acquires a lock, see %s".formatted(each, logFile(each.name())), () -> traffic().calls().stream()
                            .anyMatch(call ->
                                    call.node().equals(each.name()) && call.isGranted() && call.asked() > begin));
        }
    }

    /** What the witnesses have written down so far. */
    History history() {
        return History.of(ProcessCell.read(witness));
    }

    Traffic traffic() {
        return Traffic.of(ProcessCell.read(witness));
    }

    /** What all instances have logged. */
    String logs() {
        StringBuilder logs = new StringBuilder();
        try {
            for (String name : instances.keySet()) {
                logs.append(Files.readString(logFile(name)));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return logs.toString();
    }

    private Path logFile(String name) {
        return directory.resolve(name + ".log");
    }

    /** Ends every process, so that nothing is written any more. */
    @Override
    public void close() {
        instances.values().forEach(each -> each.process.kill());
        instances.values().forEach(Instance::kill);
    }
}
