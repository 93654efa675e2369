package io.paxoslease.protocol.flease;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import org.junit.jupiter.api.Test;

class WishesTest {

    private static final long SECOND = 1_000_000_000L;

    private final Wishes wishes = new Wishes();
    private final NodeId b = new NodeId("b");
    private final NodeId c = new NodeId("c");

    @Test
    void aResourceThatIsAlwaysWantedDoesNotKeepTheOthers() {
        wishes.add("hot", b, FleaseMessage.Wish.WAITS, new Moment(0));
        for (int i = 0; i < 100; i++) {
            wishes.add("r" + i, b, FleaseMessage.Wish.ONCE, new Moment(0));
        }
        Moment later = new Moment(2 * SECOND);
        wishes.add("hot", b, FleaseMessage.Wish.WAITS, later);
        wishes.forget(later);
        wishes.forget(later);

        assertThat(wishes.size()).isEqualTo(1);
        assertThat(wishes.all("hot", later)).containsExactly(b);
    }

    @Test
    void whoAskedOnceIsRememberedForASecondAndWhoWaitsUntilItAsksAgain() {
        wishes.add("r", b, FleaseMessage.Wish.ONCE, new Moment(0));
        wishes.add("r", c, FleaseMessage.Wish.WAITS, new Moment(0));
        assertThat(wishes.all("r", new Moment(SECOND - 1))).containsExactly(b, c);
        assertThat(wishes.all("r", new Moment(SECOND))).containsExactly(c);
        assertThat(wishes.all("r", new Moment(11 * SECOND - 1))).containsExactly(c);
        assertThat(wishes.all("r", new Moment(11 * SECOND))).isEmpty();
        assertThat(wishes.size()).isZero();
    }

    @Test
    void whoAsksAgainKeepsItsPlaceUnlessItsWishWasOver() {
        wishes.add("r", b, FleaseMessage.Wish.WAITS, new Moment(0));
        wishes.add("r", c, FleaseMessage.Wish.WAITS, new Moment(SECOND));
        wishes.add("r", b, FleaseMessage.Wish.ONCE, new Moment(2 * SECOND));
        assertThat(wishes.all("r", new Moment(2 * SECOND))).containsExactly(b, c);
        wishes.add("r", b, FleaseMessage.Wish.WAITS, new Moment(4 * SECOND));
        assertThat(wishes.all("r", new Moment(4 * SECOND))).containsExactly(c, b);
    }

    @Test
    void thoseWhoAskedOnceAreToldOnce() {
        wishes.add("r", b, FleaseMessage.Wish.ONCE, new Moment(0));
        wishes.add("r", c, FleaseMessage.Wish.WAITS, new Moment(0));
        assertThat(wishes.takeOnce("r", new Moment(1))).containsExactly(b);
        assertThat(wishes.takeOnce("r", new Moment(1))).isEmpty();
        assertThat(wishes.all("r", new Moment(1))).containsExactly(c);
        wishes.removeAll(c);
        assertThat(wishes.size()).isZero();
    }
}
