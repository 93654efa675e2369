package io.paxoslease.transport.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.Message;
import io.paxoslease.protocol.paxos.Ballot;
import io.paxoslease.protocol.paxos.PaxosMessage;
import io.paxoslease.protocol.registers.MaxRegisterMessage;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

class RequestBudgetTest {

    private static final Incarnation SENDER = new Incarnation(1, 1);
    private static final long MILLI = 1_000_000;

    private final RequestBudget budget = new RequestBudget(0);

    private static List<Message> requests(int count) {
        return Collections.nCopies(count, new PaxosMessage.Prepare("r", new Ballot(1, SENDER), 1));
    }

    private static List<Message> renewals(int count) {
        return Collections.nCopies(count, new PaxosMessage.Extend(SENDER, 1, 1, 1, List.of()));
    }

    @Test
    void aBurstIsTakenAtOnceAndThenTwoThousandASecond() {
        assertThat(budget.spend(requests(4_096), 0)).isZero();
        assertThat(budget.spend(requests(1), 0)).isEqualTo(MILLI / 2);
        assertThat(budget.spend(requests(2), MILLI / 2)).isEqualTo(MILLI);
        assertThat(budget.spend(requests(2), 2 * MILLI + MILLI / 2)).isZero();
    }

    @Test
    void aRequestInAModeIsOne() {
        List<Message> inMode = requests(4_096).stream()
                .<Message>map(request -> new PaxosMessage.InMode(3, 9, (PaxosMessage.Request) request))
                .toList();
        assertThat(budget.spend(inMode, 0)).isZero();
        assertThat(budget.spend(requests(1), 0)).isPositive();
    }

    @Test
    void aMessageOnRegistersIsOne() {
        assertThat(budget.spend(requests(4_094), 0)).isZero();
        List<Message> two =
                List.of(new MaxRegisterMessage.ReadRegister(1, "r"), new MaxRegisterMessage.KnownRegisters(List.of()));
        assertThat(budget.spend(two, 0)).isZero();
        assertThat(budget.spend(requests(1), 0)).isPositive();
    }

    @Test
    void renewalsAndReleasesAreNotCounted() {
        assertThat(budget.spend(requests(4_096), 0)).isZero();
        assertThat(budget.spend(renewals(10_000), 0)).isZero();
        assertThat(budget.spend(List.of(new PaxosMessage.Release("r", SENDER, 1)), 0))
                .isZero();
    }

    /** Its renewals wait behind what it has asked before. */
    @Test
    void noPauseIsLongerThanATenthOfASecondAndDebtsAreBounded() {
        assertThat(budget.spend(requests(1_000_000), 0)).isEqualTo(100 * MILLI);
        assertThat(budget.spend(List.of(), 2_048 * MILLI)).isZero();
    }

    @Test
    void whatIsNotSpentIsKeptUpToTheBurst() {
        assertThat(budget.spend(requests(4_096), 3_600_000 * MILLI)).isZero();
        assertThat(budget.spend(requests(1), 3_600_000 * MILLI)).isPositive();
    }
}
