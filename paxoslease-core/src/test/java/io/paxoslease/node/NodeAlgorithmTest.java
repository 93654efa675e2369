package io.paxoslease.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.protocol.Generation;
import io.paxoslease.protocol.MemberList;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Timing;
import io.paxoslease.transport.CellConfig;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class NodeAlgorithmTest {

    private static MemberList list(long seconds, double drift) {
        return new MemberList(List.of(new NodeId("a")), Duration.ofSeconds(seconds), drift);
    }

    private static long silenceNanos(MemberList current, MemberList previous) {
        return NodeAlgorithm.silenceNanos(new CellConfig("cell", new Generation(2, current, previous), null));
    }

    @Test
    void whileMembersChangeTheSilenceCoversBothSettings() {
        long both = new Timing(Duration.ofSeconds(9), 0.2).quarantineNanos();

        assertThat(silenceNanos(list(9, 0.1), list(5, 0.2))).isEqualTo(both);
        assertThat(silenceNanos(list(5, 0.2), list(9, 0.1))).isEqualTo(both);
    }

    @Test
    void theSilenceIsNoLongerThanOneThatCanBeConfigured() {
        long longest = new Timing(Duration.ofHours(24), 0.5).quarantineNanos();
        MemberList forged = list(Long.MAX_VALUE / 2_000_000_000L, Double.NaN);

        assertThat(NodeAlgorithm.silenceNanos(new CellConfig("cell", Generation.first(forged), null)))
                .isEqualTo(longest);
    }
}
