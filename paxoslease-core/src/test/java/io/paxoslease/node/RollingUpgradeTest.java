package io.paxoslease.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.AcquireOptions;
import io.paxoslease.Lease;
import io.paxoslease.PaxosLease;
import io.paxoslease.testing.Eventually;
import io.paxoslease.testing.TestCell;
import io.paxoslease.transport.Versions;
import io.paxoslease.transport.netty.Security;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A cell whose nodes are upgraded from the first release one after the other. */
@Tag("slow")
class RollingUpgradeTest {

    private static final Versions FIRST = Versions.only(1);
    private static final AcquireOptions RENEWING = AcquireOptions.renewing();

    private final TestCell cell = TestCell.of(Duration.ofSeconds(1), "a", "b", "c");

    @AfterEach
    void stop() {
        cell.close();
    }

    private PaxosLease start(String id, Versions versions) {
        return cell.start(LocalNode.create(
                cell.options(id).build(), same -> new SystemEnvironment(same, new Security(null), versions)));
    }

    /** With one new node stopped, the old one's vote decides. */
    @Test
    void aCellOfOneOldAndTwoNewNodesElects() throws InterruptedException {
        PaxosLease old = start("a", FIRST);
        PaxosLease b = start("b", Versions.OURS);
        PaxosLease c = start("c", Versions.OURS);
        cell.awaitServing();
        c.stop();
        Lease ofNew = b.tryAcquire("r", RENEWING).orElseThrow();

        assertThat(old.tryAcquire("r", RENEWING.waitingAtMost(Duration.ZERO))).isEmpty();
        ofNew.release();
        Lease ofOld = old.tryAcquire("r", RENEWING).orElseThrow();
        assertThat(ofOld.fencingToken()).isGreaterThan(ofNew.fencingToken());
        assertThat(b.tryAcquire("r", RENEWING.waitingAtMost(Duration.ZERO))).isEmpty();
    }

    @Test
    void aLeaseIsHeldWhileTheOtherNodesAreUpgraded() throws InterruptedException {
        PaxosLease a = start("a", FIRST);
        start("b", FIRST);
        start("c", FIRST);
        cell.awaitServing();
        Lease lease = a.tryAcquire("r", RENEWING).orElseThrow();
        for (String id : new String[] {"c", "b"}) {
            cell.node(id).stop();
            Eventually.until(id + " is gone", () -> a.peers().stream()
                    .noneMatch(peer -> peer.nodeId().equals(id) && peer.connected()));
            start(id, Versions.OURS);
            cell.awaitServing();
        }
        assertThat(lease.isHeld()).isTrue();
    }
}
