package io.paxoslease.samples.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ClusterLauncherTest {

    @Test
    void whatAStartTakesIsSaidOfTheAlgorithmInUse() {
        assertThat(ClusterLauncher.start(Algorithm.PAXOSLEASE)).contains("2.4 s (1.22 x max-lease-time)");
        assertThat(ClusterLauncher.start(Algorithm.FLEASE)).contains("3.1 s (1.22 x (max-lease-time + clock-bound))");
        assertThat(ClusterLauncher.start(Algorithm.STORAGE)).contains("at once").doesNotContain("vote");
    }

    @Test
    void whereTheInstancesMeetIsSaid() {
        assertThat(ClusterLauncher.meeting(Algorithm.PAXOSLEASE)).contains("without a database");
        assertThat(ClusterLauncher.meeting(Algorithm.FLEASE)).contains("by Flease", "without a database");
        assertThat(ClusterLauncher.meeting(Algorithm.STORAGE)).contains("directory");
    }
}
