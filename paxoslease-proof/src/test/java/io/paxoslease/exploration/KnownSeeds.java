package io.paxoslease.exploration;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.LongFunction;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A seed that finds each mutant out, on file: trying it takes less time than looking for one. Where it shows the mutant no more, and in
 * the deep build, all seeds are tried; {@code -Dwitnesses.rewrite=true} puts on file what is found.
 */
final class KnownSeeds {

    private static final boolean REWRITE = Boolean.getBoolean("witnesses.rewrite");

    private final Path file;
    private final Properties known = new Properties();
    private final Map<String, Long> found = new ConcurrentSkipListMap<>();

    /** @param name of the file */
    KnownSeeds(String name) {
        this.file = Path.of(System.getProperty("basedir", "."), "src/test/resources/witnesses", name);
        try (InputStream in = Files.newInputStream(file)) {
            known.load(in);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * What finds the mutant out.
     *
     * @param one tries that seed
     * @param all tries seeds from zero on
     * @param seed of a finding
     * @return null when nothing does
     */
    <T> @Nullable T find(
            Mutant mutant, LongFunction<@Nullable T> one, Supplier<@Nullable T> all, ToLongFunction<T> seed) {
        String onFile = known.getProperty(mutant.id);
        T finding = onFile == null || Depth.isDeep() ? null : one.apply(Long.parseLong(onFile));
        if (finding == null) {
            System.out.printf("%s: looking for a seed; on file is %s%n", mutant, onFile);
            finding = all.get();
        }
        if (finding != null) {
            found.put(mutant.id, seed.applyAsLong(finding));
        }
        return finding;
    }

    /** The seed on file; the build fails where there is none. */
    long of(Mutant mutant) {
        String onFile = known.getProperty(mutant.id);
        return Long.parseLong(Objects.requireNonNull(
                onFile, () -> "%s has no seed in %s: -Dwitnesses.rewrite=true writes it".formatted(mutant, file)));
    }

    /** The seeds that were found, if they are to be on file. */
    void writeIfAsked() {
        if (!REWRITE) {
            return;
        }
        String lines = found.entrySet().stream()
                .map(each -> each.getKey() + " = " + each.getValue())
                .collect(Collectors.joining("\n", "# Mutant, and a seed that finds it out.\n", "\n"));
        try {
            Files.writeString(file, lines);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
