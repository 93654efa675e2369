package io.paxoslease.protocol.paxos;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Reading;
import io.paxoslease.protocol.Timing;
import io.paxoslease.protocol.paxos.PaxosMessage.Answer;
import io.paxoslease.protocol.paxos.PaxosMessage.Extend;
import io.paxoslease.protocol.paxos.PaxosMessage.Extended;
import io.paxoslease.protocol.paxos.PaxosMessage.Extension;
import io.paxoslease.protocol.paxos.PaxosMessage.Propose;
import io.paxoslease.protocol.paxos.PaxosMessage.UnknownBatch;
import io.paxoslease.testing.ArrayBytes;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A4: the lists that an acceptor remembers are bounded; one that is forgotten is sent again. */
class KnownBatchesTest {

    private static final Timing TIMING = new Timing(Duration.ofSeconds(5), 0.1);
    private static final long LEASE = Duration.ofSeconds(3).toNanos();
    private static final NodeId NODE = new NodeId("n");
    private static final Incarnation ONE = new Incarnation(1, 1);
    private static final Incarnation OTHER = new Incarnation(2, 2);
    private static final Reading NOW = new Reading(new Moment(0), 1_000_000_000_000L);

    private final Acceptor acceptor = TestAcceptors.acceptor(TIMING, null, NOW);

    private void propose(String resource, Incarnation owner) {
        acceptor.propose(NODE, new Propose(resource, new Ballot(NOW.wallMicros() + 1, owner), LEASE, 1), NOW);
    }

    private @Nullable Answer extend(Incarnation owner, long list, String... resources) {
        List<Extension> extensions = List.of(resources).stream()
                .map(resource -> new Extension(resource, NOW.wallMicros() + 1))
                .toList();
        return acceptor.extend(NODE, new Extend(owner, list, LEASE, list, extensions), NOW);
    }

    private void floodWithLists(Incarnation owner, int count) {
        for (int i = 0; i < count; i++) {
            extend(owner, 1_000 + i, "r" + i);
        }
    }

    @Test
    void aProposerThatSendsListsWithoutEndCostsABoundedAmount() {
        floodWithLists(ONE, 300_000);
        assertThat(ArrayBytes.of(acceptor)).isLessThan(2_000_000);
    }

    /** Safe: nothing is extended by a number that is not known. Live: the list is sent again, and known again. */
    @Test
    void aListThatWasForgottenIsAskedForAgainAndThenKnown() {
        propose("mine", ONE);
        assertThat(extend(ONE, 1, "mine")).isInstanceOf(Extended.class);
        floodWithLists(ONE, 300_000);
        assertThat(extend(ONE, 1)).isEqualTo(new UnknownBatch(ONE, 1));
        assertThat(extend(ONE, 1, "mine")).isEqualTo(new Extended(ONE, 1, List.of(), List.of()));
        assertThat(extend(ONE, 1)).isEqualTo(new Extended(ONE, 1, List.of(), List.of()));
    }

    @Test
    void aListThatIsInUseOutlastsThoseThatAreNot() {
        propose("mine", ONE);
        extend(ONE, 1, "mine");
        for (int i = 0; i < 300_000; i++) {
            extend(ONE, 1_000 + i, "r" + i);
            if (i % 1_000 == 0) {
                assertThat(extend(ONE, 1)).isInstanceOf(Extended.class);
            }
        }
    }

    @Test
    void theListsOfOneProposerDoNotPushOutThoseOfAnother() {
        propose("mine", ONE);
        extend(ONE, 1, "mine");
        floodWithLists(OTHER, 300_000);
        assertThat(extend(ONE, 1)).isInstanceOf(Extended.class);
    }

    @Test
    void proposersWithoutEndCostABoundedAmount() {
        for (int i = 0; i < 100_000; i++) {
            extend(new Incarnation(i, i), 1, "r" + i);
        }
        assertThat(ArrayBytes.of(acceptor)).isLessThan(6_000_000);
    }

    /** Else each of them would send its list again at each renewal. */
    @Test
    void manyProposersWithALeaseEachKeepTheirLists() {
        int proposers = 40_000;
        for (int i = 0; i < proposers; i++) {
            Incarnation proposer = new Incarnation(i, 7);
            propose("r" + i, proposer);
            assertThat(extend(proposer, 1, "r" + i)).isInstanceOf(Extended.class);
        }
        for (int i = 0; i < proposers; i++) {
            assertThat(extend(new Incarnation(i, 7), 1)).isInstanceOf(Extended.class);
        }
    }

    /** What a proposer holds at an acceptor fits, however much it is. */
    @Test
    void theListsOfAllLeasesOfAProposerFit() {
        int leases = 400_000;
        for (int i = 0; i < leases; i++) {
            propose("r" + i, ONE);
        }
        String[] names = new String[500];
        for (int list = 0; list < leases / 500; list++) {
            for (int i = 0; i < 500; i++) {
                names[i] = "r" + (500 * list + i);
            }
            extend(ONE, 1 + list, names);
        }
        for (int list = 0; list < leases / 500; list++) {
            assertThat(extend(ONE, 1 + list)).isEqualTo(new Extended(ONE, 1 + list, List.of(), List.of()));
        }
    }
}
