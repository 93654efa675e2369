package io.paxoslease.clusters;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.clusters.Cell.Leader;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What may happen to one of three. */
@RequiresDocker
@Timeout(value = 8, unit = TimeUnit.MINUTES)
class ThreeNodesIT extends LostLeaderContract {

    private static final Duration LEASE = Duration.ofSeconds(2);
    private static final int ATTEMPTS = 3;

    private static Cell cell;

    @BeforeAll
    static void startCell() {
        cell = new Cell(3).start();
    }

    @AfterAll
    static void removeCell() {
        if (cell != null) {
            cell.close();
        }
    }

    @Override
    Cell cell() {
        return cell;
    }

    @Test
    void theNodesTalkTlsAndEachShowsItsOwnCertificate() {
        for (Member each : cell.members()) {
            assertThat(each.namesInCertificate(cell.certificates())).containsExactly(each.name());
        }
    }

    @Test
    @Override
    void aKilledLeaderIsFollowedWhenItsLeaseIsOver() {
        super.aKilledLeaderIsFollowedWhenItsLeaseIsOver();

        FailOver failOver = FailOver.afterKill(cell.history(), leader);
        assertThat(failOver.withoutLeader()).isLessThan(LEASE.multipliedBy(2));
    }

    @Test
    void aLeaderThatIsToldToStopHandsOverBeforeItEnds() {
        leader.member().terminate();

        Leader next = cell.awaitLeader(others);
        leader.member().awaitEnd();
        History history = cell.history();
        leader.member().restart();

        assertThat(next.token()).isGreaterThan(leader.token());
        assertThat(history.event(leader.member().name(), "revoked", leader.token()))
                .isPresent();
        assertThat(FailOver.afterStop(history, leader).withoutLeader()).isLessThan(LEASE);
    }

    /**
     * The two that go on may lose the lease by themselves, on a busy machine, or because their connection still waits to send again what was
     * lost while one of them had no cable. Then it is tried again.
     */
    @Test
    void aFollowerThatWasPausedChangesNothing() {
        for (int attempt = 1; !leadsOnWhileAFollowerIsPaused(); attempt++) {
            System.out.printf("The leader lost its lease while a follower was paused, in attempt %d%n", attempt);
            assertThat(attempt)
                    .as("attempts in which the leader lost its lease")
                    .isLessThan(ATTEMPTS);
            allAgree();
        }
    }

    private boolean leadsOnWhileAFollowerIsPaused() {
        Member follower = others.get(0);
        follower.pause();
        try {
            long before = cell.history().end(leader.token());
            Wait.until("the leader has led for twice the lease time, or leads no more", () -> {
                History now = cell.history();
                return now.end(leader.token()) > before + LEASE.multipliedBy(2).toNanos() || wasRevoked(now);
            });
        } finally {
            follower.unpause();
        }
        return cell.awaitAgreement().equals(leader);
    }

    @Test
    @RequiresNetworkTools
    void aLeaderThatHearsNobodyLeadsNoMore() {
        NetworkFaults faults = leader.member().faults();
        faults.deafen();
        try {
            cell.awaitLeader(others);
        } finally {
            faults.mendCuts();
        }

        assertThat(cell.awaitAgreement().token()).isGreaterThan(leader.token());
    }

    @Test
    @RequiresNetworkTools
    void aLeaderThatNobodyHearsLeadsNoMore() {
        NetworkFaults faults = leader.member().faults();
        faults.silence();
        try {
            cell.awaitLeader(others);
        } finally {
            faults.mendCuts();
        }

        assertThat(cell.awaitAgreement().token()).isGreaterThan(leader.token());
    }

    @Test
    @RequiresNetworkTools
    void overSlowAndLossyLinksLeadershipComesBack() {
        cell.members().forEach(each -> each.faults().degrade(100, 20));
        try {
            cell.awaitLeader(cell.members());
            leader.member().kill();
            cell.awaitLeader(others);
        } finally {
            others.forEach(each -> each.faults().mendLinks());
        }
        leader.member().restart(); // Its namespace is a new one, with links that are well.

        assertThat(cell.awaitAgreement().token()).isGreaterThan(leader.token());
    }

    @Test
    @Tag("deep")
    void aRollingRestartHandsOverAndNeverLeavesTheCellWithoutLeaderForLong() {
        History before = cell.history();
        long start = before.end(leader.token());

        for (Member each : cell.members()) {
            each.terminate();
            each.awaitEnd();
            each.restart();
            cell.awaitAgreement();
        }

        History after = cell.history();
        Judge.Verdict verdict = Judge.judge(after.between(start, Long.MAX_VALUE));
        System.out.printf(
                "Rolling restart of three: %d hand-overs, longest time without leader %d ms%n",
                verdict.handOvers(), verdict.longestGapNanos() / 1_000_000);
        assertThat(verdict.handOvers()).isBetween(1, 3);
        assertThat(Duration.ofNanos(verdict.longestGapNanos())).isLessThan(LEASE);
    }
}
