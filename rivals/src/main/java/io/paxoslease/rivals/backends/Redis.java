package io.paxoslease.rivals.backends;

import io.paxoslease.benchmarks.FreePorts;
import io.paxoslease.rivals.Backend;
import io.paxoslease.rivals.Servers;
import io.paxoslease.rivals.Site;
import io.paxoslease.rivals.Tuning;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** One Redis without replicas that saves nothing. */
public final class Redis implements Backend {

    private static final String PROGRAM = "redis-server";
    private static final String USED = "used_memory:";

    @Override
    public Optional<String> missing() {
        return Programs.find(PROGRAM).isPresent()
                ? Optional.empty()
                : Optional.of("redis-server is not installed: apt-get install redis-server");
    }

    @Override
    public String version() {
        return Programs.version(PROGRAM).replaceAll(" sha=.*", "");
    }

    @Override
    public Servers start(Path directory, int clients, Tuning tuning) throws IOException, InterruptedException {
        List<String> addresses = new ArrayList<>(FreePorts.forNodes("redis").values());
        int port = new Site(addresses, tuning, false).port(0);
        List<String> command = List.of(
                Programs.find(PROGRAM).orElseThrow(),
                "--port",
                Integer.toString(port),
                "--bind",
                "127.0.0.1",
                "--save",
                "",
                "--appendonly",
                "no",
                "--dir",
                directory.toString());
        Child server = Child.server(directory.resolve("redis.log"), command);
        Programs.awaitPort(port);
        return new RunningServers(addresses, List.of(server), () -> usedMemory(port));
    }

    private static long usedMemory(int port) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.getOutputStream().write("INFO memory\r\nQUIT\r\n".getBytes(StandardCharsets.US_ASCII));
            String info = new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
            return info.lines()
                    .filter(line -> line.startsWith(USED))
                    .mapToLong(
                            line -> Long.parseLong(line.substring(USED.length()).strip()))
                    .sum();
        }
    }
}
