package io.paxoslease.protocol.flease;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import org.junit.jupiter.api.Test;

class WaitListTest {

    private static final long SECOND = 1_000_000_000L;

    private final WaitList waitList = new WaitList(Long.MAX_VALUE);
    private final NodeId b = new NodeId("b");
    private final NodeId c = new NodeId("c");

    @Test
    void aResourceThatIsAlwaysWantedDoesNotKeepTheOthers() {
        waitList.add("hot", b, FleaseMessage.Interest.WAITS, new Moment(0));
        for (int i = 0; i < 100; i++) {
            waitList.add("r" + i, b, FleaseMessage.Interest.ONCE, new Moment(0));
        }
        Moment later = new Moment(2 * SECOND);
        waitList.add("hot", b, FleaseMessage.Interest.WAITS, later);
        waitList.forget(later);
        waitList.forget(later);

        assertThat(waitList.size()).isEqualTo(1);
        assertThat(waitList.all("hot", later)).containsExactly(b);
    }

    @Test
    void whoAskedOnceIsRememberedForASecondAndWhoWaitsUntilItAsksAgain() {
        waitList.add("r", b, FleaseMessage.Interest.ONCE, new Moment(0));
        waitList.add("r", c, FleaseMessage.Interest.WAITS, new Moment(0));
        assertThat(waitList.all("r", new Moment(SECOND - 1))).containsExactly(b, c);
        assertThat(waitList.all("r", new Moment(SECOND))).containsExactly(c);
        assertThat(waitList.all("r", new Moment(11 * SECOND - 1))).containsExactly(c);
        assertThat(waitList.all("r", new Moment(11 * SECOND))).isEmpty();
        assertThat(waitList.size()).isZero();
    }

    @Test
    void whoAsksAgainKeepsItsPlaceUnlessItsWishWasOver() {
        waitList.add("r", b, FleaseMessage.Interest.WAITS, new Moment(0));
        waitList.add("r", c, FleaseMessage.Interest.WAITS, new Moment(SECOND));
        waitList.add("r", b, FleaseMessage.Interest.ONCE, new Moment(2 * SECOND));
        assertThat(waitList.all("r", new Moment(2 * SECOND))).containsExactly(b, c);
        waitList.add("r", b, FleaseMessage.Interest.WAITS, new Moment(4 * SECOND));
        assertThat(waitList.all("r", new Moment(4 * SECOND))).containsExactly(c, b);
    }

    @Test
    void thoseWhoAskedOnceAreToldOnce() {
        waitList.add("r", b, FleaseMessage.Interest.ONCE, new Moment(0));
        waitList.add("r", c, FleaseMessage.Interest.WAITS, new Moment(0));
        assertThat(waitList.takeOnce("r", new Moment(1))).containsExactly(b);
        assertThat(waitList.takeOnce("r", new Moment(1))).isEmpty();
        assertThat(waitList.all("r", new Moment(1))).containsExactly(c);
        waitList.removeAll(c);
        assertThat(waitList.size()).isZero();
    }
}
