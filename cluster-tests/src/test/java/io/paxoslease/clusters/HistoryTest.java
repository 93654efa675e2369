package io.paxoslease.clusters;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class HistoryTest {

    @Test
    void whatWitnessesWroteIsRead() {
        History history = History.of(Map.of(
                "n1-77.leads", "alive 30   \nleads 5 10 20   \nhole 20 25 false \n",
                "n2-99.leads", "alive 60   \nleads 6 40 50   \n",
                "n1.events", "ready 0 1\ngranted 5 9\ntold-to-stop 0 19\nrevoked 5 26\ntold-to-stop 0 70\n",
                "work", "enter n1 5 11\nexit n1 5 13\nenter n2 6 41\nexit n2 6 43\n"));

        assertThat(history.leading()).containsExactly(new Tenure("n1", 5, 10, 20), new Tenure("n2", 6, 40, 50));
        assertThat(history.working()).containsExactly(new Tenure("n1", 5, 11, 13), new Tenure("n2", 6, 41, 43));
        assertThat(history.holes()).containsExactly(new History.Hole("n1", 20, 25, false));
        assertThat(history.event("n1", "revoked", 5)).contains(new History.Event("n1", "revoked", 5, 26));
        assertThat(history.lastEvent("n1", "told-to-stop", 40))
                .contains(new History.Event("n1", "told-to-stop", 0, 19));
        assertThat(history.end(5)).isEqualTo(20);
        assertThat(history.lastSample("n2")).isEqualTo(60);
        assertThat(history.after(5)).contains(new Tenure("n2", 6, 40, 50));
        assertThat(history.violations()).isEmpty();
        assertThat(history.handOvers()).isEqualTo(1);
    }

    @Test
    void aLineThatIsNotWrittenToItsEndIsNotRead() {
        History history = History.of(Map.of(
                "n1-77.leads", "alive 30   \nleads 5 10 20   \nleads 6 25",
                "n2-99.leads", "alive 6",
                "n1.events", "ready 0 1\ngranted 5 ",
                "work", "enter n1 5 11\nexit n1 5 13\nenter n2 6 4"));

        assertThat(history.leading()).containsExactly(new Tenure("n1", 5, 10, 20));
        assertThat(history.events()).containsExactly(new History.Event("n1", "ready", 0, 1));
        assertThat(history.working()).containsExactly(new Tenure("n1", 5, 11, 13));
        assertThat(history.samples()).containsOnlyKeys("n1");
    }

    @Test
    void aCallThatLookedOnceOnlyIsNoTenure() {
        History history =
                History.of(Map.of("work", "enter n1 5 11\nenter n1 7 30\nexit n1 7 33\nenter n2 6 40\nexit n2 6 40\n"));

        assertThat(history.working()).containsExactly(new Tenure("n1", 7, 30, 33));
        assertThat(history.violations()).isEmpty();
    }

    @Test
    void overlappingWorkIsFoundEvenWhereNobodyWasSeenToLead() {
        History history = History.of(Map.of("work", "enter n1 5 11\nenter n2 6 12\nexit n1 5 13\nexit n2 6 14\n"));

        assertThat(history.violations()).singleElement().asString().startsWith("WORK OVERLAP");
    }

    @Test
    void aLeadershipThatWasSeenOnlyOnceAcrossAPauseIsNoTenure() {
        assertThat(History.of(Map.of("n1-77.leads", "alive 30\nleads 5 20 10\n"))
                        .leading())
                .isEmpty();
    }
}
