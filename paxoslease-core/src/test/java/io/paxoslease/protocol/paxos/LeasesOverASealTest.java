package io.paxoslease.protocol.paxos;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Section 9, R4: leases that are shorter than the time between two questions are kept over a seal, and members that leave may stop at it. */
class LeasesOverASealTest {

    @Test
    void noneIsLostAndNothingIsRefusedWhereThreeMembersBecomeFive() {
        assertThat(new LeasesAtASeal("a", "b", "c", "d", "e").get()).isEmpty();
    }

    @Test
    void noneIsLostAndNothingIsRefusedWhereOneMemberIsReplaced() {
        assertThat(new LeasesAtASeal().get()).isEmpty();
    }

    @Test
    void noneIsLostAndNothingIsRefusedWhereAllMembersAreReplaced() {
        assertThat(new LeasesAtASeal("d", "e", "f").get()).isEmpty();
    }

    @Test
    void noneIsLostAndNothingIsRefusedWhereTheCellShrinksToOne() {
        assertThat(new LeasesAtASeal("b").get()).isEmpty();
    }

    @Test
    void noneIsLostOfAClientThatReachesTheNewMembersShortlyBeforeTheOthersMove() {
        assertThat(new ReachedLate().get()).isEmpty();
    }
}
