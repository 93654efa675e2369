package io.paxoslease.benchmarks;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** The processes of a cell of three, and what they say. One thread. */
final class TakeoverProcesses implements AutoCloseable {

    private static final long PATIENCE_SECONDS = 60;

    /** A line of one process, and when it was read. */
    private record Said(String node, String line, long nanoTime) {}

    private final Map<String, String> members = FreePorts.forNodes("a", "b", "c");
    private final Map<String, Process> processes = new HashMap<>();
    private final BlockingQueue<Said> heard = new LinkedBlockingQueue<>();
    private final int leaseMillis;
    private final Agreement agreement;
    private final MeetingPlace place;
    private String leader = "";

    TakeoverProcesses(int leaseMillis) {
        this(leaseMillis, Agreement.PAXOSLEASE, MeetingPlace.NONE);
    }

    TakeoverProcesses(int leaseMillis, Agreement agreement, MeetingPlace place) {
        this.leaseMillis = leaseMillis;
        this.agreement = agreement;
        this.place = place;
    }

    void startAll() throws IOException, InterruptedException {
        for (String node : members.keySet()) {
            launch(node);
        }
        for (int i = 0; i < members.size(); i++) {
            await(TakeoverNode.READY);
        }
        while (leader.isEmpty()) {
            await(TakeoverNode.GRANTED);
        }
    }

    /** Starts a node that is down, and waits until it serves and is connected with both others. */
    void start(String node) throws IOException, InterruptedException {
        launch(node);
        await(TakeoverNode.READY);
    }

    private void launch(String node) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx64m",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"),
                TakeoverNode.class.getName(),
                node,
                String.valueOf(leaseMillis),
                agreement.name(),
                place.database(),
                place.directory()));
        members.forEach((name, address) -> command.add(name + "=" + address));
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        processes.put(node, process);
        Thread reader = new Thread(() -> listen(node, process), "output-of-" + node);
        reader.setDaemon(true);
        reader.start();
    }

    private void listen(String node, Process process) {
        try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                heard.add(new Said(node, line, System.nanoTime()));
            }
        } catch (IOException e) {
            heard.add(new Said(node, "its output cannot be read: " + e.getMessage(), System.nanoTime()));
        }
    }

    /** Which node leads, as far as has been heard. */
    String leader() {
        for (Said said = heard.poll(); said != null; said = heard.poll()) {
            note(said);
        }
        return leader;
    }

    /**
     * Ends the leader's process.
     *
     * @param forcibly whether with SIGKILL, else with SIGTERM
     * @return nanoseconds from the signal until this process has read that another node was granted
     */
    long end(String node, boolean forcibly) throws InterruptedException {
        ProcessHandle handle = process(node).toHandle();
        long begin = System.nanoTime();
        boolean sent = forcibly ? handle.destroyForcibly() : handle.destroy();
        if (!sent) {
            throw new IllegalStateException("Node " + node + " has ended by itself");
        }
        Said granted = await(TakeoverNode.GRANTED);
        if (granted.node().equals(node)) {
            throw new IllegalStateException("Node " + node + " was to end, and leads");
        }
        process(node).waitFor();
        return granted.nanoTime() - begin;
    }

    /**
     * Lets the leader give leadership up.
     *
     * @return nanoseconds from the request until this process has read that another node was granted
     */
    long resign(String node) throws IOException, InterruptedException {
        var input = process(node).getOutputStream();
        long begin = System.nanoTime();
        input.write((TakeoverNode.RESIGN + "\n").getBytes(StandardCharsets.UTF_8));
        input.flush();
        return await(TakeoverNode.GRANTED).nanoTime() - begin;
    }

    /**
     * Stops the leader's process, all its threads at once, and lets it go on after that time.
     *
     * @param watchMillis how long to wait afterwards for what comes of it
     * @return whether leadership changed
     */
    boolean pause(String node, long millis, long watchMillis) throws IOException, InterruptedException {
        signal("-STOP", node);
        Thread.sleep(millis);
        signal("-CONT", node);
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(watchMillis);
        boolean changed = false;
        for (long left = watchMillis; left > 0; left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime())) {
            Said said = heard.poll(left, TimeUnit.MILLISECONDS);
            if (said != null) {
                note(said);
                changed = true;
            }
        }
        return changed;
    }

    private void signal(String signal, String node) throws IOException, InterruptedException {
        int exit = new ProcessBuilder(
                        "kill", signal, String.valueOf(process(node).pid()))
                .inheritIO()
                .start()
                .waitFor();
        if (exit != 0) {
            throw new IllegalStateException("kill %s failed".formatted(signal));
        }
    }

    private Process process(String node) {
        Process process = processes.get(node);
        if (process == null) {
            throw new IllegalStateException("Node " + node + " was never started");
        }
        return process;
    }

    private Said await(String line) throws InterruptedException {
        while (true) {
            Said said = heard.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
            if (said == null) {
                throw new IllegalStateException("Nobody said '%s' in time".formatted(line));
            }
            note(said);
            if (said.line().equals(line)) {
                return said;
            }
        }
    }

    private void note(Said said) {
        if (said.line().equals(TakeoverNode.GRANTED)) {
            leader = said.node();
        }
    }

    @Override
    public void close() {
        processes.values().forEach(Process::destroyForcibly);
    }
}
