package io.paxoslease.transport.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.paxos.Ballot;
import io.paxoslease.protocol.paxos.PaxosMessage;
import io.paxoslease.protocol.registers.MaxRegisterMessage;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class RequestBudgetTest {

    private static final Incarnation SENDER = new Incarnation(1, 1);
    private static final long MILLI = 1_000_000;

    private static final long SECOND = 1_000 * MILLI;
    private static final Ballot BALLOT = new Ballot(1, SENDER);

    private final RequestBudget budget = new RequestBudget(0);

    private static PaxosMessage.Extend renewal(int leases) {
        return new PaxosMessage.Extend(
                SENDER, 1, 1, 1, Collections.nCopies(leases, new PaxosMessage.Extension("r", 1)));
    }

    /** Takes what is left for messages that cost so much at once, and answers how many these were. */
    private int taken(int cost, long now) {
        budget.fill(now);
        int count = 0;
        while (budget.isLeft()) {
            budget.spend(cost);
            count++;
        }
        return count;
    }

    @Test
    void aBurstOfRequestsIsTakenAtOnceAndThenFourThousandASecond() {
        assertThat(taken(RequestBudget.REQUEST, 0)).isEqualTo(4_097);
        assertThat(budget.pauseNanos()).isEqualTo(MILLI / 4);
        assertThat(taken(RequestBudget.REQUEST, SECOND)).isEqualTo(4_000);
    }

    /** However much one read has brought, and however long that takes. */
    @Test
    void thePauseLastsUntilAllThatWasTakenIsPaidFor() {
        budget.spend(16_384 + 10 * 16_000);
        assertThat(budget.pauseNanos()).isEqualTo(10 * SECOND);
        budget.fill(9 * SECOND);
        assertThat(budget.pauseNanos()).isEqualTo(SECOND);
        budget.fill(10 * SECOND);
        assertThat(budget.pauseNanos()).isZero();
    }

    @Test
    void everyMessageCostsWhatItTakes() {
        assertThat(Stream.of(
                                new PaxosMessage.Prepare("r", BALLOT, 1),
                                new PaxosMessage.Propose("r", BALLOT, 1, 1),
                                new PaxosMessage.StillInUse("r", SENDER),
                                new PaxosMessage.AskStanding(1),
                                new MaxRegisterMessage.ReadRegister(1, "r"),
                                new MaxRegisterMessage.KnownRegisters(List.of()))
                        .map(RequestBudget::cost))
                .containsOnly(RequestBudget.REQUEST);
        assertThat(RequestBudget.cost(new PaxosMessage.Release("r", SENDER, 1))).isOne();
        assertThat(RequestBudget.cost(renewal(1))).isOne();
        assertThat(RequestBudget.cost(renewal(512))).isEqualTo(33);
    }

    /** It costs the member no more time to read it, but as much to do it. */
    @Test
    void aListThatIsNamedByItsNumberCostsAsMuchAsTheLongest() {
        assertThat(RequestBudget.cost(renewal(0))).isEqualTo(RequestBudget.cost(renewal(512)));
    }

    @Test
    void aRequestInAModeCostsAsMuchAsWithoutOne() {
        assertThat(RequestBudget.cost(new PaxosMessage.InMode(3, 9, renewal(512))))
                .isEqualTo(33);
        assertThat(RequestBudget.cost(new PaxosMessage.InMode(3, 9, new PaxosMessage.Prepare("r", BALLOT, 1))))
                .isEqualTo(RequestBudget.REQUEST);
    }

    /** A member ignores them, and has read and looked at them by then. */
    @Test
    void whatOnlyMembersSayCostsAsMuchAsARequest() {
        assertThat(RequestBudget.cost(new PaxosMessage.Accepted("r", BALLOT, 1)))
                .isEqualTo(RequestBudget.REQUEST);
        assertThat(RequestBudget.cost(new PaxosMessage.Extended(SENDER, 1, List.of(), List.of())))
                .isEqualTo(RequestBudget.REQUEST);
    }

    @Test
    void bytesAreCountedBesideMessages() {
        budget.spendBytes(8 << 20);
        assertThat(budget.pauseNanos()).isZero();
        budget.spendBytes(2 << 20);
        assertThat(budget.pauseNanos()).isBetween(SECOND - 10 * MILLI, SECOND);
        assertThat(budget.isLeft()).as("for messages").isTrue();
    }

    /** Lists are renewed three times in a lease of three seconds, and their bytes are sent once. */
    @Test
    void aClientOfAHundredThousandLeasesRenewsThemWithinItsBudget() {
        int lists = 100_000 / 512 + 1;
        for (long at = 0; at < 60 * SECOND; at += 800 * MILLI) {
            budget.fill(at);
            budget.spend(lists * (RequestBudget.cost(renewal(512)) + 1)); // each with a read
            budget.spendBytes(at == 0 ? 100_000 * 64 : lists * 64);
            assertThat(budget.pauseNanos()).isZero();
        }
    }

    /** Each of the four messages in a packet. */
    @Test
    void aClientLocksAndUnlocksTwoThousandTimesASecondWithinItsBudget() {
        for (int pair = 0; pair < 100_000; pair++) {
            budget.fill(pair * SECOND / 2_000);
            budget.spend(RequestBudget.REQUEST + 1);
            budget.spend(1 + 1);
            assertThat(budget.pauseNanos()).isZero();
        }
    }

    @Test
    void whatIsNotSpentIsKeptUpToTheBurst() {
        assertThat(taken(RequestBudget.REQUEST, 3_600 * SECOND)).isEqualTo(4_097);
    }
}
