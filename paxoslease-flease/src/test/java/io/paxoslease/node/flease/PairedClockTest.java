package io.paxoslease.node.flease;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.node.NodeClock;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.Reading;
import org.junit.jupiter.api.Test;

/** A node that relies on its wall clock hands this clock to everything that it does. */
class PairedClockTest {

    private static final Reading LOOSE = new Reading(new Moment(1), 1);
    private static final Reading PAIR = new Reading(new Moment(2), 2);

    private final NodeClock clock = new PairedClock(new Both());

    /** Whose two clocks are not of one instant, unless it is asked for a pair. */
    private static final class Both implements NodeClock {

        @Override
        public Reading read() {
            return LOOSE;
        }

        @Override
        public Reading readPair() {
            return PAIR;
        }
    }

    /** Otherwise a thread that is held up between the two looks as if the clock had been set. */
    @Test
    void eachReadingIsAPair() {
        assertThat(clock.read()).isEqualTo(PAIR);
        assertThat(clock.readPair()).isEqualTo(PAIR);
    }

    @Test
    void whatIsAskedAtEachUseOfALeaseIsNotPaired() {
        assertThat(clock.use((nanos, wallMicros) -> nanos * 10 + wallMicros)).isEqualTo(11);
    }
}
