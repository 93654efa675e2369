package io.paxoslease.protocol.paxos;

import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Quorum;
import io.paxoslease.testing.Fuzz;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;

/**
 * A production node against random events: nothing escapes from a step, each step ends, the node remembers no more than its
 * bounds, holds nothing without a majority of the acceptors, and serves honest nodes when the storm is over.
 */
@Tag("slow")
class HandlerFuzzTest {

    private static final NodeId A = new NodeId("a");
    private static final int STEPS = 300;

    private final Fuzz fuzz;

    HandlerFuzzTest(TestInfo test) {
        fuzz = new Fuzz(test);
    }

    @Test
    void aMemberSurvives() {
        fuzz.runs(600, run -> {
            Quorum quorum = run.random().nextBoolean() ? quorum("a", "b", "c") : quorum("c", "b", "a", "e", "d");
            NodeStorm storm = survives(run, quorum, 8);
            if (storm != null) {
                HonestCell cell = new HonestCell(storm, quorum);
                List<NodeId> others =
                        quorum.acceptors().stream().filter(id -> !id.equals(A)).toList();
                cell.serve(others.get(0), "r0", Set.of());
                cell.serve(A, "r0", Set.of());
                cell.serve(A, "fresh", Set.of());
                if (!storm.wallClockIsSet) {
                    Set<NodeId> minority = Set.copyOf(others.subList(quorum.majority() - 1, others.size()));
                    cell.serve(others.get(0), "r1", minority);
                    cell.serve(A, "r1", minority);
                }
            }
        });
    }

    @Test
    void aNodeThatIsNoAcceptorSurvives() {
        fuzz.runs(400, run -> {
            Quorum quorum = quorum("b", "c", "d");
            NodeStorm storm = survives(run, quorum, 8);
            if (storm != null) {
                HonestCell cell = new HonestCell(storm, quorum);
                cell.serve(A, "r0", Set.of());
                cell.serve(quorum.acceptors().get(0), "r0", Set.of());
            }
        });
    }

    /** What its acceptor promised while its clock was ahead holds until the clock is there again. */
    @Test
    void aCellOfOneSurvives() {
        fuzz.runs(400, run -> {
            Quorum quorum = quorum("a");
            NodeStorm storm = survives(run, quorum, 8);
            if (storm != null && !storm.wallClockIsSet) {
                HonestCell cell = new HonestCell(storm, quorum);
                cell.serve(A, "r0", Set.of());
                cell.serve(A, "fresh", Set.of());
            }
        });
    }

    /** So many that the recent releases overflow. */
    @Test
    void manyResourcesAreForgotten() {
        fuzz.runs(3, run -> {
            NodeStorm storm = new NodeStorm(run.random(), A, quorum("a"), 4_000);
            run.input(storm::history);
            storm.rage(5_000);
            storm.calmDown();
            storm.assertNothingIsLeft();
        });
    }

    /** The storm and what follows from it; null when the node was stopped in the end. */
    private static @Nullable NodeStorm survives(Fuzz.Run run, Quorum quorum, int resources) {
        NodeStorm storm = new NodeStorm(run.random(), A, quorum, resources);
        run.input(storm::history);
        storm.rage(STEPS);
        if (run.random().nextInt(8) == 0) {
            storm.stop();
            return null;
        }
        storm.calmDown();
        storm.assertNothingIsLeft();
        return storm;
    }

    private static Quorum quorum(String... ids) {
        return new Quorum(Stream.of(ids).map(NodeId::new).toList());
    }
}
