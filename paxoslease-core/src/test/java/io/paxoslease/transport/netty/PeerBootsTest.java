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
    private static final Incarnation THIRD = new Incarnation(0, 3);

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
        boots.told(B, SECOND);
        assertThat(boots.last(B)).isEqualTo(new Hello.LastBoot(SECOND, 0));
        assertThat(boots.last(B, SECOND)).isEqualTo(new Hello.LastBoot(SECOND, 0));
    }

    /** It is connected here before it has read the answer, which may be lost with the connection. */
    @Test
    void theProcessBeforeIsNotForgottenBeforeTheNextOneKnowsOfIt() {
        boots.connected(B, FIRST);
        nanos += 10;
        boots.disconnected(B);
        nanos += 7;
        boots.connected(B, SECOND);
        assertThat(boots.last(B)).isEqualTo(new Hello.LastBoot(FIRST, 7));
        nanos += 1;
        boots.disconnected(B);
        boots.connected(B, SECOND);
        assertThat(boots.last(B, SECOND)).isEqualTo(new Hello.LastBoot(FIRST, 8));
        assertThat(boots.last(B, THIRD)).isEqualTo(new Hello.LastBoot(SECOND, 0));
        boots.told(B, FIRST);
        assertThat(boots.last(B, SECOND)).isEqualTo(new Hello.LastBoot(FIRST, 8));
        boots.told(B, SECOND);
        assertThat(boots.last(B, SECOND)).isEqualTo(new Hello.LastBoot(SECOND, 0));
    }

    /** Seven nanoseconds ago the second one. */
    private void twoProcessesHaveGone() {
        boots.connected(B, FIRST);
        boots.disconnected(B);
        nanos += 10;
        boots.connected(B, SECOND);
        boots.disconnected(B);
        nanos += 7;
    }

    @Test
    void ofThreeProcessesTheLastOneIsToldOfTheSecond() {
        twoProcessesHaveGone();
        assertThat(boots.last(B, THIRD)).isEqualTo(new Hello.LastBoot(SECOND, 7));
        boots.connected(B, THIRD);
        assertThat(boots.last(B, THIRD)).isEqualTo(new Hello.LastBoot(SECOND, 7));
        assertThat(boots.last(B, FIRST)).isEqualTo(new Hello.LastBoot(THIRD, 0));
    }

    /** It may be the first one, the second one, which does not know of the first, or a third one. */
    @Test
    void aProcessThatIsCalledWhileNoneIsConnectedTakesTheLastOneForAnother() {
        twoProcessesHaveGone();
        Hello.LastBoot told = boots.last(B);
        assertThat(told).isEqualTo(new Hello.LastBoot(new Incarnation(0, 0), 7));
    }

    @Test
    void whatIsOlderThanAnyQuarantineIsForgottenAlsoIfItWasNotTold() {
        boots.connected(B, FIRST);
        boots.disconnected(B);
        boots.connected(B, SECOND);
        nanos += Duration.ofDays(5).toNanos();
        assertThat(boots.last(B, SECOND)).isNull();
    }

    @Test
    void aMemberIsConnectedUntilItsLastConnectionIsGone() {
        assertThat(boots.isConnected(B)).isFalse();
        boots.connected(B, FIRST);
        assertThat(boots.isConnected(B)).isTrue();
        boots.disconnected(B);
        assertThat(boots.isConnected(B)).isFalse();
    }

    /** While the second one was called; what tells it of the first may have been lost. */
    @Test
    void anotherProcessThatWasConnectedBeforeThisOneIsNoticed() {
        long begun = nanos;
        nanos += 5;
        boots.connected(B, FIRST);
        boots.disconnected(B);
        nanos += 5;
        boots.connected(B, SECOND);
        assertThat(boots.hasMetAnother(B, SECOND, begun)).isTrue();
        assertThat(boots.hasMetAnother(B, SECOND, begun + 6)).isFalse();
        boots.told(B, SECOND);
        assertThat(boots.hasMetAnother(B, SECOND, begun)).isFalse();
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
