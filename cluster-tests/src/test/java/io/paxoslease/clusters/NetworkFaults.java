package io.paxoslease.clusters;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** One-way cuts, delay and loss, inside of a container's network namespace: with the tools of the machine, not the image's. */
final class NetworkFaults {

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
        run("iptables", "-A", chain, "-p", "tcp", "--dport", Member.PEER_PORT, "-j", "DROP");
        run("iptables", "-A", chain, "-p", "tcp", "--sport", Member.PEER_PORT, "-j", "DROP");
    }

    void mendCuts() {
        run("iptables", "-F");
    }

    /** Every packet that leaves is late, and some are lost. */
    void degrade(int delayMillis, int lossPercent) {
        run(
                "tc",
                "qdisc",
                "add",
                "dev",
                "eth0",
                "root",
                "netem",
                "delay",
                delayMillis + "ms",
                "loss",
                lossPercent + "%");
    }

    void mendLinks() {
        run("tc", "qdisc", "del", "dev", device(), "root");
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

    private void run(String... command) {
        List<String> words = new ArrayList<>(List.of("nsenter", "--target", Long.toString(pid), "--net"));
        words.addAll(List.of(command));
        try {
            Process process =
                    new ProcessBuilder(words).redirectErrorStream(true).start();
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (process.waitFor() != 0) {
                throw new IllegalStateException(String.join(" ", words) + ": " + output);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while waiting for " + words, e);
        }
    }
}
