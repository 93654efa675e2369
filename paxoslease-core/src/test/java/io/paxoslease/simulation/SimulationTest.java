package io.paxoslease.simulation;

/** Cells that run PaxosLease; in a share of them the members change. */
class SimulationTest extends SimulatedCells {

    SimulationTest() {
        super(ChangeDraw::of, Situation.ofPaxosLease(), 20_000, 0.03);
    }
}
