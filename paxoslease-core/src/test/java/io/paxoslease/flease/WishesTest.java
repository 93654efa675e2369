package io.paxoslease.flease;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import org.junit.jupiter.api.Test;

class WishesTest {

    private static final long SECOND = 1_000_000_000L;

    private final Wishes wishes = new Wishes();
    private final NodeId b = new NodeId("b");

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
}
