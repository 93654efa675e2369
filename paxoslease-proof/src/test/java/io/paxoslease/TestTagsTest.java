package io.paxoslease;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** The tags by which builds select tests, in every module: CONTRIBUTING.md says what each tag means. A test without one is fast. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class TestTagsTest {

    private static final Path ROOT = Path.of("..");
    private static final Set<String> TAGS = Set.of("slow", "proof", "cluster", "deep", "jdk");
    private static final Pattern TAG = Pattern.compile("^@Tag\\(\"([^\"]*)\"\\)", Pattern.MULTILINE);
    private static final Pattern PROOF = Pattern.compile(".*/(simulation|exploration|interleaving)/\\w+");
    private static final Pattern UNDER_LOAD = Pattern.compile(".*(Fuzz|Concurrency)Test");

    private final TreeMap<String, Set<String>> classes = new TreeMap<>();

    TestTagsTest() throws IOException {
        try (Stream<Path> files = Files.find(ROOT, 20, (file, attributes) -> isTest(file))) {
            for (Path file : (Iterable<Path>) files::iterator) {
                classes.put(file.toString().replaceFirst("\\.java$", ""), tags(Files.readString(file)));
            }
        }
    }

    @Test
    void everyModuleIsLookedAt() {
        assertThat(classes.keySet())
                .anyMatch(name -> name.endsWith("/TestTagsTest"))
                .anyMatch(name -> name.endsWith("/SimulationTest"))
                .anyMatch(name -> name.endsWith("/OnLeaderTest"))
                .anyMatch(name -> name.endsWith("/ThreeNodesIT"));
    }

    @Test
    void noTagIsMisspelt() {
        assertThat(classes.values()).allMatch(TAGS::containsAll);
    }

    @Test
    void simulationsExplorationsAndMutantsAreProofAndNothingElseIs() {
        assertThat(named(name -> PROOF.matcher(name).matches())).isEqualTo(tagged("proof"));
    }

    @Test
    void cellsOfProcessesAndContainersAreCluster() {
        assertThat(named(name -> name.matches(".*/cluster-tests/.*IT"))).isEqualTo(tagged("cluster"));
    }

    @Test
    void fuzzingAndThreadsUnderLoadAreSlow() {
        assertThat(tagged("slow"))
                .containsAll(named(name -> UNDER_LOAD.matcher(name).matches()));
    }

    /** The fast tests run on the newest JDK without it. */
    @Test
    void onlySlowTestsNeedTheTagOfTheNewestJdk() {
        assertThat(tagged("slow")).containsAll(tagged("jdk"));
    }

    private List<String> tagged(String tag) {
        return classes.entrySet().stream()
                .filter(entry -> entry.getValue().contains(tag))
                .map(entry -> entry.getKey())
                .toList();
    }

    private List<String> named(Predicate<String> name) {
        return classes.keySet().stream().filter(name).toList();
    }

    private static boolean isTest(Path file) {
        String path = file.toString();
        return path.contains("/src/test/java/") && (path.endsWith("Test.java") || path.endsWith("IT.java"));
    }

    private static Set<String> tags(String source) {
        Set<String> tags = new HashSet<>();
        for (Matcher matcher = TAG.matcher(source); matcher.find(); ) {
            tags.add(matcher.group(1));
        }
        if (source.contains("\n@RequiresDocker\n")) {
            tags.add("cluster");
        }
        return tags;
    }
}
