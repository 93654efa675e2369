package io.paxoslease.rivals.backends;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Looks for programs of this machine, and asks them things. */
final class Programs {

    private static final long ANSWER_SECONDS = 60;
    private static final long PORT_SECONDS = 60;

    private Programs() {}

    /** The program of that name on the path, or where Debian hides it. */
    static Optional<String> find(String name) {
        Stream<Path> path = Arrays.stream(
                        System.getenv().getOrDefault("PATH", "").split(":", -1))
                .map(Path::of);
        Stream<Path> hidden = children(Path.of("/usr/lib/postgresql")).map(version -> version.resolve("bin"));
        return Stream.concat(path, hidden)
                .map(directory -> directory.resolve(name))
                .filter(Files::isExecutable)
                .map(Path::toString)
                .findFirst();
    }

    private static Stream<Path> children(Path directory) {
        if (!Files.isDirectory(directory)) {
            return Stream.empty();
        }
        try (Stream<Path> children = Files.list(directory)) {
            return children.sorted().toList().stream();
        } catch (IOException e) {
            return Stream.empty();
        }
    }

    /** Runs a program to its end. */
    static String output(List<String> command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectInput(Child.nowhere())
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (!process.waitFor(ANSWER_SECONDS, TimeUnit.SECONDS) || process.exitValue() != 0) {
            process.destroyForcibly();
            throw new IOException("%s failed: %s".formatted(String.join(" ", command), output));
        }
        return output;
    }

    /** The first line that the program writes when it is asked for its version. */
    static String version(String name) {
        return find(name)
                .map(program -> {
                    try {
                        return output(List.of(program, "--version"))
                                .lines()
                                .findFirst()
                                .orElse("");
                    } catch (IOException e) {
                        return "";
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                        return "";
                    }
                })
                .orElse("");
    }

    /** Waits until something listens there. */
    static void awaitPort(int port) throws IOException, InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PORT_SECONDS);
        while (true) {
            try (Socket probe = new Socket(InetAddress.getLoopbackAddress(), port)) {
                if (probe.isConnected()) {
                    return;
                }
            } catch (IOException refused) {
                if (System.nanoTime() - end > 0) {
                    throw new IOException("Nothing listens on port " + port, refused);
                }
            }
            Thread.sleep(50);
        }
    }
}
