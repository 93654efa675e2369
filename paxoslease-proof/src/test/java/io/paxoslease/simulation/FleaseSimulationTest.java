package io.paxoslease.simulation;

import org.junit.jupiter.api.Tag;

/** Cells that run Flease. */
@Tag("proof")
class FleaseSimulationTest extends SimulatedCells {

    FleaseSimulationTest() {
        super(FleaseDraw::of, Situation.ofFlease(), 1_000, 0.15);
    }
}
