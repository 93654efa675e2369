package io.paxoslease.clusters;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.clusters.Cell.Leader;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** How a cell loses its leader, by whatever algorithm: one thing after another to one cell. Each test leaves it whole, in whatever order. */
abstract class LostLeaderContract {

    Leader leader;
    List<Member> others;

    abstract Cell cell();

    @BeforeEach
    void allAgree() {
        leader = cell().awaitAgreement();
        others = cell().without(leader.member());
    }

    @AfterEach
    void nobodyEverLedBesideAnother() {
        History history = cell().history();
        assertThat(history.violations()).isEmpty();
        assertThat(history.leading()).isNotEmpty();
        assertThat(history.working()).isNotEmpty();
    }

    @Test
    void aKilledLeaderIsFollowedWhenItsLeaseIsOver() {
        Leader next;
        leader.member().kill();
        try {
            next = cell().awaitLeader(others);
        } finally {
            leader.member().restart();
        }

        assertThat(next.token()).isGreaterThan(leader.token());
        assertThat(cell().awaitAgreement().token()).isGreaterThanOrEqualTo(next.token());
    }

    @Test
    void aLeaderThatWasPausedForLongerThanItsLeaseKnowsAtOnce() {
        Leader next;
        leader.member().pause();
        try {
            next = cell().awaitLeader(others);
        } finally {
            leader.member().unpause();
        }
        awaitRevoked();

        String name = leader.member().name();
        History history = cell().history();
        History.Hole pause = history.holes().stream()
                .filter(each -> each.node().equals(name) && each.from() >= history.end(leader.token()))
                .findFirst()
                .orElseThrow();
        assertThat(pause.leadsAfter()).isFalse();
        assertThat(history.end(leader.token())).isLessThan(pause.to());
        assertThat(history.event(name, "revoked", leader.token()).orElseThrow().at())
                .isGreaterThan(pause.from());
        assertThat(cell().awaitAgreement().token()).isGreaterThanOrEqualTo(next.token());
    }

    @Test
    void aLeaderWithoutCableLeadsNoMoreAndFollowsWhenItIsBack() {
        leader.member().disconnect();
        try {
            cell().awaitLeader(others);
        } finally {
            leader.member().reconnect();
        }

        assertThat(cell().awaitAgreement().token()).isGreaterThan(leader.token());
    }

    final void awaitRevoked() {
        Wait.until("the old leader is told", () -> wasRevoked(cell().history()));
    }

    /** Whether the leader of the beginning was told that it leads no more. */
    final boolean wasRevoked(History history) {
        return history.event(leader.member().name(), "revoked", leader.token()).isPresent();
    }
}
