package io.paxoslease.clusters;

import io.paxoslease.NodeMode;
import io.paxoslease.PaxosLease;
import io.paxoslease.PaxosLeaseOptions;
import io.paxoslease.clusters.SupervisedProcess.End;
import io.paxoslease.watch.LeaseWatch;
import io.paxoslease.watch.WatchedLease;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;

/**
 * Ten instances of an application, each a process of this machine and a client of three members, which contest one role; and a client that
 * watches who leads. The members and the watching client run here.
 */
final class Fleet implements AutoCloseable {

    static final int INSTANCES = 10;
    /** From then on a candidate is proven, and can lead next though it is older than the leader. */
    static final Duration PROVEN = Duration.ofSeconds(60);

    private static final Duration LEASE = Duration.ofSeconds(5);
    private static final String ROLES = "role:";
    private static final String ROLE = ROLES + "billing";

    /** When an old instance stops. */
    enum Strategy {
        /** As soon as the process of the new one has begun to start. */
        SURGE,
        /** When the new one is ready. */
        SURGE_UNTIL_READY,
        /** Before the new one starts. */
        STOP_THEN_START
    }

    /** In which order the old instances are replaced. */
    enum Order {
        OLDEST_FIRST,
        YOUNGEST_FIRST,
        RANDOM
    }

    private record Instance(String id, SupervisedProcess process) {}

    private final Path directory;
    private final Path witness;
    private final Map<String, String> members = new LinkedHashMap<>();
    private final List<PaxosLease> nodes = new ArrayList<>();
    private final List<String> leaders = new CopyOnWriteArrayList<>();
    private final LeaseWatch watch;
    /** The oldest first. */
    private final List<Instance> running = new ArrayList<>();

    private int started;

    Fleet(Path directory) {
        this.directory = directory;
        try {
            this.witness = Files.createDirectory(directory.resolve("witness"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        List.of("a", "b", "c").forEach(member -> members.put(member, "127.0.0.1:" + ProcessCell.freePort()));
        members.keySet().forEach(member -> startNode(options(member)));
        PaxosLease watching = startNode(options("watching").mode(NodeMode.CLIENT));
        watch = watching.watch(ROLES, this::changed);
    }

    private PaxosLeaseOptions.Builder options(String id) {
        return PaxosLeaseOptions.builder(id).peers(members).leaseTime(LEASE).maxLeaseTime(LEASE);
    }

    private PaxosLease startNode(PaxosLeaseOptions.Builder options) {
        PaxosLease node = PaxosLease.create(options.build());
        nodes.add(node);
        node.start();
        return node;
    }

    private void changed(List<WatchedLease> changes) {
        changes.stream()
                .filter(lease -> lease.resource().equals(ROLE) && lease.state() == WatchedLease.State.HELD)
                .map(lease -> Objects.requireNonNull(lease.owner()))
                .filter(owner -> leaders.isEmpty() || !owner.equals(leaders.get(leaders.size() - 1)))
                .forEach(leaders::add);
    }

    /** Starts the first ten, one after the other, and waits until all are ready and one leads. */
    Fleet start() {
        for (int i = 0; i < INSTANCES; i++) {
            awaitReady(startNext());
        }
        Wait.until(
                "one leads, see " + directory,
                () -> !leaders.isEmpty() && !granted().isEmpty());
        return this;
    }

    private Instance startNext() {
        String id = "i%02d".formatted(started++);
        List<String> options = new ArrayList<>(List.of(
                "--witness.directory=" + witness,
                "--paxoslease.node-id=" + id,
                "--paxoslease.mode=client",
                "--paxoslease.contact-points=" + String.join(",", members.values()),
                "--paxoslease.lease-time=" + LEASE.toMillis() + "ms"));
        Instance instance = new Instance(id, new SupervisedProcess(directory.resolve(id + ".log")));
        running.add(instance);
        instance.process().start(ProcessCommand.with(options));
        return instance;
    }

    private void awaitReady(Instance instance) {
        Wait.until(
                instance.id() + " is ready, see " + directory,
                () -> readySince(instance.id()) < Long.MAX_VALUE
                        || instance.process().hasFailed());
        if (instance.process().hasFailed()) {
            throw new AssertionError("%s does not start, see %s".formatted(instance.id(), directory));
        }
    }

    private long readySince(String id) {
        return events().lastEvent(id, "ready", Long.MAX_VALUE)
                .map(History.Event::at)
                .orElse(Long.MAX_VALUE);
    }

    /** Waits until the youngest one has contested the role for that long. */
    void awaitAge(Duration age) {
        long since = readySince(running.get(running.size() - 1).id());
        Wait.until("the youngest is " + age + " old", () -> System.nanoTime() - since > age.toNanos());
    }

    /** Replaces all, and answers who has led from before the first stop until all are replaced: who was granted the role, by the witnesses. */
    List<String> replaceAll(Strategy strategy, Order order) {
        int before = granted().size() - 1;
        List<Instance> old = new ArrayList<>(running);
        if (order == Order.YOUNGEST_FIRST) {
            Collections.reverse(old);
        } else if (order == Order.RANDOM) {
            Collections.shuffle(old, new Random(started));
        }
        for (Instance each : old) {
            if (strategy == Strategy.STOP_THEN_START) {
                stop(each);
                awaitReady(startNext());
            } else {
                Instance next = startNext();
                if (strategy == Strategy.SURGE_UNTIL_READY) {
                    awaitReady(next);
                }
                stop(each);
                awaitReady(next);
            }
        }
        awaitLeaderAmongRunning();
        List<String> granted = granted();
        return granted.subList(before, granted.size());
    }

    /** In the order of time. */
    private List<String> granted() {
        return events().events().stream()
                .filter(event -> event.what().equals("granted"))
                .map(History.Event::node)
                .toList();
    }

    private void stop(Instance instance) {
        instance.process().end(End.STOP);
        running.remove(instance);
    }

    /**
     * The watch tells it within milliseconds; a leader that could not hand over is replaced after a lease time. What a majority of the members
     * has accepted is told of even if it reaches its proposer too late, so more may be told of than are granted.
     */
    private void awaitLeaderAmongRunning() {
        Wait.until("the watch names the new instance that leads, see " + directory, () -> {
            List<String> granted = granted();
            String last = granted.get(granted.size() - 1);
            return last.equals(leaders.get(leaders.size() - 1))
                    && running.stream().anyMatch(each -> each.id().equals(last));
        });
    }

    /** Only what instances were told: the other files of the witnesses grow fast, and are long to read while a test waits. */
    private History events() {
        Map<String, String> files = new HashMap<>();
        try (DirectoryStream<Path> written = Files.newDirectoryStream(witness, "*.events")) {
            for (Path file : written) {
                files.put(file.getFileName().toString(), Files.readString(file));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return History.of(files);
    }

    History history() {
        return History.of(ProcessCell.read(witness));
    }

    /** The leases that ended without having been released, also because their node stopped before. */
    String losses() {
        return ProcessCell.read(witness).entrySet().stream()
                .filter(file ->
                        file.getKey().endsWith(".losses") && !file.getValue().isEmpty())
                .map(file -> file.getKey() + " " + file.getValue())
                .collect(Collectors.joining());
    }

    @Override
    public void close() {
        running.forEach(each -> each.process().kill());
        running.forEach(each -> each.process().end(End.KILL));
        watch.close();
        Collections.reverse(nodes);
        nodes.forEach(PaxosLease::stop);
    }
}
