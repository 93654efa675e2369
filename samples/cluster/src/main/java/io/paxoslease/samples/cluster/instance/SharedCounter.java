package io.paxoslease.samples.cluster.instance;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A total and one count per instance in a file: read, changed and written back, with a gap between. Callers hold
 * a lock; otherwise two instances read the same counts, and the later write undoes the earlier one.
 */
final class SharedCounter {

    static final String TOTAL = "total";

    private final Path file;
    private final Path draft;
    private final String instance;
    private final Duration gap;
    private @Nullable Long lastWritten;

    /** @param gap how long after reading it writes: time for another instance to come between */
    SharedCounter(Path file, String instance, Duration gap) {
        this.file = file;
        this.gap = gap;
        this.draft = file.resolveSibling(file.getFileName() + "." + instance);
        this.instance = instance;
    }

    /**
     * What one increment wrote and found.
     *
     * @param counts the total and each instance's count, by name
     * @param lostUpdate what was wrong before, in words; null when nothing was
     */
    record Result(SortedMap<String, Long> counts, @Nullable String lostUpdate) {}

    /** Adds one to the total and to this instance's count. */
    Result increment() throws IOException {
        SortedMap<String, Long> counts = read();
        String wrong = check(counts);
        LockSupport.parkNanos(gap.toNanos());
        counts.merge(TOTAL, 1L, Long::sum);
        long own = counts.getOrDefault(instance, 0L) + 1;
        counts.put(instance, own);
        write(counts);
        lastWritten = own;
        return new Result(counts, wrong);
    }

    /** This instance's count is what it wrote last, and the total is the sum. */
    private @Nullable String check(SortedMap<String, Long> counts) {
        long own = counts.getOrDefault(instance, 0L);
        long total = counts.getOrDefault(TOTAL, 0L);
        long sum = counts.values().stream().mapToLong(Long::longValue).sum() - total;
        if (lastWritten != null && lastWritten != own) {
            return "%s wrote %d and found %d".formatted(instance, lastWritten, own);
        }
        return total == sum ? null : "the total is %d, the sum %d".formatted(total, sum);
    }

    private SortedMap<String, Long> read() throws IOException {
        SortedMap<String, Long> counts = new TreeMap<>();
        try {
            for (String line : Files.readAllLines(file)) {
                int separator = line.indexOf('=');
                counts.put(line.substring(0, separator), Long.parseLong(line.substring(separator + 1)));
            }
        } catch (NoSuchFileException first) {
            counts.put(TOTAL, 0L);
        }
        return counts;
    }

    /** Written aside and moved into place, so that a kill leaves no half of a file. */
    private void write(SortedMap<String, Long> counts) throws IOException {
        Files.write(
                draft,
                counts.entrySet().stream()
                        .map(each -> each.getKey() + "=" + each.getValue())
                        .toList());
        Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE);
    }
}
