package io.paxoslease.clusters;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class SharedTokensTest {

    private static Map<String, Set<String>> of(Map<String, String> files) {
        return SharedTokens.of(History.of(files), Traffic.of(files));
    }

    @Test
    void aTokenOfTwoLeadersIsFound() {
        assertThat(of(Map.of("n1-7.leads", "leads 5 10 20\nleads 7 50 60\n", "n2-8.leads", "leads 5 30 40\n")))
                .containsExactly(Map.entry("leader 5", Set.of("n1", "n2")));
    }

    @Test
    void aTokenOfTwoCallsIsFoundEvenIfTheyAreOfOneInstance() {
        assertThat(of(Map.of("n1.calls", "lock-1 5 0 10 20 true\nlock-1 5 0 30 40 true\n")))
                .containsOnlyKeys("lock-1 5");
    }

    @Test
    void tokensOfDifferentLeasesAndPiecesOfOneLeadershipShareNothing() {
        assertThat(of(Map.of(
                        "n1-7.leads", "leads 5 10 20\nhole 20 30 true\nleads 5 30 40\n",
                        "n1.calls", "lock-1 5 0 10 20 true\nlock-2 5 0 10 20 true\nlock-2 0 0 10 10 true\n",
                        "n2.calls", "lock-2 0 0 11 11 true\nlock-2 6 0 10 20 true\n")))
                .isEmpty();
    }
}
