package io.paxoslease.protocol.paxos;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** That an exploration leaves out only what can do no more than what it visits. */
@Tag("slow")
class CoreOrderTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "one becomes another",
                "one becomes another, there and back",
                "one becomes another, then a third",
                "the longest lease grows, with another member",
                "the longest lease shrinks"
            })
    void everyStateThatCanBeReachedIsBelowOneThatIsVisited(String name) {
        CoreCell cell = CoreBounds.small().stream()
                .filter(each -> each.name.equals(name))
                .findFirst()
                .orElseThrow();
        CoreAutomata automata = new CoreAutomata(cell);
        CoreOrder order = new CoreOrder(automata, true);
        Map<List<Object>, List<CoreExplorer.State>> visited = new HashMap<>();
        CoreExplorer.visitAll(
                cell, true, state -> visited.computeIfAbsent(looks(automata, order, state), key -> new ArrayList<>())
                        .add(state));
        long[] states = new long[1];
        CoreExplorer.visitAll(cell, false, state -> {
            states[0]++;
            List<CoreExplorer.State> alike = visited.getOrDefault(looks(automata, order, state), List.of());
            assertThat(alike).anyMatch(each -> isBelow(automata, order, state, each));
        });
        assertThat(states[0])
                .isGreaterThan(visited.values().stream().mapToInt(List::size).sum());
    }

    /** What is the same in two states of which one is below the other: of acceptors and seals all that others see. */
    private static List<Object> looks(CoreAutomata automata, CoreOrder order, CoreExplorer.State state) {
        List<Object> looks = new ArrayList<>(List.of(state.heard()));
        for (int node = 0; node < automata.nodes(); node++) {
            int own = order.taken(state.nodes()[node]);
            boolean isProposer = node >= automata.firstProposer() && node < automata.firstSeal();
            looks.add(isProposer ? "" : automata.part(own).visible());
        }
        return looks;
    }

    private static boolean isBelow(
            CoreAutomata automata, CoreOrder order, CoreExplorer.State state, CoreExplorer.State other) {
        for (int node = 0; node < automata.nodes(); node++) {
            boolean believesLess = !believes(automata, state, node) || believes(automata, other, node);
            if (!believesLess || !order.isBelow(order.taken(state.nodes()[node]), other.nodes()[node])) {
                return false;
            }
        }
        for (int message = 0; message < automata.messages(); message++) {
            boolean isMissing = (state.messages() & ~other.messages() & (1L << message)) != 0;
            int to = automata.message(message).to();
            boolean isMinded = to < 0 || order.isMinded(message, other.nodes()[automata.firstProposer() + to]);
            if (isMissing && isMinded) {
                return false;
            }
        }
        return state.releases() <= other.releases();
    }

    /** What must never be true of two: not left to the order that is tested. */
    private static boolean believes(CoreAutomata automata, CoreExplorer.State state, int node) {
        return automata.part(state.nodes()[node]) instanceof CoreProposer proposer && proposer.believes();
    }
}
