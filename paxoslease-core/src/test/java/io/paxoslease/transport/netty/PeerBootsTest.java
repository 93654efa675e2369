package io.paxoslease.transport.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.transport.Hello;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class PeerBootsTest {

    private static final NodeId B = new NodeId("b");
    private static final Incarnation FIRST = new Incarnation(0, 1);
    private static final Incarnation SECOND = new Incarnation(0, 2);

    private long nanos = Long.MAX_VALUE - 3;
    private final PeerBoots boots = new PeerBoots(() -> nanos);

    @Test
    void aProcessThatIsConnectedIsSeenNow() {
        assertThat(boots.last(B)).isNull();
        boots.connected(B, FIRST);
        nanos += 10;
        assertThat(boots.last(B)).isEqualTo(new Hello.LastBoot(FIRST, 0));
    }

    @Test
    void oneThatIsGoneWasSeenWhenItsLastConnectionEnded() {
        boots.connected(B, FIRST);
        nanos += 10;
        boots.disconnected(B);
        nanos += 7;
        assertThat(boots.last(B)).isEqualTo(new Hello.LastBoot(FIRST, 7));
        boots.connected(B, SECOND);
        assertThat(boots.last(B)).isEqualTo(new Hello.LastBoot(SECOND, 0));
    }

    @Test
    void whatIsOlderThanAnyQuarantineIsForgotten() {
        boots.connected(B, FIRST);
        boots.disconnected(B);
        nanos += Duration.ofDays(3).toNanos();
        assertThat(boots.last(B)).isNotNull();
        nanos += Duration.ofDays(2).toNanos();
        assertThat(boots.last(B)).isNull();
    }

    @Test
    void noMoreMembersAreRememberedThanACellHas() {
        boots.connected(B, FIRST);
        for (int i = 0; i < 1_000; i++) {
            boots.connected(new NodeId("n" + i), FIRST);
        }
        assertThat(boots.last(B)).isNull();
        assertThat(boots.last(new NodeId("n999"))).isNotNull();
        assertThat(boots.last(new NodeId("n872"))).isNotNull();
        assertThat(boots.last(new NodeId("n871"))).isNull();
    }

    @Test
    void oneThatIsConnectedIsRememberedLongerThanThoseThatHaveLeft() {
        boots.connected(B, FIRST);
        for (int i = 0; i < 1_000; i++) {
            NodeId replaced = new NodeId("n" + i);
            boots.connected(replaced, FIRST);
            boots.disconnected(replaced);
        }
        assertThat(boots.last(B)).isNotNull();
        assertThat(boots.last(new NodeId("n0"))).isNull();
    }

    /** What the peer was told before is out of date then. */
    @Test
    void anotherProcessThatWasConnectedWhileAHandshakeTookPlaceIsNoticed() {
        long begun = nanos;
        assertThat(boots.hasMetAnother(B, SECOND, begun)).isFalse();
        boots.connected(B, FIRST);
        assertThat(boots.hasMetAnother(B, SECOND, begun)).isTrue();
        assertThat(boots.hasMetAnother(B, FIRST, begun)).isFalse();
        nanos += 5;
        boots.disconnected(B);
        assertThat(boots.hasMetAnother(B, SECOND, begun)).isTrue();
        assertThat(boots.hasMetAnother(B, SECOND, nanos)).isFalse();
    }
}
