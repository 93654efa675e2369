package io.paxoslease.spring.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Every link from one page to another, to a heading of it, or to a file of the project leads somewhere. */
class LinksTest {

    private static final Pattern CODE = Pattern.compile("(?ms)^ *```.*?^ *```$|`[^`\n]*`");
    private static final Pattern LINK = Pattern.compile("]\\(([^)\\s]+)\\)");
    private static final Pattern HEADING = Pattern.compile("(?m)^#{1,6} +(.+)$");

    @Test
    void everyLinkLeadsSomewhere() throws IOException {
        List<String> broken = new ArrayList<>();
        for (Path page : Pages.all()) {
            String text = CODE.matcher(Files.readString(page)).replaceAll("");
            Matcher link = LINK.matcher(text);
            while (link.find()) {
                if (!link.group(1).contains("://") && !leads(page, link.group(1))) {
                    broken.add(Pages.ROOT.relativize(page) + ": " + link.group(1));
                }
            }
        }
        assertThat(broken).isEmpty();
    }

    @Test
    void aBrokenLinkIsFound() throws IOException {
        Path page = Pages.ROOT.resolve("docs/locks.md");
        assertThat(leads(page, "operations/configuration.md#choosing-lease-times"))
                .isTrue();
        assertThat(leads(page, "operations/configuration.md#choosing-lease-doors"))
                .isFalse();
        assertThat(leads(page, "configuration.md")).isFalse();
        assertThat(leads(page, "#idle-retention")).isTrue();
        assertThat(leads(page, "../README.md")).isTrue();
        assertThat(anchors("# A `b.c`: d, e\n## Twice\n## Twice\n"))
                .containsExactlyInAnyOrder("a-bc-d-e", "twice", "twice-1");
    }

    private static boolean leads(Path page, String link) throws IOException {
        String[] parts = link.split("#", 2);
        Path target = parts[0].isEmpty() ? page : page.resolveSibling(parts[0]).normalize();
        if (!Files.exists(target)) {
            return false;
        }
        return parts.length == 1
                || !target.toString().endsWith(".md")
                || anchors(Files.readString(target)).contains(parts[1]);
    }

    /** As GitHub names the headings of a page. */
    private static Set<String> anchors(String text) {
        Map<String, Integer> seen = new HashMap<>();
        Set<String> anchors = new HashSet<>();
        Matcher heading = HEADING.matcher(text);
        while (heading.find()) {
            String name = heading.group(1)
                    .strip()
                    .replaceAll("\\[([^]]*)]\\([^)]*\\)", "$1")
                    .toLowerCase(Locale.ROOT)
                    .replaceAll("[^\\p{L}\\p{N} _-]", "")
                    .replace(' ', '-');
            int before = seen.merge(name, 1, Integer::sum) - 1;
            anchors.add(before == 0 ? name : name + "-" + before);
        }
        return anchors;
    }
}
