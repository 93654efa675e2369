package io.paxoslease.benchmarks;

import io.paxoslease.PaxosLease;
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
        Map<String, String> members = members(args, MEMBERS);
        Path keys = args[1].isEmpty() ? null : Path.of(args[1]);
        PaxosLease node = PaxosLease.create(MeasuredProcess.options(args[0], members, keys));
        node.start();
        MeasuredProcess.answer(() -> {
            System.gc();
            return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
        });
    }

    /** From the arguments of a process, {@code name=host:port} each. */
    static Map<String, String> members(String[] args, int first) {
        Map<String, String> members = new LinkedHashMap<>();
        for (int i = first; i < args.length; i++) {
            String[] member = args[i].split("=", 2);
            members.put(member[0], member[1]);
        }
        return members;
    }
}
