package io.paxoslease.simulation;

/** Cells that run PaxosLease. */
class SimulationTest extends SimulatedCells {

    SimulationTest() {
        super(ScenarioDraw::of, Situation.ofPaxosLease(), 20_000, 0.03);
    }
}
