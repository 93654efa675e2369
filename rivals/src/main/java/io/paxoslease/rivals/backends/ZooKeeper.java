package io.paxoslease.rivals.backends;

import io.paxoslease.benchmarks.FreePorts;
import io.paxoslease.rivals.Backend;
import io.paxoslease.rivals.Contender;
import io.paxoslease.rivals.Servers;
import io.paxoslease.rivals.Site;
import io.paxoslease.rivals.Tuning;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.zookeeper.server.quorum.QuorumPeerMain;

/** Three ZooKeeper servers that do not wait for the disk. */
public final class ZooKeeper implements Backend {

    private static final int SIZE = 3;
    private static final int HEAP_MEGABYTES = 768;
    private static final int DEFAULT_TICK_MILLIS = 2_000;
    /** A session lasts two ticks at least. */
    private static final int SHORT_TICK_MILLIS = 500;

    @Override
    public Optional<String> missing() {
        return Optional.empty();
    }

    @Override
    public String version() {
        return Contender.jar(QuorumPeerMain.class);
    }

    @Override
    public Servers start(Path directory, int clients, Tuning tuning) throws IOException, InterruptedException {
        Map<String, String> ports = FreePorts.forNodes("c1", "c2", "c3", "q1", "q2", "q3", "e1", "e2", "e3");
        List<String> addresses = new ArrayList<>();
        List<Child> children = new ArrayList<>();
        for (int id = 1; id <= SIZE; id++) {
            addresses.add(ports.get("c" + id));
            Path config = config(directory, id, ports, tuning);
            children.add(Child.server(
                    directory.resolve("zookeeper" + id + ".log"),
                    Child.java(HEAP_MEGABYTES, QuorumPeerMain.class.getName(), List.of(config.toString()))));
        }
        Site site = new Site(addresses, tuning, false);
        for (int i = 0; i < SIZE; i++) {
            Programs.awaitPort(site.port(i));
        }
        return new RunningServers(addresses, children, RunningServers.live(children));
    }

    private static Path config(Path directory, int id, Map<String, String> ports, Tuning tuning) throws IOException {
        Path data = Files.createDirectories(directory.resolve("data" + id));
        Files.writeString(data.resolve("myid"), Integer.toString(id));
        StringBuilder text = new StringBuilder();
        text.append("dataDir=%s%n".formatted(data))
                .append("clientPortAddress=127.0.0.1%n".formatted())
                .append("clientPort=%s%n".formatted(port(ports, "c" + id)))
                .append("tickTime=%d%n".formatted(tuning == Tuning.TUNED ? SHORT_TICK_MILLIS : DEFAULT_TICK_MILLIS))
                .append("initLimit=20%nsyncLimit=20%nmaxClientCnxns=0%nforceSync=no%n".formatted());
        for (int i = 1; i <= SIZE; i++) {
            text.append("server.%d=127.0.0.1:%s:%s%n".formatted(i, port(ports, "q" + i), port(ports, "e" + i)));
        }
        return Files.writeString(directory.resolve("zoo" + id + ".cfg"), text);
    }

    private static String port(Map<String, String> ports, String name) {
        String address = ports.getOrDefault(name, "");
        return address.substring(address.indexOf(':') + 1);
    }
}
