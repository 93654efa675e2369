package io.paxoslease.protocol.paxos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Whole conversations, word for word, in {@code src/test/resources/transcripts}. {@code -Dtranscripts.rewrite=true} writes
 * what happens now into the files instead of comparing.
 */
class TranscriptTest {

    private static final Path DIRECTORY = Path.of("src/test/resources/transcripts");
    private static final boolean REWRITE = Boolean.getBoolean("transcripts.rewrite");
    private static final int CONTEXT = 3;

    static Stream<String> transcripts() throws IOException {
        try (Stream<Path> files = Files.list(DIRECTORY)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList().stream();
        }
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("transcripts")
    void theCellStillSaysWhatTheTranscriptSays(String name) throws IOException {
        Path file = DIRECTORY.resolve(name);
        String expected = Files.readString(file);
        String happened = TranscriptPlayer.play(expected);
        if (REWRITE) {
            Files.writeString(file, happened);
            return;
        }
        check(name, expected, happened);
    }

    @Test
    void aTranscriptThatIsWrongIsShownWithTheDifferenceAndTheSwitch() throws IOException {
        String right = Files.readString(DIRECTORY.resolve("acquire.txt"));
        String wrong = right.replaceFirst("token 1", "token 2");
        assertThat(wrong).isNotEqualTo(right);
        assertThatThrownBy(() -> check("acquire.txt", wrong, TranscriptPlayer.play(wrong)))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("-    ")
                .hasMessageContaining("token 2")
                .hasMessageContaining("-Dtranscripts.rewrite=true");
    }

    @Test
    void whatCameOfTheCommandsIsWrittenAnew() throws IOException {
        String right = Files.readString(DIRECTORY.resolve("acquire.txt"));
        String bare = right.replaceAll("(?m)^ .*\n", "");
        assertThat(bare).isNotEqualTo(right);
        assertThat(TranscriptPlayer.play(bare)).isEqualTo(right);
    }

    @Test
    void aLineThatIsNoCommandIsNamed() {
        assertThatThrownBy(() -> TranscriptPlayer.play("cell a b c with leases up to 1s\na dances\n"))
                .hasMessageStartingWith("Line 2, a dances: No such command");
    }

    @Test
    void aMessageThatIsNotThereCannotBeDelivered() {
        assertThatThrownBy(() -> TranscriptPlayer.play("cell a b c with leases up to 1s\ndeliver OPEN b->a\n"))
                .hasMessageStartingWith("Line 2, deliver OPEN b->a: No such message is in flight");
    }

    @Test
    void twoHoldersAreNoticed() {
        String suspendedWithoutNoticing = """
                cell a b c with leases up to 1s
                a acquires r for 300ms
                deliver all
                suspend a
                b acquires r for 300ms
                pass 400ms
                a resumes
                """;
        assertThatThrownBy(() -> TranscriptPlayer.play(suspendedWithoutNoticing))
                .isInstanceOf(AssertionError.class)
                .hasMessageStartingWith("Line 7, a resumes: Two hold r: [a, b]");
    }

    @Test
    void noTranscriptIsMissing() throws IOException {
        assertThat(transcripts()).hasSizeGreaterThanOrEqualTo(25);
    }

    private static void check(String name, String expected, String happened) {
        if (!expected.equals(happened)) {
            throw new AssertionError("""
                    %s does not tell what happens (- as it is written, + as it happens):

                    %s
                    If what happens is right, have it written, and read the difference before you commit it:
                    mvn -pl paxoslease-core test -Dtest=TranscriptTest -Dtranscripts.rewrite=true
                    """.formatted(
                    name, difference(expected.lines().toList(), happened.lines().toList())));
        }
    }

    /** The lines that differ, by the longest common subsequence, each with a few around it. */
    private static String difference(List<String> before, List<String> after) {
        int[][] common = new int[before.size() + 1][after.size() + 1];
        for (int i = before.size() - 1; i >= 0; i--) {
            for (int j = after.size() - 1; j >= 0; j--) {
                common[i][j] = before.get(i).equals(after.get(j))
                        ? common[i + 1][j + 1] + 1
                        : Math.max(common[i + 1][j], common[i][j + 1]);
            }
        }
        List<String> lines = new ArrayList<>();
        int i = 0;
        int j = 0;
        while (i < before.size() || j < after.size()) {
            if (i < before.size() && j < after.size() && before.get(i).equals(after.get(j))) {
                lines.add(" " + before.get(i++));
                j++;
            } else if (j == after.size() || (i < before.size() && common[i + 1][j] >= common[i][j + 1])) {
                lines.add("-" + before.get(i++));
            } else {
                lines.add("+" + after.get(j++));
            }
        }
        return nearChanges(lines);
    }

    private static String nearChanges(List<String> lines) {
        StringBuilder near = new StringBuilder();
        boolean left = false;
        for (int i = 0; i < lines.size(); i++) {
            List<String> around = lines.subList(Math.max(0, i - CONTEXT), Math.min(lines.size(), i + CONTEXT + 1));
            boolean shown = around.stream().anyMatch(line -> !line.startsWith(" "));
            if (shown) {
                near.append(left ? "...\n" : "").append(lines.get(i)).append('\n');
            }
            left = !shown;
        }
        return near.toString();
    }
}
