package io.paxoslease.protocol.storage;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.protocol.AcquireRequest;
import io.paxoslease.protocol.Effect;
import io.paxoslease.protocol.Event;
import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Reading;
import io.paxoslease.protocol.Timing;
import io.paxoslease.protocol.storage.RegisterMessage.CompareAndSet;
import io.paxoslease.protocol.storage.RegisterMessage.Request;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a client remembers of registers that it does nothing about. */
class StorageMemoryTest {

    private static final int MAX_SEEN = 4_096;
    private static final long MILLI = 1_000_000;
    private static final long BOUND = 100 * MILLI;
    private static final long LEASE = 3_000 * MILLI;
    /** A lease time, multiplied by gamma, rounded up. */
    private static final long WAIT = 3_667 * MILLI;

    private static final StorageRules RULES =
            new StorageRules(new Timing(Duration.ofSeconds(5), 0.1), BOUND, true, false);
    private static final Content OTHERS = StampCodec.encode(
            new Stamp(new NodeId("b"), new Incarnation(9, 9), 1, 7, 7, LEASE, BOUND, true, "", Stamp.State.HELD));

    private final StorageClient client =
            new StorageClient(new NodeId("a"), RULES, "the store", () -> new Incarnation(1, 1), () -> 0, now());
    private long nanos;
    private long ids;

    private Reading now() {
        return new Reading(new Moment(nanos), nanos / 1_000);
    }

    /** Asks once for a lease that another client holds. Answers whether the client goes on to take it. */
    private boolean takes(String resource) {
        AcquireRequest once = new AcquireRequest(++ids, resource, LEASE, true, AcquireRequest.WaitMode.TRY_ONCE, null);
        Request look = requests(client.step(new Event.Acquire(once), now())).get(0);
        RegisterMessage.Value held = new RegisterMessage.Value(look.access(), OTHERS);
        return requests(client.step(new Event.Received(RegisterMessage.STORE, held), now())).stream()
                .anyMatch(CompareAndSet.class::isInstance);
    }

    private static List<Request> requests(List<Effect> effects) {
        return effects.stream()
                .filter(Effect.Send.class::isInstance)
                .map(effect -> (Request) ((Effect.Send) effect).message())
                .toList();
    }

    private void lookAtOthers(int count) {
        for (int i = 0; i < count; i++) {
            assertThat(takes("other" + ++ids)).isFalse();
        }
    }

    @Test
    void asManyRegistersAreRememberedAsItSays() {
        assertThat(takes("r")).isFalse();
        lookAtOthers(MAX_SEEN - 1);
        nanos += WAIT;
        assertThat(takes("r")).isTrue();
    }

    /** The wait begins anew: what stands there may have been written a moment ago. */
    @Test
    void aRegisterThatWasForgottenIsWaitedForFromTheNextLookOn() {
        assertThat(takes("r")).isFalse();
        lookAtOthers(MAX_SEEN);
        nanos += WAIT;
        assertThat(takes("r")).isFalse();
        nanos += WAIT - MILLI;
        assertThat(takes("r")).isFalse();
        nanos += MILLI;
        assertThat(takes("r")).isTrue();
    }

    @Test
    void whatWasLookedAtLastIsForgottenLast() {
        assertThat(takes("r")).isFalse();
        lookAtOthers(MAX_SEEN - 1);
        assertThat(takes("r")).isFalse();
        lookAtOthers(MAX_SEEN - 1);
        nanos += WAIT;
        assertThat(takes("r")).isTrue();
    }
}
