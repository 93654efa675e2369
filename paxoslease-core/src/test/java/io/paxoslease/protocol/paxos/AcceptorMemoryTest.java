package io.paxoslease.protocol.paxos;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Reading;
import io.paxoslease.protocol.Timing;
import io.paxoslease.protocol.paxos.PaxosMessage.Accepted;
import io.paxoslease.protocol.paxos.PaxosMessage.Extend;
import io.paxoslease.protocol.paxos.PaxosMessage.Extended;
import io.paxoslease.protocol.paxos.PaxosMessage.Extension;
import io.paxoslease.protocol.paxos.PaxosMessage.Held;
import io.paxoslease.protocol.paxos.PaxosMessage.Open;
import io.paxoslease.protocol.paxos.PaxosMessage.Prepare;
import io.paxoslease.protocol.paxos.PaxosMessage.Propose;
import io.paxoslease.protocol.paxos.PaxosMessage.QueueMode;
import io.paxoslease.protocol.paxos.PaxosMessage.Refusal;
import io.paxoslease.protocol.paxos.PaxosMessage.Refused;
import io.paxoslease.protocol.paxos.PaxosMessage.Release;
import io.paxoslease.protocol.paxos.PaxosMessage.Reply;
import io.paxoslease.protocol.paxos.PaxosMessage.Stale;
import io.paxoslease.testing.ArrayBytes;
import java.time.Duration;
import java.util.List;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Whatever clients send, an acceptor remembers no more than its part of the heap; what others need is kept for them. */
class AcceptorMemoryTest {

    private static final long HEAP = 32 << 20;
    private static final long WALL = 1_700_000_000_000_000L;
    private static final long SECOND = 1_000_000_000;
    private static final long LEASE = 300_000_000;
    private static final Timing TIMING = new Timing(Duration.ofSeconds(8), 0.1);
    private static final NodeId MEMBER = new NodeId("b");
    private static final NodeId HONEST = new NodeId("honest");
    private static final NodeId ATTACKER = new NodeId("z");
    private static final Incarnation OWN = new Incarnation(1, 1);

    private Reading now = at(0);
    private final Acceptor acceptor = TestAcceptors.acceptor(TIMING, MEMBER::equals, null, HEAP, now);

    private static Reading at(long nanos) {
        return new Reading(new Moment(nanos), WALL + nanos / 1_000);
    }

    private void pass(long nanos) {
        now = at(now.moment().nanos() + nanos);
        acceptor.notice(now, (to, message) -> {});
    }

    private static Incarnation other(int i) {
        return new Incarnation(2, i);
    }

    private static String longName(int i) {
        String name = "r" + i;
        return name + "x".repeat(255 - name.length());
    }

    private @Nullable Reply proposes(NodeId from, String resource, Incarnation incarnation) {
        Ballot ballot = new Ballot(now.wallMicros() + 1, incarnation);
        return acceptor.propose(from, new Propose(resource, ballot, LEASE, 1, QueueMode.NONE, 0), now);
    }

    private void releases(NodeId from, String resource, Incarnation incarnation, long counter) {
        acceptor.release(from, new Release(resource, incarnation, counter), now, (to, message) -> {});
    }

    private boolean isHeldBy(NodeId node, String resource) {
        AcceptorSlot slot = acceptor.live(resource, now.moment());
        return slot != null && node.equals(slot.ownerNode);
    }

    /** Of all tables: what fits beside all else on that heap. */
    private void assertFits() {
        assertThat(ArrayBytes.of(acceptor)).isLessThan(HEAP / 4);
    }

    private void flood(int clients, int messages, IntFunction<NodeId> client) {
        for (int i = 0; i < messages; i++) {
            proposes(client.apply(i % clients), longName(i), other(i));
        }
    }

    @Test
    void releasesOfUnknownNamesCostABoundedAmount() {
        for (int i = 0; i < 50_000; i++) {
            releases(ATTACKER, longName(i), other(i), now.wallMicros());
        }
        assertThat(acceptor.size()).isLessThan(10_000);
        assertFits();
        assertThat(proposes(HONEST, "r", OWN)).isInstanceOf(Accepted.class);
    }

    @Test
    void leasesOfAnyNumberOfClientsCostABoundedAmount() {
        flood(8, 50_000, i -> new NodeId("z" + i));
        assertFits();
        assertThat(proposes(HONEST, "r", OWN)).as("there is something left").isInstanceOf(Accepted.class);
        flood(10_000, 50_000, i -> new NodeId("y" + i));
        assertFits();
    }

