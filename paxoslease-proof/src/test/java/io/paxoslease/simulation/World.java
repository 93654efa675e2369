package io.paxoslease.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** What everything in a run shares: time, chance, and who watches. */
final class World {

    private static final int DEEPEST = 3;

    private final Scenario scenario;
    private final Agenda agenda = new Agenda();
    private final SplittableRandom random;
    private final Subject subject;
    private final Statistics statistics = new Statistics();
    private final Trace trace;
    private final SealWatch seals;
    private final List<String> resources = new ArrayList<>();
    private int depth;
    private boolean healed;
    private @Nullable String brokenNode;

    World(Scenario scenario, Trace trace) {
        this.scenario = scenario;
        this.random = new SplittableRandom(~scenario.seed());
        this.trace = trace;
        this.seals = new SealWatch(this);
        for (int i = 0; i < scenario.resources(); i++) {
            resources.add("r" + i);
        }
        this.subject = Subject.of(this);
    }

    long now() {
        return agenda.now();
    }

    /** One of so many times. */
    boolean chance(int oneIn) {
        return random.nextInt(oneIn) == 0;
    }

    boolean isDeep() {
        return depth >= DEEPEST;
    }

    /** Time passes in the middle of something: everything else goes on, then this call returns. Not after the healing. */
    void letPass(long nanos) {
        long end = Math.min(agenda.now() + nanos, scenario.safetyNanos());
        depth++;
        agenda.runUntil(end);
        depth--;
    }

    /** A node found a fault in itself. Thrown later: whoever completes a future swallows what its users throw. */
    void broken(int node, String why) {
        if (brokenNode == null) {
            brokenNode = "n" + node + " found a fault in itself: " + why;
        }
    }

    void checkNodesAreSound() {
        if (brokenNode != null) {
            throw new HistoryChecker.Violation(brokenNode);
        }
    }

    boolean isHealed() {
        return healed;
    }

    void heal() {
        healed = true;
        trace.note(agenda.now(), "", "EVERYTHING HEALS");
    }

    void note(int node, String what) {
        trace.note(agenda.now(), "n" + node, what);
    }

    Scenario scenario() {
        return scenario;
    }

    Agenda agenda() {
        return agenda;
    }

    SplittableRandom random() {
        return random;
    }

    Subject subject() {
        return subject;
    }

    HistoryChecker checker() {
        return subject.checker();
    }

    Statistics statistics() {
        return statistics;
    }

    SealWatch seals() {
        return seals;
    }

    Trace trace() {
        return trace;
    }

    List<String> resources() {
        return resources;
    }
}
