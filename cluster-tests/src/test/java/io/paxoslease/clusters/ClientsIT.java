package io.paxoslease.clusters;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Two clients of three members that lead nothing. They know one name, which leads to those members that run. */
@RequiresDocker
@Timeout(value = 8, unit = TimeUnit.MINUTES)
class ClientsIT extends LostLeaderContract {

    private static final int MEMBERS = 3;

    private static Cell cell;

    @BeforeAll
    static void startCell() {
        cell = Cell.withClients(MEMBERS, 2).start();
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
    void aClientFindsTheOthersWhenOneMemberIsGone() {
        Member gone = cell.members().get(0);
        List<Member> rest = cell.without(gone);
        gone.kill();
        leader.member().kill();
        Cell.Leader next = cell.awaitLeader(cell.without(gone, leader.member()));
        leader.member().restart();
        Wait.until("the client is back", () -> leader.member().state().equals("SERVING"));
        next.member().terminate();
        next.member().awaitEnd();

        assertThat(cell.awaitLeader(rest).member()).isEqualTo(leader.member());
        gone.restart();
        next.member().restart();
        assertThat(cell.awaitAgreement().token()).isGreaterThan(next.token());
    }
}
