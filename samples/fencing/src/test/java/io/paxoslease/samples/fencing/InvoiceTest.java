package io.paxoslease.samples.fencing;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class InvoiceTest {

    @Test
    void numbersInARowAreInOrder() {
        assertThat(Invoice.twice(numbered(1, 2, 3))).isEmpty();
        assertThat(Invoice.missing(numbered(1, 2, 3))).isEmpty();
    }

    @Test
    void whatIsThereTwiceIsNoticed() {
        assertThat(Invoice.twice(numbered(1, 2, 2, 3, 4, 4, 4))).containsExactly(2L, 4L);
    }

    @Test
    void whatIsMissingIsNoticed() {
        assertThat(Invoice.missing(numbered(2, 5, 5))).containsExactly(1L, 3L, 4L);
    }

    private static List<Invoice> numbered(long... numbers) {
        return LongStream.of(numbers)
                .mapToObj(number -> new Invoice(number, "n1", 17))
                .toList();
    }
}
