package io.paxoslease.transport.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.protocol.Generation;
import io.paxoslease.protocol.NodeId;
import java.util.Arrays;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Whom a client has to reach, so that it waits for the others with patience. */
class PeerLinksTest {

    private static boolean decide(Generation generation, String... connected) {
        Set<NodeId> ids = Arrays.stream(connected).map(NodeId::new).collect(Collectors.toSet());
        return PeerLinks.decide(generation, ids);
    }

    @Test
    void aMajorityOfOneList() {
        Generation first = Endpoint.config("cell", "a", "b", "c").generation();
        assertThat(decide(first, "a", "c")).isTrue();
        assertThat(decide(first, "a")).isFalse();
        assertThat(decide(Endpoint.config("cell", "a", "b").generation(), "a")).isFalse();
    }

    @Test
    void majoritiesOfBothLists() {
        Generation second = Endpoint.config("cell", 2, "a d e", "a b c").generation();
        assertThat(decide(second, "a", "d", "e")).as("one of three before").isFalse();
        assertThat(decide(second, "a", "b", "c")).as("one of three after").isFalse();
        assertThat(decide(second, "a", "b", "d")).isTrue();
    }
}
