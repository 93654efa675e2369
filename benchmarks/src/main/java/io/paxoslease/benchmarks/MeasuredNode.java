package io.paxoslease.benchmarks;

import io.paxoslease.PaxosLease;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The main class of a process that is measured: one node. It answers each line of its standard input with the bytes of heap in use after
 * a collection, and ends with it.
 */
public final class MeasuredNode {

    private static final int MEMBERS = 2;

    private MeasuredNode() {}

    /** Takes the node's name, its key store or nothing, and each member as {@code name=host:port}. */
    public static void main(String... args) throws Exception {
        Map<String, String> members = new LinkedHashMap<>();
        for (int i = MEMBERS; i < args.length; i++) {
            String[] member = args[i].split("=", 2);
            members.put(member[0], member[1]);
        }
        Path keys = args[1].isEmpty() ? null : Path.of(args[1]);
        PaxosLease node = PaxosLease.create(MeasuredProcess.options(args[0], members, keys));
        node.start();
        try (BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            while (input.readLine() != null) {
                System.gc();
                System.out.println(Runtime.getRuntime().totalMemory()
                        - Runtime.getRuntime().freeMemory());
            }
        }
        System.exit(0);
    }
}
