package io.paxoslease.spring.leader;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;

/** The walk of an {@link OnLeader} call on docs/architecture.md: it names each type of ours that is on the stack of the method. */
class OnLeaderWalkTest {

    private final StubbedElections elections = new StubbedElections();

    @Test
    void thePageNamesTheTypesThatACallCrosses() throws IOException {
        try (AnnotationConfigApplicationContext context = elections.context(Job.class)) {
            context.refresh();
            elections.lead("leader");
            Set<String> crossed = context.getBean(Job.class).run();
            assertThat(crossed).contains("OnLeaderInterceptor").hasSizeLessThanOrEqualTo(8);
            assertThat(onThePage()).containsAll(crossed);
        } finally {
            elections.stop();
        }
    }

    private static Set<String> onThePage() throws IOException {
        String page = Files.readString(Path.of("..", "docs", "architecture.md"));
        int start = page.indexOf("**An `@OnLeader` call**");
        Matcher names = Pattern.compile("`(\\w+)`").matcher(page.substring(start, page.indexOf("\n\n", start)));
        return names.results().map(name -> name.group(1)).collect(Collectors.toSet());
    }

    static class Job {

        @OnLeader
        public Set<String> run() {
            Set<String> crossed = new TreeSet<>();
            StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE)
                    .forEach(frame -> addIfMain(frame.getDeclaringClass(), crossed));
            return crossed;
        }

        private static void addIfMain(Class<?> type, Set<String> crossed) {
            if (type.getName().startsWith("io.paxoslease.")
                    && !type.getName().contains("$$")
                    && !type.getProtectionDomain()
                            .getCodeSource()
                            .getLocation()
                            .getPath()
                            .contains("test-classes")) {
                crossed.add(type.getName().replaceFirst(".*\\.", "").replaceFirst("\\$.*", ""));
            }
        }
    }
}
