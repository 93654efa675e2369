package io.paxoslease.samples.shards;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class AuditTest {

    @Test
    void ordersThatWereShippedOnceAreInOrder() {
        Audit audit = Audit.of(3, List.of(2L, 1L, 3L));
        assertThat(audit.isClean()).isTrue();
        assertThat(audit).hasToString("Orders 1 to 3: missing none, twice none.");
    }

    @Test
    void whatWasShippedTwiceIsNoticed() {
        Audit audit = Audit.of(4, List.of(1L, 2L, 2L, 3L, 4L, 4L, 4L));
        assertThat(audit.isClean()).isFalse();
        assertThat(audit).hasToString("Orders 1 to 4: missing none, twice 2, 4.");
    }

    @Test
    void whatWasNotShippedIsNoticed() {
        Audit audit = Audit.of(5, List.of(2L, 4L));
        assertThat(audit.isClean()).isFalse();
        assertThat(audit).hasToString("Orders 1 to 5: missing 1, 3, 5, twice none.");
    }

    @Test
    void ofManyTheFirstAreShown() {
        Audit audit = Audit.of(23, LongStream.of(1, 2).boxed().toList());
        assertThat(audit)
                .hasToString("Orders 1 to 23: missing 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20,"
                        + " 21, 22 and 1 more, twice none.");
    }
}
