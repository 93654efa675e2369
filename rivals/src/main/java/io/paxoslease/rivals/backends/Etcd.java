package io.paxoslease.rivals.backends;

import io.paxoslease.benchmarks.FreePorts;
import io.paxoslease.rivals.Backend;
import io.paxoslease.rivals.Servers;
import io.paxoslease.rivals.Site;
import io.paxoslease.rivals.Tuning;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Three etcd servers; a disk that is memory instead of one without fsync, which not every version can be told. */
public final class Etcd implements Backend {

    private static final String PROGRAM = "etcd";
    private static final int SIZE = 3;

    @Override
    public Optional<String> missing() {
        return Programs.find(PROGRAM).isPresent()
                ? Optional.empty()
                : Optional.of("etcd is not installed: apt-get install etcd-server");
    }

    @Override
    public String version() {
        return Programs.version(PROGRAM);
    }

    @Override
    public Servers start(Path directory, int clients, Tuning tuning) throws IOException, InterruptedException {
        Map<String, String> ports = FreePorts.forNodes("c0", "c1", "c2", "p0", "p1", "p2");
        String cluster = IntStream.range(0, SIZE)
                .mapToObj(i -> "n%d=http://%s".formatted(i, ports.get("p" + i)))
                .collect(Collectors.joining(","));
        List<String> addresses = new ArrayList<>();
        List<Child> children = new ArrayList<>();
        for (int i = 0; i < SIZE; i++) {
            String client = ports.getOrDefault("c" + i, "");
            addresses.add(client);
            children.add(Child.server(
                    directory.resolve("etcd" + i + ".log"),
                    command(directory, i, "http://" + client, "http://" + ports.get("p" + i), cluster)));
        }
        Site site = new Site(addresses, tuning, false);
        for (int i = 0; i < SIZE; i++) {
            Programs.awaitPort(site.port(i));
        }
        return new RunningServers(addresses, children, RunningServers.resident(children));
    }

    private static List<String> command(Path directory, int i, String client, String peer, String cluster) {
        return List.of(
                Programs.find(PROGRAM).orElseThrow(),
                "--name=n" + i,
                "--data-dir=" + directory.resolve("n" + i),
                "--listen-client-urls=" + client,
                "--advertise-client-urls=" + client,
                "--listen-peer-urls=" + peer,
                "--initial-advertise-peer-urls=" + peer,
                "--initial-cluster=" + cluster,
                "--initial-cluster-state=new",
                "--log-level=warn");
    }
}
