package io.paxoslease.clusters;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

/** Bad ones are found, good ones are not. */
class TrafficTest {

    private static Traffic of(String calls) {
        return Traffic.of(Map.of("c1.calls", calls));
    }

    @Test
    void leasesOneAfterTheOtherAreInOrder() {
        assertThat(of("lock-1 5 0 10 20 true\nlock-2 4 0 15 30 true\nlock-1 6 0 21 22 true\n")
                        .violations())
                .isEmpty();
    }

    @Test
    void twoThatHaveOneLeaseAtOnceAreFound() {
        Traffic traffic = Traffic.of(Map.of(
                "c1.calls", "lock-1 5 0 10 90 true\nlock-1 7 0 100 110 true\n",
                "c2.calls", "lock-1 6 0 20 21 true\n"));
        assertThat(traffic.violations())
                .singleElement()
                .asString()
                .startsWith("CALL OVERLAP")
                .contains("from=10", "from=20");
    }

    @Test
    void aTokenThatDoesNotGrowIsFound() {
        assertThat(of("lock-1 5 0 10 20 true\nlock-1 7 0 30 40 true\nlock-1 6 0 50 60 true\nlock-1 8 0 70 80 true\n")
                        .violations())
                .singleElement()
                .asString()
                .startsWith("CALL TOKEN");
    }

    /** Its instance was paused between the answer and the first look. */
    @Test
    void aLeaseThatWasOverWhenItsCallerLookedIsNoViolation() {
        Traffic traffic = Traffic.of(Map.of(
                "c1.calls", "lock-1 7 60 61 66 true\n",
                "c2.calls", "lock-1 5 40 80 80 false\n"));
        assertThat(traffic.violations()).isEmpty();
        assertThat(traffic.waits(0, 100)).hasSize(2);
    }

    @Test
    void aCallWithoutALeaseIsNoViolation() {
        Traffic traffic = of("lock-1 5 0 10 20 true\nlock-1 0 15 16 16 true\n");
        assertThat(traffic.violations()).isEmpty();
        assertThat(traffic.refused(0, 100)).isEqualTo(1);
        assertThat(traffic.waits(0, 100)).containsExactly(10L);
    }

    @Test
    void twoThatLeadOneRoleAreFound() {
        Traffic traffic = Traffic.of(Map.of(
                "held-1@c1-7.role", "alive 60\nleads 5 10 50\n",
                "held-1@c2-8.role", "alive 60\nleads 6 40 60\n",
                "held-2@c2-9.role", "alive 60\nleads 4 40 60\n"));
        assertThat(traffic.violations()).singleElement().asString().startsWith("ROLE held-1: OVERLAP");
        assertThat(traffic.roles()).containsOnlyKeys("held-1", "held-2");
    }

    @Test
    void leasesThatEndWithTheirInstanceAreNotLost() {
        Traffic traffic = Traffic.of(Map.of("n1.losses", "lost role:x STOPPED 5\nlost role:y EXPIRED 6\n"));
        assertThat(traffic.lossesBetween(0, 10)).containsExactly(new Traffic.Loss("n1", "role:y", "EXPIRED", 6));
    }
}
