package io.paxoslease.samples.cluster;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The command line of an instance.
 *
 * @param application what is started
 * @param nodes the cell
 * @param network by which they reach each other
 * @param directory for the counter and for temporary files
 */
record InstanceCommand(
        ExtractedApplication application, List<Node> nodes, Network network, ClusterOptions options, Path directory) {

    /** Spring's switch for what the build has prepared: used unless the launcher is started with {@code false}. */
    private static final String AOT = "spring.aot.enabled";

    /** Of a directory on this machine's disk; the lease time of the sample is 2 s. */
    private static final String STORE_ACCESS_BOUND = "100ms";

    /** The work that all instances share. */
    static final String SHARD_GROUP = "accounts";

    private static final String SHARDS = "--paxoslease.shards." + SHARD_GROUP;
    private static final int SHARD_COUNT = 32;

    /** A minute in production, where an instance that is restarted again and again must not move shards each time. */
    private static final String SETTLE_TIME = "5s";

    private static final String CORS = "--management.endpoints.web.cors.";

    /** @param members that it is configured with */
    List<String> of(Node node, Members members) {
        List<String> command = new ArrayList<>(application.command(javaOptions()));
        command.add(ClusterLauncher.INSTANCE_OPTION + node.name());
        command.add("--server.port=" + node.httpPort());
        command.addAll(agreement(node, members));
        command.add(CORS + "allowed-origins=" + options.pageOrigin());
        command.add(CORS + "allowed-methods=GET,DELETE");
        command.add("--sample.counter-file=" + directory.resolve("counter"));
        command.add("--sample.locked=" + options.locked());
        return List.copyOf(command);
    }

    private List<String> agreement(Node node, Members members) {
        List<String> settings = new ArrayList<>();
        settings.add("--paxoslease.algorithm=" + options.algorithm().name().toLowerCase(Locale.ROOT));
        if (options.algorithm() == Algorithm.STORAGE) {
            settings.add("--paxoslease.storage.directories=" + directory.resolve("leases"));
            settings.add("--paxoslease.storage.initialize=true");
            settings.add("--paxoslease.storage.access-bound=" + STORE_ACCESS_BOUND);
        } else {
            settings.addAll(list(node, "peers", members.now()));
            settings.addAll(list(node, "previous-peers", members.before()));
            if (members.generation() > 1) {
                settings.add("--paxoslease.generation=" + members.generation());
            }
            settings.add("--paxoslease.mode=" + (node.isMember() ? "member" : "client"));
        }
        if (options.algorithm() == Algorithm.PAXOSLEASE) {
            settings.add(SHARDS + ".count=" + SHARD_COUNT);
            settings.add(SHARDS + ".settle-time=" + SETTLE_TIME);
        }
        return settings;
    }

    private List<String> list(Node from, String property, List<String> names) {
        return nodes.stream()
                .filter(each -> names.contains(each.name()))
                .map(each -> "--paxoslease.%s.%s=%s".formatted(property, each.name(), network.address(from, each)))
                .toList();
    }

    private List<String> javaOptions() {
        List<String> javaOptions = new ArrayList<>(
                List.of("-Xmx128m", "-XX:+ExitOnOutOfMemoryError", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
        javaOptions.add("-Djava.io.tmpdir=" + directory);
        if (application.isPackaged() && !"false".equals(System.getProperty(AOT))) {
            javaOptions.add("-D" + AOT + "=true");
        }
        return javaOptions;
    }
}
