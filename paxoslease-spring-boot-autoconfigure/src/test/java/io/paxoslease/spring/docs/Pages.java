package io.paxoslease.spring.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The pages that users read, and the code in them. */
public final class Pages {

    /** The root of the project. */
    static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

    private static final Set<String> NOT_PAGES = Set.of("target", ".git", ".github", "src", "node_modules");
    private static final Pattern FENCE =
            Pattern.compile("(?m)^( *)```([a-z]+)\\R(.*?)^\\1```$", Pattern.DOTALL | Pattern.MULTILINE);

    private Pages() {}

    /**
     * A block of code in a page.
     *
     * @param page path below the root
     * @param line of its first line of code
     */
    public record Snippet(String page, int line, String text) {

        @Override
        public String toString() {
            return page + ":" + line;
        }
    }

    /** Every page, the decisions included. */
    public static List<Path> all() throws IOException {
        try (Stream<Path> files = Files.walk(ROOT, 4)) {
            return files.filter(file -> file.toString().endsWith(".md"))
                    .filter(Pages::isPage)
                    .sorted()
                    .toList();
        }
    }

    private static boolean isPage(Path file) {
        for (Path name : ROOT.relativize(file)) {
            if (NOT_PAGES.contains(name.toString())) {
                return false;
            }
        }
        return true;
    }

    /** The blocks of that language on every page. */
    public static List<Snippet> snippets(String language) throws IOException {
        List<Snippet> found = new ArrayList<>();
        for (Path page : all()) {
            String text = Files.readString(page);
            Matcher fence = FENCE.matcher(text);
            while (fence.find()) {
                if (fence.group(2).equals(language)) {
                    int line =
                            1 + (int) text.substring(0, fence.start(3)).lines().count();
                    found.add(new Snippet(ROOT.relativize(page).toString(), line, fence.group(3)));
                }
            }
        }
        return found;
    }
}
