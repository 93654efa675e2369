package io.paxoslease.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.exploration.Depth;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Section 9: cells whose members change while nothing goes wrong. Leases are kept, and what leaves stops as soon as it may. */
@Tag("proof")
class CalmChangeTest {

    private static final long CELLS = Depth.of("simulation.seeds", 60, 300);

    @Test
    void noLeaseIsLostWithoutAFaultWhileMembersChange() {
        LongStream.range(0, CELLS).parallel().forEach(seed -> assertThat(Simulation.violation(CalmDraw::of, seed))
                .isNull());
    }

    @Test
    void leasesAreHeldOverTheSeal() {
        long held = LongStream.range(0, 20)
                .parallel()
                .filter(seed -> Simulation.run(CalmDraw::of, seed).count(Situation.HELD_OVER_THE_SEAL) > 0)
                .count();
        assertThat(held).isEqualTo(20);
    }
}
