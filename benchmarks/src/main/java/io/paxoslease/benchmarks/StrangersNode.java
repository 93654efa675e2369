package io.paxoslease.benchmarks;

import io.paxoslease.PaxosLease;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/** The main class of the process that {@link StrangersBenchmark} measures: one node. It ends with its standard input. */
public final class StrangersNode {

    private static final int MEMBERS = 2;

    private StrangersNode() {}

    /** Takes the node's name, its key store or nothing, and each member as {@code name=host:port}. */
    public static void main(String... args) throws Exception {
        Map<String, String> members = new LinkedHashMap<>();
        for (int i = MEMBERS; i < args.length; i++) {
            String[] member = args[i].split("=", 2);
            members.put(member[0], member[1]);
        }
        Path keys = args[1].isEmpty() ? null : Path.of(args[1]);
        PaxosLease node = PaxosLease.create(StrangersBenchmark.options(args[0], members, keys));
        node.start();
        System.in.transferTo(OutputStream.nullOutputStream());
        System.exit(0);
    }
}
