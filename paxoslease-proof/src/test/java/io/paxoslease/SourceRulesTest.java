package io.paxoslease;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The house rules that only sources show. */
class SourceRulesTest {

    private static final List<Path> MODULES = Stream.of("core", "flease", "jdbc", "storage", "test", "proof")
            .map(module -> Path.of("..", "paxoslease-" + module))
            .toList();
    private static final String MAIN = "src/main/java";
    private static final String TESTS = "src/test/java";
    private static final Pattern CATCH = Pattern.compile("\\bcatch\\s*\\(([^)]*)\\)");
    private static final Pattern TOO_WIDE = Pattern.compile("(^|[|\\s.])(Throwable|Exception)(\\s*\\||\\s+\\w+\\s*$)");
    private static final Pattern OTHERS = Pattern.compile("flease|storage", Pattern.CASE_INSENSITIVE);
    private static final Pattern SLEEP = Pattern.compile("\\b(Thread\\s*\\.\\s*sleep|TimeUnit[.\\w]*\\.sleep)\\s*\\(");

    /** Where users' code is called, which may throw what it does not declare. */
    private static final List<String> ALLOWED = List.of(
            "CallbackRunner.java: catch (Exception | Error e)",
            "CandidateRun.java: catch (Exception | Error e)",
            "Observers.java: catch (Exception failure)",
            "Observers.java: catch (Exception | Error e)",
            "ShardWork.java: catch (Exception | Error e)",
            "WorkThreads.java: catch (Exception | Error withoutThread)");

    /** A fault must end the node's participation, not be taken for something that was expected. */
    @Test
    void nothingCatchesEverything() throws IOException {
        List<String> found = new ArrayList<>();
        for (Path file : sources(MAIN)) {
            Matcher matcher = CATCH.matcher(Files.readString(file));
            while (matcher.find()) {
                if (isTooWide(matcher.group(1))) {
                    found.add(file.getFileName() + ": " + matcher.group());
                }
            }
        }
        assertThat(found).containsExactlyInAnyOrderElementsOf(ALLOWED);
    }

    @Test
    void aCatchOfEverythingIsSeenHoweverItIsWritten() {
        assertThat(List.of(
                        "Throwable t",
                        "Exception e",
                        "final Exception e",
                        "IOException | Exception e",
                        "Exception | Error e",
                        "java.lang.Throwable t",
                        "\n    Throwable\n    t"))
                .allMatch(SourceRulesTest::isTooWide);
        assertThat(List.of("IOException e", "RuntimeException | Error e", "PaxosLeaseException throwable"))
                .noneMatch(SourceRulesTest::isTooWide);
    }

    /** A test that sleeps is slow on a fast machine and fails on a slow one. */
    @Test
    void noTestSleeps() throws IOException {
        List<String> found = new ArrayList<>();
        for (Path file : sources(TESTS)) {
            if (SLEEP.matcher(Files.readString(file)).find()) {
                found.add(file.getFileName().toString());
            }
        }
        assertThat(found).isEmpty();
    }

    /** A name in a log, or in a search, leads to one class. */
    @Test
    void aModuleHasEachClassNameOnce() throws IOException {
        for (Path module : MODULES) {
            List<String> names = new ArrayList<>();
            for (String tree : List.of(MAIN, TESTS)) {
                names.addAll(classNames(module.resolve(tree)));
            }
            assertThat(names).as("%s", module).doesNotHaveDuplicates();
        }
    }

    private static List<String> classNames(Path tree) throws IOException {
        if (!Files.isDirectory(tree)) {
            return List.of();
        }
        try (Stream<Path> files = Files.walk(tree)) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> name.endsWith(".java") && !name.equals("package-info.java"))
                    .toList();
        }
    }

    @Test
    void theSourcesAreFound() throws IOException {
        assertThat(sources(MAIN)).anyMatch(file -> file.endsWith("PaxosLease.java"));
        assertThat(sources(TESTS)).anyMatch(file -> file.endsWith("SourceRulesTest.java"));
    }

    /** What runs by default knows nothing of the other algorithms: their modules bring all that they need. */
    @Test
    void coreNamesNoOtherAlgorithm() throws IOException {
        assertThat(naming("paxoslease-core")).isEmpty();
        assertThat(naming("paxoslease-flease")).isNotEmpty();
    }

    private static List<Path> naming(String module) throws IOException {
        List<Path> found = new ArrayList<>();
        for (Path file : sources(MAIN)) {
            if (file.startsWith(Path.of("..", module))
                    && OTHERS.matcher(Files.readString(file)).find()) {
                found.add(file);
            }
        }
        return found;
    }

    private static boolean isTooWide(String clause) {
        return TOO_WIDE.matcher(clause).find();
    }

    private static List<Path> sources(String root) throws IOException {
        List<Path> sources = new ArrayList<>();
        for (Path module : MODULES) {
            Path top = module.resolve(root);
            if (Files.exists(top)) {
                try (Stream<Path> files = Files.walk(top)) {
                    files.filter(file -> file.toString().endsWith(".java")).forEach(sources::add);
                }
            }
        }
        return sources;
    }
}
