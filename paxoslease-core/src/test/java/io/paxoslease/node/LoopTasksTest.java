package io.paxoslease.node;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
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

    /** The beginning of a task, by which it is named. */
    private static final Pattern NAME = Pattern.compile("^\\s*((?:\\(\\) -> )?[\\w:{]+)");

    /** What each of these does if it throws is said. */
    private static final Map<String, String> UNGUARDED = Map.ofEntries(
            Map.entry("NodeRunner.java: this::beat", "guards itself"),
            Map.entry("NodeRunner.java: task", "is given to it guarded"),
            Map.entry("WakeTimer.java: this::fire", "NodeRunner guards what it runs"),
            Map.entry("LoopWatch.java: () -> true", "does nothing"),
            Map.entry("LossLog.java: () -> logRemaining", "only logs"),
            Map.entry("ClientTurns.java: this::endRound", "only sets numbers"),
            Map.entry("RegisterTransport.java: () -> node", "what receives guards itself"),
            Map.entry("Threads.java: code", "is given its task"),
            Map.entry("NettyTransport.java: links::unread", "its future has what it throws"),
            Map.entry("NettyTransport.java: leaving", "the attempts to leave are repeated"),
            Map.entry("ContactPoints.java: () -> {", "of no node"));

    @Test
    void everyTaskOnTheLoopIsGuarded() throws IOException {
        List<String> found = new ArrayList<>();
        for (String part : List.of(
                "paxoslease-core/src/main/java/io/paxoslease/node",
                "paxoslease-core/src/main/java/io/paxoslease/transport/netty",
                "paxoslease-storage/src/main/java/io/paxoslease/node/storage")) {
            try (Stream<Path> files = Files.list(Path.of("..", part))) {
                files.filter(each -> each.toString().endsWith(".java")).forEach(file -> look(file, found));
            }
        }
        assertThat(found).containsExactlyInAnyOrderElementsOf(UNGUARDED.keySet());
    }

    private static void look(Path file, List<String> found) {
        try {
            String source = Files.readString(file);
            Matcher handedOver = HANDED_OVER.matcher(source);
            while (handedOver.find()) {
                int from = handedOver.end();
                String task = source.substring(from, Math.min(source.length(), from + 80));
                if (!GUARDED.matcher(task).find()) {
                    Matcher name = NAME.matcher(task);
                    found.add(file.getFileName() + ": " + (name.find() ? name.group(1) : task));
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
