package io.paxoslease.transport.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.Channel;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class HandshakeLimiterTest {

    private final List<Channel> channels = new ArrayList<>();

    @AfterEach
    void close() {
        channels.forEach(Channel::close);
    }

    private @Nullable Channel enter(HandshakeLimiter limiter, String host) {
        Channel channel = new EmbeddedChannel();
        channels.add(channel);
        return limiter.enter(channel, host);
    }

    @Test
    void anAddressDisplacesItsOwnOldestAndNoOther() {
        HandshakeLimiter limiter = new HandshakeLimiter(HandshakeLimiter.places(0));
        assertThat(enter(limiter, "other")).isNull();
        for (int i = 0; i < 16; i++) {
            assertThat(enter(limiter, "flood")).isNull();
        }
        for (int i = 0; i < 100; i++) {
            assertThat(enter(limiter, "flood")).isSameAs(channels.get(i + 1));
        }
    }

    @Test
    void whoHasIntroducedItselfLeavesRoom() {
        HandshakeLimiter limiter = new HandshakeLimiter(HandshakeLimiter.places(0));
        for (int i = 0; i < 1_000; i++) {
            assertThat(enter(limiter, "herd")).isNull();
            limiter.leave(channels.get(i));
        }
    }

    /** A NAT hides many. */
    @Test
    void whereThereMayBeManyClientsManyMayComeFromOneAddress() {
        HandshakeLimiter limiter = new HandshakeLimiter(HandshakeLimiter.places(10_000));
        for (int i = 0; i < 464; i++) {
            assertThat(enter(limiter, "herd")).isNull();
        }
        assertThat(enter(limiter, "herd")).isSameAs(channels.get(0));
        for (int i = 0; i < 48; i++) {
            assertThat(enter(limiter, "other " + i)).as("others find room").isNull();
        }
        assertThat(enter(limiter, "one more")).as("of the herd").isSameAs(channels.get(1));
    }

    @Test
    void placesGrowWithTheClientsWithinABound() {
        assertThat(HandshakeLimiter.places(0)).isEqualTo(64);
        assertThat(HandshakeLimiter.places(80)).isEqualTo(74);
        assertThat(HandshakeLimiter.places(100_000)).isEqualTo(512);
    }
}
