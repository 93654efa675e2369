package io.paxoslease.simulation;

/** Cells that run Flease. */
class FleaseSimulationTest extends SimulatedCells {

    FleaseSimulationTest() {
        super(FleaseDraw::of, Situation.ofFlease(), 4_000, 0.15);
    }
}
