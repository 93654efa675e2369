package io.paxoslease.rivals.backends;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** What Linux and the JDK know of a process. */
public final class ProcessFacts {

    private static final double MILLIS_PER_TICK = 10;
    private static final int KIBI = 1024;

    private ProcessFacts() {}

    /** Processor time that the process and its children have used, in milliseconds; ticks of ten. */
    public static double cpuMillis(long pid) throws IOException {
        double ticks = ownTicks(pid);
        for (ProcessHandle child : children(pid)) {
            ticks += ownTicks(child.pid());
        }
        return ticks * MILLIS_PER_TICK;
    }

    private static long ownTicks(long pid) throws IOException {
        Path stat = Path.of("/proc/" + pid + "/stat");
        if (!Files.exists(stat)) {
            return 0;
        }
        String text = Files.readString(stat);
        String[] fields = text.substring(text.lastIndexOf(')') + 2).split(" ", -1);
        return Long.parseLong(fields[11]) + Long.parseLong(fields[12]);
    }

    private static List<ProcessHandle> children(long pid) {
        return ProcessHandle.of(pid).stream()
                .flatMap(ProcessHandle::descendants)
                .toList();
    }

    /** Resident bytes. */
    public static long residentBytes(long pid) throws IOException {
        return Files.readAllLines(Path.of("/proc/" + pid + "/status")).stream()
                .filter(line -> line.startsWith("VmRSS:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) * KIBI)
                .sum();
    }

    /** Bytes of live objects in a Java virtual machine, after a full collection. */
    public static long liveBytes(long pid) throws IOException, InterruptedException {
        String histogram = Programs.output(List.of(Child.tool("jcmd"), Long.toString(pid), "GC.class_histogram"));
        return histogram
                .lines()
                .filter(line -> line.startsWith("Total"))
                .mapToLong(line -> Long.parseLong(line.strip().split("\\s+", -1)[2]))
                .sum();
    }
}
