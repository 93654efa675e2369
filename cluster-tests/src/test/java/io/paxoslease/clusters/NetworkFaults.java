package io.paxoslease.clusters;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/** One-way cuts, delay and loss, inside of a container's network namespace: with the tools of the machine, not the image's. */
final class NetworkFaults {

    private static final String SLOW = "128kbit";

    private final long pid;

    /** @param pid the container's first process, as this machine numbers it */
    NetworkFaults(long pid) {
        this.pid = pid;
    }

    /** What keeps this from working here; empty when nothing does. */
    static String whatIsMissing() {
        if (!System.getProperty("os.name").equals("Linux") || !"root".equals(System.getProperty("user.name"))) {
            return "cuts and slow links inside of containers need Linux and root";
        }
        List<String> missing = Stream.of("nsenter", "tc", "iptables")
                .filter(tool -> !isInstalled(tool))
                .toList();
        return missing.isEmpty() ? "" : "not installed: " + String.join(", ", missing);
    }

    private static boolean isInstalled(String tool) {
        return Stream.of("/usr/sbin", "/usr/bin", "/sbin", "/bin")
                .anyMatch(each -> Files.isExecutable(Path.of(each, tool)));
    }

    /** Nothing from the other nodes comes in any more; what this one says still goes out. */
    void deafen() {
        drop("INPUT");
    }

    /** Nothing that this node says to the others goes out any more; what they say still comes in. */
    void silence() {
        drop("OUTPUT");
    }

    private void drop(String chain) {
        run("iptables -A %s -p tcp --dport %s -j DROP".formatted(chain, Member.PEER_PORT));
        run("iptables -A %s -p tcp --sport %s -j DROP".formatted(chain, Member.PEER_PORT));
    }

    void mendCuts() {
        run("iptables -F");
    }

    /**
     * Of what comes from other nodes some packets are lost, and what goes out is slow: each packet by the given time, or,
     * where the kernel has no netem, at {@value #SLOW}.
     */
    void degrade(int delayMillis, int lossPercent) {
        for (String port : List.of("--dport", "--sport")) {
            run(String.format(
                    Locale.ROOT,
                    "iptables -A INPUT -p tcp %s %s -m statistic --mode random --probability %.2f -j DROP",
                    port,
                    Member.PEER_PORT,
                    lossPercent / 100.0));
        }
        if (!tryRun("tc qdisc add dev %s root netem delay %dms".formatted(device(), delayMillis))) {
            System.out.println("This kernel has no netem: links are slow by a rate of " + SLOW + " instead");
            slowDown();
        }
    }

    private void slowDown() {
        run("tc qdisc add dev %s root handle 1: htb default 10 r2q 1".formatted(device()));
        run("tc class add dev %s parent 1: classid 1:10 htb rate 10mbit quantum 60000".formatted(device()));
        run("tc class add dev %s parent 1: classid 1:20 htb rate %s quantum 1600".formatted(device(), SLOW));
        for (String port : List.of("--dport", "--sport")) {
            run("iptables -t mangle -A POSTROUTING -p tcp %s %s -j CLASSIFY --set-class 1:20"
                    .formatted(port, Member.PEER_PORT));
        }
    }

    void mendLinks() {
        mendCuts();
        run("iptables -t mangle -F");
        run("tc qdisc del dev %s root".formatted(device()));
    }

    /** Its name changes when the container is connected anew. */
    private String device() {
        try (Stream<String> lines = Files.lines(Path.of("/proc", Long.toString(pid), "net", "dev"))) {
            return lines.map(each -> each.strip().split(":", 2)[0])
                    .filter(each -> each.startsWith("eth"))
                    .findFirst()
                    .orElseThrow(() -> new IllegalStateException("no network device in the container"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void run(String command) {
        if (!tryRun(command)) {
            throw new IllegalStateException("Failed: " + command);
        }
    }

    /** Inside of the container's network. What the tool says of a failure is shown. */
    private boolean tryRun(String command) {
        List<String> words = new ArrayList<>(List.of("nsenter", "--target", Long.toString(pid), "--net"));
        words.addAll(List.of(command.split(" ", -1)));
        try {
            Process process =
                    new ProcessBuilder(words).redirectErrorStream(true).start();
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            int exit = process.waitFor();
            if (exit != 0) {
                System.out.println(command + ": " + output.strip());
            }
            return exit == 0;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while waiting for " + words, e);
        }
    }
}
