package io.paxoslease.shards.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paxoslease.shards.plan.Participant.State;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ParticipantTest {

    private static final Participant ONE = new Participant(State.ACTIVE, 0x5f1c09aa, 4_200, 3, "1.4.2-9f3c", 32, 20);
    private static final String NOTE = "v=1;state=active;boot=5f1c09aa;age=4200;order=3;rev=1.4.2-9f3c;count=32;max=20";

    @Test
    void aNoteHasThisForm() {
        assertThat(ONE.toNote()).isEqualTo(NOTE);
    }

    @Test
    void whatIsWrittenIsReadAgain() {
        for (State state : State.values()) {
            Participant one = new Participant(state, -1, 0, 0, "r", 1, 1);
            assertThat(Participant.fromNote(one.toNote())).isEqualTo(one);
        }
        assertThat(Participant.fromNote(NOTE)).isEqualTo(ONE);
    }

    @Test
    void theLongestNoteFits() {
        Participant longest = new Participant(
                State.STANDBY,
                -1,
                Participant.MAX_AGE_MILLIS,
                Participant.MAX_ORDER,
                "r".repeat(64),
                Participant.MAX_COUNT,
                Participant.MAX_COUNT);
        assertThat(longest.toNote().getBytes(StandardCharsets.UTF_8)).hasSizeLessThanOrEqualTo(160);
        assertThat(Participant.fromNote(longest.toNote())).isEqualTo(longest);
    }

    /** Of a later version that only adds entries. */
    @Test
    void unknownKeysAreIgnored() {
        assertThat(Participant.fromNote("zone=eu-1;" + NOTE + ";weight=3;empty="))
                .isEqualTo(ONE);
    }

    @Test
    void whatIsNoNoteIsIgnored() {
        assertThat(List.of(
                        "",
                        ";",
                        "=",
                        "http://10.0.0.1:8080",
                        NOTE.replace("v=1", "v=2"),
                        NOTE + ";v=1",
                        NOTE.replace("active", "dead"),
                        NOTE.replace("age=4200", "age=-1"),
                        NOTE.replace("age=4200", "age=999999999999999999999999"),
                        NOTE.replace("count=32", "count=0"),
                        NOTE.replace("count=32", "count=4097"),
                        NOTE.replace("max=20", "max=33"),
                        NOTE.replace("max=20", "max=\u0661"),
                        NOTE.replace("boot=5f1c09aa", "boot=5F1C09AA"),
                        NOTE.replace("rev=1.4.2-9f3c", "rev="),
                        NOTE.replace("rev=1.4.2-9f3c", "rev=a\nb"),
                        NOTE.replace(";order=3", ""),
                        NOTE + ";x=" + "y".repeat(255),
                        NOTE + ";x=" + "\u4e2d".repeat(70)))
                .allMatch(note -> Participant.fromNote(note) == null);
        assertThat(Participant.fromNote(null)).isNull();
    }

    @Test
    void noInputIsAnError() {
        Random random = new Random(1);
        for (int run = 0; run < 20_000; run++) {
            StringBuilder note = new StringBuilder(NOTE);
            for (int i = random.nextInt(6); i >= 0; i--) {
                int at = random.nextInt(note.length());
                char any = (char)
                        (random.nextInt(4) == 0 ? random.nextInt(0x10000) : ";=-0129a\u0000".charAt(random.nextInt(9)));
                if (random.nextBoolean()) {
                    note.setCharAt(at, any);
                } else {
                    note.insert(at, any);
                }
            }
            Participant read = Participant.fromNote(note.toString());
            assertThat(read == null ? null : Participant.fromNote(read.toNote()))
                    .isEqualTo(read);
        }
    }

    @Test
    void aRevisionOfAnyTextFitsIntoANote() {
        assertThat(Participant.revision("1.4.2-9f3c")).isEqualTo("1.4.2-9f3c");
        assertThat(Participant.revision("a b;c")).startsWith("a_b_c~");
        assertThat(Participant.revision("")).startsWith("~");
        assertThat(Participant.revision("x".repeat(65))).isNotEqualTo(Participant.revision("x".repeat(66)));
        assertThat(new Participant(State.ACTIVE, 0, 0, 1, Participant.revision("\u4e2d".repeat(300)), 1, 1).toNote())
                .hasSizeLessThan(Participant.MAX_BYTES);
    }

    @Test
    void valuesOutOfBoundsAreNamed() {
        assertThatThrownBy(() -> new Participant(State.ACTIVE, 0, 0, 1, "r", 0, 1))
                .hasMessageContaining("1 to 4,096 shards, not 0");
        assertThatThrownBy(() -> new Participant(State.ACTIVE, 0, 0, 1, "r", 8, 9))
                .hasMessageContaining("max-owned is 1 to count (8), not 9");
        assertThatThrownBy(() -> new Participant(State.ACTIVE, 0, -1, 1, "r", 8, 8))
                .hasMessageContaining("age of -1 ms");
        assertThatThrownBy(() -> new Participant(State.ACTIVE, 0, 0, -1, "r", 8, 8))
                .hasMessageContaining("order of -1");
        assertThatThrownBy(() -> new Participant(State.ACTIVE, 0, 0, 1, "a;b", 8, 8))
                .hasMessageContaining("a;b");
    }
}
