package io.paxoslease;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class NoteOptionsTest {

    private static final AcquireOptions NOTED =
            AcquireOptions.builder().note("é").build();

    @Test
    void aNoteIsPartOfTheOptions() {
        assertThat(NOTED.note()).isEqualTo("é");
        assertThat(NOTED.toBuilder().maxWait(Duration.ZERO).build().note()).isEqualTo("é");
        assertThat(NOTED).isNotEqualTo(AcquireOptions.renewing());
        assertThat(NOTED.toBuilder().build()).isEqualTo(NOTED).hasSameHashCodeAs(NOTED);
        assertThat(NOTED.toBuilder().note("").build()).isEqualTo(AcquireOptions.renewing());
        assertThat(NOTED.toBuilder().note(null).build().note()).isNull();
    }

    /** It may come from anywhere. */
    @Test
    void aNoteIsPrintedOnOneLine() {
        assertThat(AcquireOptions.builder().note("a\nb").build().toString()).contains("note=a\\u000ab]");
    }

    @Test
    void aNoteThatIsTooLongOrNoTextIsRefused() {
        assertThat(AcquireOptions.builder().note("é".repeat(127)).build().note())
                .hasSize(127);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> AcquireOptions.builder().note("é".repeat(128)))
                .withMessageStartingWith("A note has at most 255 bytes of UTF-8, this one has 256: shorten it");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> AcquireOptions.builder().note("a\ud800"))
                .withMessage(
                        "A note must be valid Unicode, and this one has half of a surrogate pair: remove it from 'a\\ud800'");
    }

    @Test
    void theHolderReadsAndChangesItsNoteAndAnEndedLeaseHasNone() throws InterruptedException {
        try (PaxosLease node = PaxosLease.create(PaxosLeaseOptions.builder("a").build())) {
            node.start();
            Lease lease = node.tryAcquire("r", NOTED).orElseThrow();
            assertThat(node.monitor().status("r").orElseThrow().note()).isEqualTo("é");
            lease.note("b");
            assertThat(node.monitor().status("r").orElseThrow().note()).isEqualTo("b");
            lease.note(null);
            assertThat(node.monitor().status("r").orElseThrow().note()).isNull();
            assertThatIllegalArgumentException().isThrownBy(() -> lease.note("x".repeat(256)));
            lease.release();
            lease.note("c");
            assertThat(node.monitor().status(List.of("r"))).isEmpty();
        }
    }
}
