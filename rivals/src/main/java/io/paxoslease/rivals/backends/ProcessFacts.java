package io.paxoslease.rivals.backends;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** What Linux and the JDK know of a process. */
public final class ProcessFacts {

    private static final double MILLIS_PER_TICK = 10;
    private static final int KIBI = 1024;
    private static final Pattern COMPILER = Pattern.compile("C[12] Compiler");

    private ProcessFacts() {}

    /**
     * Processor time that the process and its children have used, in milliseconds; ticks of ten. Without that of the threads that
     * compile Java code: what is idle runs in code that becomes hot minutes later, and one compilation of half a second in a window
     * of twenty is more than all the rest.
     */
    public static double cpuMillis(long pid) throws IOException {
        double ticks = ticksWithoutCompilers(directory(pid));
        for (ProcessHandle child : children(pid)) {
            ticks += ticksWithoutCompilers(directory(child.pid()));
        }
        return ticks * MILLIS_PER_TICK;
    }

    private static Path directory(long pid) {
        return Path.of("/proc/" + pid);
    }

    /** @param process its directory in {@code /proc}; it may have ended */
    static long ticksWithoutCompilers(Path process) throws IOException {
        try (Stream<Path> threads = Files.list(process.resolve("task"))) {
            long ticks = Stat.of(process).ticks();
            for (Path thread : threads.toList()) {
                Stat stat = Stat.of(thread);
                ticks -= COMPILER.matcher(stat.name()).lookingAt() ? stat.ticks() : 0;
            }
            return ticks;
        } catch (NoSuchFileException ended) {
            return 0;
        }
    }

    /**
     * Of a process or a thread.
     *
     * @param name at most fifteen characters of it
     * @param ticks processor time, user and system, those of ended threads included
     */
    private record Stat(String name, long ticks) {

        static final Stat NONE = new Stat("", 0);

        static Stat of(Path directory) throws IOException {
            Path file = directory.resolve("stat");
            if (!Files.exists(file)) {
                return NONE;
            }
            String text = Files.readString(file);
            String[] fields = text.substring(text.lastIndexOf(')') + 2).split(" ", -1);
            return new Stat(
                    text.substring(text.indexOf('(') + 1, text.lastIndexOf(')')),
                    Long.parseLong(fields[11]) + Long.parseLong(fields[12]));
        }
    }

    private static List<ProcessHandle> children(long pid) {
        return ProcessHandle.of(pid).stream()
                .flatMap(ProcessHandle::descendants)
                .toList();
    }

    /** Resident bytes. */
    public static long residentBytes(long pid) throws IOException {
        return Files.readAllLines(directory(pid).resolve("status")).stream()
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
