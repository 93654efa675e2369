package io.paxoslease.protocol.paxos;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.Timers;
import org.junit.jupiter.api.Test;

class TimersTest {

    private static final Incarnation INCARNATION = new Incarnation(1, 1);

    private final Timers timers = new Timers();
    private final Claim early = new Claim("early", INCARNATION);
    private final Claim late = new Claim("late", INCARNATION);

    /** The clock wraps between the two: the later moment has the smaller number. */
    @Test
    void theEarliestComesFirstAlsoWhenTheClockWraps() {
        Moment before = new Moment(Long.MAX_VALUE - 5);
        Moment after = before.plusNanos(10);
        timers.set(late, after);
        timers.set(early, before);

        assertThat(timers.next()).isEqualTo(before);
        assertThat(timers.poll(before.plusNanos(-1))).isNull();
        assertThat(timers.poll(after)).isSameAs(early);
        assertThat(timers.next()).isEqualTo(after);
        assertThat(timers.poll(after)).isSameAs(late);
        assertThat(timers.next()).isNull();
    }

    @Test
    void onlyTheLatestTimeOfAClaimCounts() {
        timers.set(early, new Moment(5));
        timers.set(early, new Moment(9));
        assertThat(timers.next()).isEqualTo(new Moment(9));
        timers.set(early, null);
        assertThat(timers.next()).isNull();
    }
}
