package io.paxoslease.spring.docs;

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

/** Every command on a page that names tests finds some: with none, Maven succeeds without a word. */
class CommandsTest {

    private static final Pattern TESTS = Pattern.compile("-D(?:it\\.)?test='?([^'\\s`]+)");
    private static final String JAVA = ".java";
    private static final Pattern WILDCARD = Pattern.compile("\\*\\*/|\\*");

    @Test
    void everyCommandFindsTheTestsThatItNames() throws IOException {
        List<String> classes = testClasses();
        List<String> missing = new ArrayList<>();
        for (Path page : Pages.all()) {
            Matcher named = TESTS.matcher(Files.readString(page));
            while (named.find()) {
                for (String name : named.group(1).split(",", -1)) {
                    if (classes.stream().noneMatch(each -> isMeant(name, each))) {
                        missing.add(Pages.ROOT.relativize(page) + ": " + name);
                    }
                }
            }
        }
        assertThat(missing).isEmpty();
    }

    @Test
    void aNameThatFindsNothingIsFound() throws IOException {
        assertThat(isMeant("CommandsTest#a*", "io/paxoslease/spring/docs/CommandsTest"))
                .isTrue();
        assertThat(isMeant("Commands*", "io/paxoslease/spring/docs/CommandsTest"))
                .isTrue();
        assertThat(isMeant("io.paxoslease.spring.docs.*Test", "io/paxoslease/spring/docs/CommandsTest"))
                .isTrue();
        assertThat(isMeant("io/paxoslease/**/*Test", "io/paxoslease/spring/docs/CommandsTest"))
                .isTrue();
        assertThat(isMeant("Command", "io/paxoslease/spring/docs/CommandsTest")).isFalse();
        assertThat(isMeant("io.paxoslease.spring.docs.*", "io/paxoslease/spring/docs/CommandsTest"))
                .as("Surefire takes .* for the ending of a file's name")
                .isFalse();
    }

    /** As Surefire and Failsafe read it. */
    private static boolean isMeant(String name, String testClass) {
        String pattern = name.replaceFirst("#.*", "");
        if (pattern.endsWith(".*")) {
            return false;
        }
        boolean isSimple = !pattern.contains(".") && !pattern.contains("/");
        String glob = (isSimple ? "**/" : "") + pattern.replace('.', '/');
        String regex = WILDCARD.matcher(glob).replaceAll(each -> each.group().equals("*") ? "[^/]*" : "(.*/)?");
        return testClass.matches(regex);
    }

    /** Of each module and sample; what a build leaves in their target changes while it runs. */
    private static List<String> testClasses() throws IOException {
        List<String> classes = new ArrayList<>();
        for (Path parent : List.of(Pages.ROOT, Pages.ROOT.resolve("samples"))) {
            try (Stream<Path> modules = Files.list(parent)) {
                for (Path module : modules.toList()) {
                    classes.addAll(testClassesBelow(module.resolve("src/test/java")));
                }
            }
        }
        return classes;
    }

    private static List<String> testClassesBelow(Path sources) throws IOException {
        if (!Files.isDirectory(sources)) {
            return List.of();
        }
        try (Stream<Path> files = Files.walk(sources)) {
            return files.map(file -> sources.relativize(file).toString().replace('\\', '/'))
                    .filter(file -> file.endsWith(JAVA))
                    .map(file -> file.substring(0, file.length() - JAVA.length()))
                    .toList();
        }
    }
}