    @Test
    void promisesToClientsCostABoundedAmount() {
        for (int i = 0; i < 50_000; i++) {
            acceptor.prepare(ATTACKER, new Prepare(longName(i), new Ballot(now.wallMicros() + 1, other(i)), 1), now);
        }
        assertFits();
        assertThat(acceptor.prepare(HONEST, new Prepare("r", new Ballot(now.wallMicros() + 1, OWN), 1), now))
                .isInstanceOf(Open.class);
    }

    @Test
    void whatThereIsNoRoomForIsRefusedAndNothingIsRemembered() {
        flood(1, 20_000, i -> ATTACKER);
        int size = acceptor.size();
        String more = longName(20_000);
        Ballot ballot = new Ballot(now.wallMicros() + 1, OWN);
        Refused refused = new Refused(more, ballot, 1, Refusal.TOO_MANY, RecordAdmission.MAX_OF_A_CLIENT);
        assertThat(proposes(ATTACKER, more, OWN)).isEqualTo(refused);
        assertThat(acceptor.prepare(ATTACKER, new Prepare(more, ballot, 1), now))
                .isEqualTo(refused);
        releases(ATTACKER, more, OWN, now.wallMicros());
        assertThat(acceptor.size()).isEqualTo(size);
        assertThat(acceptor.live(more, now.moment())).isNull();
    }

    /** They need no new memory. */
    @Test
    void renewalsAndReleasesAreServedHoweverFullItIs() {
        proposes(HONEST, "mine", OWN);
        long counter = now.wallMicros() + 1;
        flood(200, 50_000, i -> new NodeId("z" + i));
        assertThat(proposes(new NodeId("z0"), longName(300_000), OWN)).isInstanceOf(Refused.class);

        assertThat(proposes(HONEST, "mine", OWN)).isInstanceOf(Accepted.class);
        Extend extend = new Extend(OWN, 1, LEASE, 1, List.of(new Extension("mine", counter)));
        assertThat(acceptor.extend(HONEST, extend, now)).isEqualTo(new Extended(OWN, 1, List.of(), List.of()));
        releases(HONEST, "mine", OWN, now.wallMicros() + 1);
        assertThat(acceptor.live("mine", now.moment())).isNull();
        assertThat(proposes(HONEST, "mine", OWN))
                .as("fenced, as if there were room")
                .isInstanceOf(Stale.class);
    }

    @Test
    void clientsLeaveHalfToMembers() {
        flood(1_000, 50_000, i -> new NodeId("z" + i));
        for (int i = 0; i < 5_000; i++) {
            assertThat(proposes(MEMBER, "member's " + i, OWN)).isInstanceOf(Accepted.class);
        }
    }

    @Test
    void membersAreBoundedInSum() {
        for (int i = 0; i < 50_000; i++) {
            proposes(MEMBER, longName(i), other(i));
        }
        assertThat(proposes(MEMBER, longName(50_000), OWN)).isInstanceOf(Refused.class);
        assertThat(ArrayBytes.of(acceptor)).isLessThan(HEAP / 3);
    }

    /** Of each client's, whatever incarnations it names. */
    @Test
    void aNewIncarnationGivesAClientNoMoreLeases() {
        for (int i = 0; i < 50_000; i++) {
            proposes(ATTACKER, "r" + i, other(i % 7));
        }
        int size = acceptor.size();
        assertThat(proposes(ATTACKER, longName(0), other(1_000))).isInstanceOf(Refused.class);
        assertThat(acceptor.size()).isEqualTo(size);
    }

    /** A name of another length does not need a page of its own. */
    @Test
    void namesOfEveryLengthInTurnCostABoundedAmount() {
        SlotTable table = new SlotTable(1, new Share(Long.MAX_VALUE, node -> true));
        for (int length = 7; length <= 255; length += 31) {
            for (int i = 0; i < 5_000; i++) {
                table.add(name(length, i));
            }
            for (int i = 1; i < 5_000; i++) {
                table.remove(table.find(name(length, i)));
            }
        }
        assertThat(table.size()).isEqualTo(9);
        assertThat(ArrayBytes.of(table)).isLessThan(3_000_000);
    }

    private static String name(int length, int i) {
        String name = "%07d".formatted(i);
        return name + "x".repeat(length - name.length());
    }

    // What is not needed is forgotten when memory is short

