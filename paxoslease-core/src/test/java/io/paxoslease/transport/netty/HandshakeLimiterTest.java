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
    private long now = 5;

    @AfterEach
    void close() {
        channels.forEach(Channel::close);
    }

    private HandshakeLimiter limiter(int maxClients) {
        return new HandshakeLimiter(HandshakeLimiter.places(maxClients, false), () -> now);
    }

    private @Nullable Channel enter(HandshakeLimiter limiter, String host) {
        Channel channel = new EmbeddedChannel();
        channels.add(channel);
        return limiter.enter(channel, host);
    }

    private Channel last() {
        return channels.get(channels.size() - 1);
    }

    /** After two seconds a handshake is not likely to come to an end any more. */
    @Test
    void anAddressDisplacesItsOwnOldestAndNoOther() {
        HandshakeLimiter limiter = limiter(0);
        assertThat(enter(limiter, "other")).isNull();
        for (int i = 0; i < 16; i++) {
            assertThat(enter(limiter, "flood")).isNull();
        }
        assertThat(enter(limiter, "flood")).as("it may try again").isSameAs(last());
        now += HandshakeLimiter.PEACE_NANOS - 1;
        assertThat(enter(limiter, "flood")).isSameAs(last());
        now++;
        for (int i = 0; i < 16; i++) {
            assertThat(enter(limiter, "flood")).isSameAs(channels.get(i + 1));
        }
        assertThat(enter(limiter, "flood")).as("the next two seconds").isSameAs(last());
        assertThat(enter(limiter, "third")).isNull();
    }

    @Test
    void whoHasIntroducedItselfLeavesRoom() {
        HandshakeLimiter limiter = limiter(0);
        for (int i = 0; i < 1_000; i++) {
            assertThat(enter(limiter, "herd")).isNull();
            limiter.leave(channels.get(i));
        }
    }

    /** A NAT hides many. */
    @Test
    void whereThereMayBeManyClientsManyMayComeFromOneAddress() {
        HandshakeLimiter limiter = limiter(10_000);
        for (int i = 0; i < 464; i++) {
            assertThat(enter(limiter, "herd")).isNull();
        }
        assertThat(enter(limiter, "herd")).isSameAs(last());
        for (int i = 0; i < 48; i++) {
            assertThat(enter(limiter, "other " + i)).as("others find room").isNull();
        }
        assertThat(enter(limiter, "one more")).as("of the herd").isSameAs(channels.get(0));
    }

    /** Each handshake that is begun and broken off has cost a key exchange. */
    @Test
    void whereManyAddressesComeAtOnceThoseOnTheirWayAreLeftInPeace() {
        HandshakeLimiter limiter = limiter(10_000);
        for (int i = 0; i < 512; i++) {
            assertThat(enter(limiter, "client " + i)).isNull();
        }
        assertThat(enter(limiter, "one more")).isSameAs(last());
        limiter.leave(channels.get(7));
        assertThat(enter(limiter, "one more")).isNull();
        assertThat(enter(limiter, "yet another")).isSameAs(last());
        now += HandshakeLimiter.PEACE_NANOS;
        assertThat(enter(limiter, "yet another")).as("silent for long").isSameAs(channels.get(0));
    }

    @Test
    void anAddressWithManyMakesRoomForOneWithFewAtOnce() {
        HandshakeLimiter limiter = limiter(0);
        for (int i = 0; i < 16; i++) {
            enter(limiter, "flood");
        }
        for (int i = 0; i < 48; i++) {
            assertThat(enter(limiter, "client " + i)).isNull();
        }
        assertThat(enter(limiter, "member")).isSameAs(channels.get(0));
        assertThat(enter(limiter, "member")).as("15 are no flood").isSameAs(last());
    }

    @Test
    void placesGrowWithTheClientsWithinABound() {
        assertThat(HandshakeLimiter.places(0, false)).isEqualTo(64);
        assertThat(HandshakeLimiter.places(80, false)).isEqualTo(74);
        assertThat(HandshakeLimiter.places(100_000, false)).isEqualTo(512);
        assertThat(HandshakeLimiter.places(100_000, true)).isEqualTo(128);
    }
}
