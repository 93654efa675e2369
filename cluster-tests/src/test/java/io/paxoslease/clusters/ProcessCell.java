package io.paxoslease.clusters;

import io.paxoslease.clusters.SupervisedProcess.End;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/**
 * Instances in processes of this machine, on ports of the loopback interface: for what needs real processes, each with a
 * configuration of its own, but no network that can be cut. They share the monotonic clock, and each has a witness. A node's id is
 * one letter, so a list of members is a word. A capital is a second process with the id of the small letter, on a port of its own.
 */
final class ProcessCell implements AutoCloseable {

    /** The lease time and the longest one: short, so that a test takes seconds, and long enough for a machine that is busy. */
    static final Duration LEASE = Duration.ofSeconds(1);

    /** For an instance that neither starts nor fails: more than a start takes, so that the operator goes on to the next one. */
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    /**
     * Between an instance that is up and the next one: its acceptor is silent for 1.22 times the longest lease, or for the two seconds that
     * it looks around, and an election of those that are up then takes no longer than a lease.
     */
    private static Duration settled(Listing listing) {
        return LEASE.plus(listing.longestOfBoth().multipliedBy(122).dividedBy(100));
    }

    /** Below the range that the system hands out to clients. */
    private static final int FIRST_PORT = 20_000;

    private static final int PORTS = 10_000;
    private static final AtomicInteger nextPort =
            new AtomicInteger((int) (ProcessHandle.current().pid() * 97 % PORTS));

    private final Path directory;
    private final Path witness;
    private final Map<String, Integer> ports = new HashMap<>();
    private final Map<String, SupervisedProcess> processes = new LinkedHashMap<>();
    /** What each instance was started with last. */
    private final Map<String, Listing> lists = new HashMap<>();
    /** Where the log of its last start begins. */
    private final Map<String, Long> logBegins = new HashMap<>();