    /** A lease of a new name each millisecond, for as long as it takes to take and give it up. */
    @Test
    void anHonestClientThatUsesNewNamesIsNotRefused() {
        for (int i = 0; i < 30_000; i++) {
            assertThat(proposes(HONEST, longName(i), OWN)).isInstanceOf(Accepted.class);
            releases(HONEST, longName(i), OWN, now.wallMicros() + 1);
            pass(1_000_000);
        }
        assertFits();
    }

    @Test
    void whatIsForgottenSoonIsFencedAllTheSame() {
        proposes(HONEST, "mine", OWN);
        Propose late = new Propose("mine", new Ballot(now.wallMicros() + 1, OWN), LEASE, 1, QueueMode.NONE, 0);
        releases(HONEST, "mine", OWN, now.wallMicros() + 1);
        flood(1, 20_000, i -> ATTACKER);
        int full = acceptor.size();
        for (int i = 0; i < 100; i++) {
            pass(SECOND / 20);
        }
        assertThat(acceptor.size())
                .as("forgotten before the quarantine is over")
                .isLessThan(full / 10);
        assertThat(acceptor.propose(HONEST, late, now)).isInstanceOf(Stale.class);
    }

    @Test
    void aLiveLeaseIsNeverForgotten() {
        for (int i = 0; i < 100; i++) {
            proposes(HONEST, "mine", OWN);
            flood(1, 1_000, each -> ATTACKER);
            pass(SECOND / 5);
            assertThat(isHeldBy(HONEST, "mine")).isTrue();
        }
    }

    /** Else one client could have all proposals of others refused whose clocks are behind. */
    @Test
    void noClientRaisesTheFloorNearTheWallClockOrAboveIt() {
        for (int second = 0; second < 60; second++) {
            for (int i = 0; i < 5_000; i++) {
                releases(
                        ATTACKER,
                        longName(5_000 * second + i),
                        OWN,
                        now.wallMicros() + TIMING.aheadGuardNanos() / 1_000);
            }
            for (int i = 0; i < 20; i++) {
                pass(SECOND / 20);
            }
            Ballot behind = new Ballot(now.wallMicros() - 490_000, OWN);
            Propose proposal = new Propose("new " + second, behind, LEASE, 1, QueueMode.NONE, 0);
            assertThat(acceptor.propose(HONEST, proposal, now)).isInstanceOf(Accepted.class);
        }
    }

    // Those who wait, and lists

    @Test
    void thoseWhoWaitCostABoundedAmount() {
        for (int i = 0; i < 5_000; i++) {
            proposes(MEMBER, longName(i), OWN);
        }
        proposes(MEMBER, "wanted", OWN);
        for (int client = 0; client < 8; client++) {
            for (int i = 0; i < 5_000; i++) {
                Ballot ballot = new Ballot(now.wallMicros() + 2, other(client));
                Propose waiting = new Propose(longName(i), ballot, LEASE, 1, QueueMode.QUEUE, 1 + i);
                acceptor.propose(new NodeId("z" + client), waiting, now);
            }
        }
        assertFits();
        Propose honest = new Propose("wanted", new Ballot(now.wallMicros() + 2, OWN), LEASE, 1, QueueMode.QUEUE, 1);
        assertThat(acceptor.propose(HONEST, honest, now))
                .isInstanceOfSatisfying(
                        Held.class, held -> assertThat(held.queued()).isTrue());
    }

    @Test
    void listsOfExtensionsCostABoundedAmountAndThoseOfOthersStayKnown() {
        proposes(HONEST, "mine", OWN);
        Extend first = new Extend(OWN, 1, LEASE, 1, List.of(new Extension("mine", 1)));
        acceptor.extend(HONEST, first, now);
        for (int i = 0; i < 50_000; i++) {
            List<Extension> list = List.of(new Extension("r" + i, 1));
            acceptor.extend(ATTACKER, new Extend(other(i), 1, LEASE, 1, list), now);
        }
        assertFits();
        assertThat(acceptor.extend(HONEST, new Extend(OWN, 2, LEASE, 1, List.of()), now))
                .isEqualTo(new Extended(OWN, 2, List.of(), List.of()));
    }

    @Test
    void whatIsGivenBackIsThereForOthers() {
        flood(200, 50_000, i -> new NodeId("z" + i));
        for (int i = 0; i < 300; i++) {
            pass(SECOND / 10);
        }
        assertThat(acceptor.size()).isZero();
        flood(1, 1_000, i -> ATTACKER);
        assertThat(acceptor.size()).isEqualTo(1_000);
    }
}
