package io.paxoslease.protocol.paxos;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.protocol.AcquireRequest.WaitMode;
import io.paxoslease.protocol.Effect.Denial;
import io.paxoslease.protocol.Effect.Denied;
import io.paxoslease.protocol.Effect.Granted;
import io.paxoslease.protocol.Effect.Lost;
import io.paxoslease.protocol.Event;
import io.paxoslease.protocol.Generation;
import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.NodeId;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Section 8, Q13: what a minority has accepted of a node that waits is in the way of the holder, until that node gives way. */
class RecordInTheWayTest {

    private static final Duration LEASE = Duration.ofSeconds(2);
    private static final Generation MEMBERS = Generation.first(ChangingCell.list(LEASE, "a", "b", "c"));
    /** M x gamma of two seconds. */
    private static final Duration QUARANTINE = Duration.ofMillis(2_445);

    /**
     * Two members restart one right after the other. The lease of the next holder, the member b or the client z, rests on one record, at b.
     * The others request the lease too, and the acceptor of a, which has just begun to serve, accepts the first proposal that it gets.
     */
    @ParameterizedTest
    @CsvSource({"b,0", "b,5", "b,20", "z,0", "z,5", "z,20"})
    void aLeaseIsKeptWhenOneMemberRestartsRightAfterAnother(String next, int delayMillis) {
        ChangingCell cell = new ChangingCell();
        List.of("a", "b", "c", "z").forEach(name -> cell.start(name, MEMBERS));
        cell.pass(QUARANTINE);
        cell.delay(Duration.ofMillis(delayMillis));
        for (String name : List.of("c", next, "a")) {
            cell.acquire(name, LEASE);
            cell.pass(Duration.ofMillis(100));
        }
        assertThat(cell.holder()).isEqualTo("c");

        cell.stop("a");
        cell.start("a", MEMBERS);
        cell.acquire("a", LEASE);
        cell.pass(QUARANTINE.minusMillis(100));
        cell.release("c");
        cell.pass(Duration.ofMillis(60));
        assertThat(cell.holder()).isEqualTo(next);
        cell.stop("c");
        cell.pass(Duration.ofMillis(60)); // a votes, and has forgotten
        cell.start("c", MEMBERS);
        cell.acquire("c", LEASE);
        cell.pass(QUARANTINE.multipliedBy(2));
        assertThat(cell.holder()).isEqualTo(next);
        assertThat(cell.losses()).isZero();
    }

    private final ProtocolTestCell cell = new ProtocolTestCell(3, 1, Duration.ofSeconds(10));
    private final NodeId a = cell.id(0);
    private final NodeId b = cell.id(1);
    private final NodeId c = cell.id(2);
    private final NodeId d = cell.id(3);

    /** The holder is a, c does not know it, and has accepted d; b is silent by now. Then a renews. */
    private void aRenewsWhereDHasBeenAccepted(WaitMode mode) {
        cell.pass(Duration.ofMillis(1));
        cell.acquire(a, "r", 5_000, true);
        cell.deliver(message -> !message.to().equals(c));
        cell.pass(Duration.ofMillis(1_500));
        cell.acquire(d, "r", 5_000, true, mode, Duration.ofMinutes(1));
        cell.deliver(message -> !message.to().equals(b));
        assertThat(recordAtC()).isNotEqualTo(incarnationOfA());
        cell.pass(Duration.ofMillis(500), message -> !message.to().equals(b));
    }

    private Incarnation incarnationOfA() {
        long token = cell.last(a, Granted.class).token();
        return Objects.requireNonNull(new NodeProbe(cell.node(a)).incarnationOf("r", token));
    }

    private Incarnation recordAtC() {
        NodeProbe.Live live = new NodeProbe(cell.node(c)).live("r", cell.now(c).moment());
        return Objects.requireNonNull(live).ballot().incarnation();
    }

    @Test
    void whoAsksOnceIsDeniedAndTheHolderIsNext() {
        aRenewsWhereDHasBeenAccepted(WaitMode.TRY_ONCE);
        assertThat(cell.last(d, Denied.class).reason()).isEqualTo(Denial.HELD);
        assertThat(cell.last(d, Denied.class).holder()).isEqualTo(a);
        assertThat(recordAtC()).isEqualTo(incarnationOfA());
    }

    @Test
    void whoWaitsGivesWayAndWaitsOn() {
        aRenewsWhereDHasBeenAccepted(WaitMode.WAIT);
        assertThat(recordAtC()).isEqualTo(incarnationOfA());
        assertThat(cell.all(a, Lost.class)).isEmpty();
        cell.pass(Duration.ofSeconds(10));
        assertThat(cell.all(a, Lost.class)).isEmpty();
        cell.step(a, new Event.GiveUp("r", cell.last(a, Granted.class).token()));
        cell.pass(Duration.ofMillis(100));
        assertThat(cell.all(d, Granted.class)).hasSize(1);
    }
}