    /** @param nodes all that ever take part; none is started yet */
    ProcessCell(Path directory, String nodes) {
        this.directory = directory;
        try {
            this.witness = Files.createDirectory(directory.resolve("witness"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        for (String node : each(nodes)) {
            ports.put(node, freePort());
            processes.put(node, new SupervisedProcess(logFile(node)));
        }
    }

    /** The list of those members, without a mark of a generation. */
    static Listing plain(String members) {
        return Listing.of(each(members), LEASE);
    }

    static List<String> each(String letters) {
        return letters.codePoints().mapToObj(Character::toString).toList();
    }

    static int freePort() {
        while (true) {
            int port = FIRST_PORT + Math.floorMod(nextPort.getAndIncrement(), PORTS);
            try (ServerSocket probe = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
                return probe.getLocalPort();
            } catch (IOException inUse) {
                // Another one, then.
            }
        }
    }

    /** Starts those instances with themselves as the members, and waits until one leads. */
    ProcessCell start(String members) {
        return start(plain(members));
    }

    /** Starts all that vote by that list, and waits until one leads. */
    ProcessCell start(Listing listing) {
        for (String node : listing.everyone()) {
            start(node, listing);
        }
        awaitService();
        return this;
    }

    /** Starts an instance that does not run, without a wait. */
    void start(String node, String members) {
        start(node, plain(members));
    }

    /** Starts an instance that does not run, without a wait. */
    void start(String node, Listing listing) {
        String id = node.toLowerCase(Locale.ROOT);
        List<String> options = new ArrayList<>(List.of(
                "--witness.directory=" + witness,
                "--paxoslease.node-id=" + id,
                "--paxoslease.lease-time=" + LEASE.toMillis() + "ms"));
        options.addAll(listing.options(member -> "127.0.0.1:" + ports.get(member.equals(id) ? node : member)));
        lists.put(node, listing);
        logBegins.put(node, logFile(node).toFile().length());
        process(node).start(ProcessCommand.with(options));
    }

    /** Ends an instance for good. */
    void end(String node, End how) {
        process(node).end(how);
    }

    /**
     * A rolling change of the members, as operators do one: instance by instance, each ended and started with the new list, those
     * that are new started, those that are no members any more ended for good. What does not come up is left to its supervisor.
     *
     * @param order all instances of the old and of the new list; a capital one crashes in between and comes back with the list it had
     */
    void change(String members, End how, String order) {
        change(plain(members), how, order);
    }

    /** The same with any list: who is only in the one before a marked change goes on, with the new list. */
    void change(Listing after, End how, String order) {
        for (String letter : each(order)) {
            String node = letter.toLowerCase(Locale.ROOT);
            if (letter.equals(node)) {
                restart(node, after, how);
            } else {
                restart(node, lists.getOrDefault(node, plain("")), End.KILL);
            }
        }
    }

    private void restart(String node, Listing listing, End how) {
        if (process(node).isToRun()) {
            end(node, how);
        }
        if (listing.everyone().contains(node)) {
            long begin = System.nanoTime();
            start(node, listing);
            Wait.until(
                    node + " is up, has failed, or takes too long",
                    () -> isUpFor(settled(listing), node, begin)
                            || process(node).hasFailed()
                            || System.nanoTime() - begin > PATIENCE.toNanos());
        }
    }

    /** Waits until each of them has logged that this generation is sealed, since it was started last. */
    void awaitSealed(int generation, String nodes) {
        for (String node : each(nodes)) {
            awaitLog(node, "Generation %d is sealed".formatted(generation));
        }
    }

    /** Waits until an instance has logged one of these since it was started last. */
    void awaitLog(String node, String... either) {
        Wait.until("%s logs one of %s, see %s".formatted(node, List.of(either), logFile(node)), () -> {
            String log = log(node);
            return Stream.of(either).anyMatch(log::contains);
        });
    }

    /** What it has logged since it was started last. */
    String log(String node) {
        try (FileChannel file = FileChannel.open(logFile(node), StandardOpenOption.READ)) {
            file.position(logBegins.getOrDefault(node, 0L));
            return new String(Channels.newInputStream(file).readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Path logFile(String node) {
        return directory.resolve(node + ".log");
    }

    /** Whether it has ended by itself since it was started last. */
    boolean hasFailed(String node) {
        return process(node).hasFailed();
    }

    private boolean isUpFor(Duration time, String node, long since) {
        return history()
                .lastEvent(node, "ready", Long.MAX_VALUE)
                .filter(ready -> ready.at() > since && System.nanoTime() - ready.at() > time.toNanos())
                .isPresent();
    }

    /** Waits until that instance has started since then. */
    void awaitUp(String node, long since) {
        Wait.until(node + " is up", () -> isUpFor(Duration.ZERO, node, since));
    }

    /** Waits until an instance leads by a lease that was granted or renewed from now on. */
    void awaitService() {
        long begin = System.nanoTime();
        Wait.until("one leads, see the logs in " + directory, () -> history().leading().stream()
                .anyMatch(each -> each.to() - begin > LEASE.toNanos()));
    }

    /** Who led last. */
    Tenure leader() {
        List<Tenure> leading = history().leading();
        return leading.get(leading.size() - 1);
    }

    private SupervisedProcess process(String node) {
        SupervisedProcess process = processes.get(node);
        if (process == null) {
            throw new IllegalArgumentException(node + " is none of " + processes.keySet());
        }
        return process;
    }

    /** What the witnesses have written down so far. */
    History history() {
        return History.of(read(witness));
    }

    /** The files of the witnesses in a directory, by name. */
    static Map<String, String> read(Path witness) {
        Map<String, String> files = new HashMap<>();
        try (Stream<Path> written = Files.list(witness)) {
            for (Path file : written.toList()) {
                files.put(file.getFileName().toString(), Files.readString(file));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return files;
    }

    /** Ends every process, so that nothing is written any more, and reads what was. */
    History end() {
        close();
        return history();
    }

    /** All get the signal before the first one is waited for. */
    @Override
    public void close() {
        processes.values().forEach(SupervisedProcess::kill);
        processes.values().forEach(each -> each.end(End.KILL));
    }
}
