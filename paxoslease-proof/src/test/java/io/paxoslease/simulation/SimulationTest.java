package io.paxoslease.simulation;

import org.junit.jupiter.api.Tag;

/** Cells that run PaxosLease; in a share of them the members change. */
@Tag("proof")
class SimulationTest extends SimulatedCells {

    SimulationTest() {
        super(ChangeDraw::of, Situation.ofPaxosLease(), 4_000, 0.03);
    }
}
