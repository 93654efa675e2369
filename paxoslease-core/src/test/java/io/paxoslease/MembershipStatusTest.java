package io.paxoslease;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.monitor.MembershipStatus;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class MembershipStatusTest {

    private static List<String> confirmed(int configured, MembershipStatus.Mode mode, int sealed) {
        return new MembershipStatus(
                        configured,
                        2,
                        mode,
                        sealed,
                        List.of("a", "b", "x"),
                        List.of("a", "c"),
                        List.of(),
                        null,
                        Duration.ZERO)
                .confirmedMembers();
    }

    @Test
    void whatThisNodeHasOnlyHeardOfConfirmsNoMember() {
        assertThat(confirmed(1, MembershipStatus.Mode.JOINT, 1)).containsExactly("a", "c");
    }

    @Test
    void theConfigurationOfThisNodeConfirmsThoseBeforeAndAfterTheChange() {
        assertThat(confirmed(2, MembershipStatus.Mode.JOINT, 1)).containsExactly("a", "b", "x", "c");
    }

    @Test
    void aSealConfirmsTheNewMembersOnly() {
        assertThat(confirmed(1, MembershipStatus.Mode.SEALED, 2)).containsExactly("a", "b", "x");
    }
}
