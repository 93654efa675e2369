package io.paxoslease.node;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * What a task throws on the thread of a node, as for want of memory, ends the node: a task that only ends itself leaves behind a connection that is
 * never read again, or a call that is never answered.
 */
class LoopTasksTest {

    private static final Pattern HANDED_OVER = Pattern.compile(
            "(?:loop(?:\\(\\))?\\s*\\.(?:schedule|execute|scheduleAtFixedRate|scheduleWithFixedDelay)|Threads\\.later)\\(");
    private static final Pattern GUARDED = Pattern.compile("guarded\\(|guard\\.accept\\(|\\brun\\(");

    /** What each of these does if it throws is said. */
    private static final Map<String, String> UNGUARDED = Map.of(
            "NodeRunner.java", "its task is given to it guarded; the beat guards itself",
            "WakeTimer.java", "NodeRunner guards what it runs",
            "LossLog.java", "only logs",
            "ClientTurns.java", "only sets numbers",
            "CallbackRunner.java", "runs when the node has failed: it catches what executors throw",
            "RegisterTransport.java", "what receives guards itself",
            "Threads.java", "is given its task",
            "NettyTransport.java", "the attempts to leave are repeated",
            "ContactPoints.java", "of no node");

    @Test
    void everyTaskOnTheLoopIsGuarded() throws IOException {
        Map<String, String> found = new TreeMap<>();
        for (String part : List.of("node", "transport/netty")) {
            try (Stream<Path> files = Files.list(Path.of("src/main/java/io/paxoslease", part))) {
                files.filter(each -> each.toString().endsWith(".java")).forEach(file -> look(file, found));
            }
        }
        assertThat(found.keySet()).containsExactlyInAnyOrderElementsOf(UNGUARDED.keySet());
    }

    private static void look(Path file, Map<String, String> found) {
        try {
            String source = Files.readString(file);
            Matcher handedOver = HANDED_OVER.matcher(source);
            while (handedOver.find()) {
                int from = handedOver.end();
                String task = source.substring(from, Math.min(source.length(), from + 80));
                if (!GUARDED.matcher(task).find()) {
                    found.put(file.getFileName().toString(), task);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
