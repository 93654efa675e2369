package io.paxoslease.benchmarks;

import io.netty.util.Version;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** Where and when a benchmark runs. Figures mean nothing without it. */
public final class Machine {

    private Machine() {}

    /** Writes machine, virtual machine, time and load. */
    public static void describe(PrintStream out) {
        out.printf(
                "machine: %d x %s, %s %s%n",
                Runtime.getRuntime().availableProcessors(),
                processor(),
                System.getProperty("os.name"),
                System.getProperty("os.version"));
        out.printf(
                "jvm: %s %s, %s; netty %s%n",
                System.getProperty("java.vm.name"),
                System.getProperty("java.vm.version"),
                ManagementFactory.getGarbageCollectorMXBeans().get(0).getName(),
                Version.identify().values().iterator().next().artifactVersion());
        out.printf("at: %s, load average %s%n", Instant.now().truncatedTo(ChronoUnit.SECONDS), load());
    }

    /** How busy the machine has been in the last minute, this process included. */
    public static String load() {
        return String.format(
                Locale.ROOT,
                "%.1f",
                ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage());
    }

    /** Processor time of this process so far. */
    static long cpuNanos() {
        return ManagementFactory.getOperatingSystemMXBean() instanceof com.sun.management.OperatingSystemMXBean system
                ? system.getProcessCpuTime()
                : 0;
    }

    /**
     * Processor time so far of every thread, those of the virtual machine included, by the first 15 characters of its name.
     * On Linux, to the nanosecond: a process's own figure counts ticks, which says little of threads that run for microseconds.
     */
    static Map<String, Long> cpuNanosByThread() {
        Map<String, Long> times = new TreeMap<>();
        try (DirectoryStream<Path> tasks = Files.newDirectoryStream(Path.of("/proc/self/task"))) {
            for (Path task : tasks) {
                addTime(task, times);
            }
        } catch (IOException e) {
            times.put("process", cpuNanos());
        }
        return times;
    }

    private static void addTime(Path task, Map<String, Long> times) {
        try {
            String name = Files.readString(task.resolve("comm")).strip();
            String time = Files.readString(task.resolve("schedstat")).split(" ", 2)[0];
            times.merge(name, Long.parseLong(time), Long::sum);
        } catch (IOException ended) {
            // Its time is not missed in a difference of two looks.
        }
    }

    private static String processor() {
        Path info = Path.of("/proc/cpuinfo");
        try {
            if (Files.isReadable(info)) {
                return Files.readAllLines(info).stream()
                        .filter(line -> line.startsWith("model name"))
                        .map(line -> line.substring(line.indexOf(':') + 1).strip())
                        .findFirst()
                        .orElse(System.getProperty("os.arch"));
            }
        } catch (IOException e) {
            // The architecture will have to do.
        }
        return System.getProperty("os.arch");
    }
}
