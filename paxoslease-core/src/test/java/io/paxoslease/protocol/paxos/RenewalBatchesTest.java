package io.paxoslease.protocol.paxos;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.protocol.Effect;
import io.paxoslease.protocol.Effect.Extended;
import io.paxoslease.protocol.Effect.ExtendedTogether;
import io.paxoslease.protocol.Effect.Granted;
import io.paxoslease.protocol.Effect.Loss;
import io.paxoslease.protocol.Effect.Lost;
import io.paxoslease.protocol.Effect.Wanted;
import io.paxoslease.protocol.Event;
import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.LeaseView;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Reading;
import io.paxoslease.protocol.paxos.PaxosMessage.Extend;
import io.paxoslease.protocol.paxos.PaxosMessage.Extension;
import io.paxoslease.protocol.paxos.PaxosMessage.Propose;
import io.paxoslease.protocol.paxos.PaxosMessage.Release;
import io.paxoslease.protocol.paxos.ProtocolTestCell.InFlight;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** P4: leases that are held on are renewed together. a holds them, for 300 ms each. */
class RenewalBatchesTest {

    private final ProtocolTestCell cell = new ProtocolTestCell(3, Duration.ofMillis(1_000));
    private final NodeId a = cell.id(0);
    private final NodeId b = cell.id(1);
    private final NodeId c = cell.id(2);
    private final List<InFlight> said = new ArrayList<>();

    @BeforeEach
    void leaveTheFirstInstant() {
        cell.pass(millis(1));
    }

    private static Duration millis(long millis) {
        return Duration.ofMillis(millis);
    }

    private void holds(int leases) {
        for (int i = 0; i < leases; i++) {
            cell.acquire(a, "r" + i, 300, true);
        }
        cell.deliverAll();
        assertThat(cell.all(a, Granted.class)).hasSize(leases);
    }

    /** Two milliseconds apart. */
    private void holdsFullBundles(int batches) {
        for (int batch = 0; batch < batches; batch++) {
            for (int i = 0; i < 512; i++) {
                cell.acquire(a, "r" + batch + "-" + i, 300, true);
            }
            cell.deliverAll();
            cell.pass(millis(2));
        }
    }

    /** Time passes, and what a says meanwhile is noted. */
    private void listen(long millis) {
        said.clear();
        cell.pass(millis(millis), m -> {
            if (m.from().equals(a)) {
                said.add(m);
            }
            return true;
        });
    }

    private List<Extend> extendsTo(NodeId acceptor) {
        return said.stream()
                .filter(m -> m.to().equals(acceptor) && m.message() instanceof Extend)
                .map(m -> (Extend) m.message())
                .toList();
    }

    private List<String> proposedTo(NodeId acceptor) {
        return said.stream()
                .filter(m -> m.to().equals(acceptor) && m.message() instanceof Propose)
                .map(m -> ((Propose) m.message()).resource())
                .toList();
    }

    private Incarnation incarnationOfA() {
        return cell.node(a).view(cell.now(a)).incarnation();
    }

    private long token(String resource) {
        return cell.all(a, Granted.class).stream()
                .filter(granted -> granted.resource().equals(resource))
                .findFirst()
                .orElseThrow()
                .token();
    }

    /** That acceptor drops its record of the lease, as if it had forgotten it. */
    private void forgets(NodeId acceptor, String resource) {
        cell.step(acceptor, new Event.Received(a, new Release(resource, incarnationOfA(), token(resource))));
    }

    @Test
    void tenThousandLeasesAreRenewedByAFewMessages() {
        holds(10_000);
        listen(300);
        assertThat(said.size()).isLessThan(200);
        listen(3_000);
        assertThat(extendsTo(b).size()).as("per lease time").isBetween(10 * 3 * 15, 10 * 3 * 30);
        assertThat(proposedTo(b)).isEmpty();
        assertThat(cell.all(a, Lost.class)).isEmpty();
        assertThat(extendsTo(b).stream().filter(extend -> !extend.isByNumber()).count())
                .as("lists that were sent in full")
                .isLessThan(60);
    }

    @Test
    void theListIsSentOnceAndThenItsNumber() {
        holds(3);
        listen(120);
        assertThat(extendsTo(b)).singleElement().satisfies(extend -> {
            assertThat(extend.batchId()).isNotEqualTo(Extend.UNNUMBERED);
            assertThat(extend.extensions())
                    .containsExactly(
                            new Extension("r0", token("r0")),
                            new Extension("r1", token("r1")),
                            new Extension("r2", token("r2")));
        });
        long list = extendsTo(b).get(0).batchId();
        listen(600);
        assertThat(extendsTo(b)).hasSize(6).allMatch(extend -> extend.isByNumber() && extend.batchId() == list);
        assertThat(extendsTo(b)).extracting(Extend::attempt).doesNotHaveDuplicates();
        assertThat(cell.all(a, Extended.class)).hasSize(3 * 7);
    }

    /** As long as nothing else is said of any of them. */
    @Test
    void whatIsExtendedTogetherIsSaidAtOnce() {
        holds(3);
        listen(400);
        List<ExtendedTogether> said = cell.all(a, ExtendedTogether.class);
        assertThat(said).hasSize(3).allMatch(together -> together.tenures()
                .equals(said.get(0).tenures()));
        assertThat(said.get(0).tenures().resources()).containsExactly("r0", "r1", "r2");
        for (int i = 0; i < 3; i++) {
            assertThat(said.get(0).tenures().token(i)).isEqualTo(token("r" + i));
        }
        assertThat(said.get(2).until().moment().nanos())
                .isGreaterThan(said.get(0).until().moment().nanos());

        cell.step(a, new Event.Renew("r1", token("r1"), 300_000_000, 77));
        listen(400);
        List<ExtendedTogether> later = cell.all(a, ExtendedTogether.class);
        assertThat(later.get(3).tenures().resources()).containsExactly("r0", "r2");
        assertThat(later.get(3).tenures()).isNotEqualTo(said.get(0).tenures());
        assertThat(cell.all(a, Lost.class)).isEmpty();
    }

    /** One that ends later than the others is told apart, until they have caught up. */
    @Test
    void theLaterEndOfOneIsNotTheEndOfAll() {
        holds(3);
        listen(150);
        cell.step(a, new Event.Renew("r1", token("r1"), 900_000_000, 77));
        cell.deliverAll();
        Reading late = cell.last(a, Extended.class).until();
        listen(500);
        List<Extended> since = cell.all(a, Extended.class);
        assertThat(since)
                .filteredOn(extended -> !extended.resource().equals("r1"))
                .noneMatch(extended -> extended.until().equals(late));
        assertThat(since.subList(since.lastIndexOf(cell.last(a, Extended.class)) - 8, since.size()))
                .filteredOn(extended -> extended.resource().equals("r1"))
                .isNotEmpty()
                .allMatch(extended -> !extended.until().moment().isBefore(late.moment()));
        assertThat(remaining("r1")).isGreaterThan(remaining("r0"));
        int apart = cell.all(a, ExtendedTogether.class).size();
        listen(600);
        assertThat(cell.all(a, ExtendedTogether.class)).as("it has caught up").hasSizeGreaterThan(apart);
        assertThat(remaining("r1")).isEqualTo(remaining("r0"));
        assertThat(cell.all(a, Lost.class)).isEmpty();
    }

    private long remaining(String resource) {
        return view(resource).remainingNanos();
    }

    private LeaseView view(String resource) {
        return Objects.requireNonNull(cell.node(a).view(resource, cell.now(a)));
    }

    /** A list that has changed since it was sent has no number yet. */
    @Test
    void whoIsLeftOfAListThatChangedDuringTheRoundIsToldByItself() {
        holds(3);
        forgets(b, "r1");
        listen(114);
        assertThat(cell.all(a, Extended.class)).extracting(Extended::resource).contains("r0", "r2");
        assertThat(cell.all(a, ExtendedTogether.class)).isEmpty();
        listen(300);
        assertThat(cell.all(a, ExtendedTogether.class)).isNotEmpty();
    }

    /** P4: the later deadline counts, on each clock. */
    @Test
    void aWallClockThatIsSetBackShortensNoSharedEnd() {
        holds(2);
        listen(150);
        Reading before = cell.last(a, ExtendedTogether.class).until();
        cell.wallOffsetMicros.put(a, -200_000L);
        listen(100);
        Reading after = cell.last(a, ExtendedTogether.class).until();
        assertThat(after.moment().nanos()).isGreaterThan(before.moment().nanos());
        assertThat(after.wallMicros()).isEqualTo(before.wallMicros());
        assertThat(cell.all(a, ExtendedTogether.class)).hasSize(2);
    }

    /** What was counted together still counts when one goes its own way. */
    @Test
    void renewalsAreCountedAlsoWhenTheyAreShared() {
        holds(2);
        listen(600);
        long renewals = view("r0").renewals();
        assertThat(renewals).isGreaterThan(4);
        cell.step(a, new Event.Renew("r0", token("r0"), 300_000_000, 77));
        cell.deliverAll();
        assertThat(view("r0").renewals()).isEqualTo(renewals + 1);
        assertThat(view("r1").renewals()).isEqualTo(renewals);
    }

    @Test
    void aBundleThatOthersMayStillJoinIsNotRenewedWithAnotherOne() {
        for (int i = 0; i < 300; i++) {
            cell.acquire(a, "large" + i, 300, true);
        }
        cell.deliverAll();
        cell.pass(millis(108));
        cell.acquire(a, "r0", 300, true);
        cell.pass(millis(8));
        cell.acquire(a, "r1", 300, true);
        cell.pass(millis(83));
        listen(30); // the large one is renewed in between
        assertThat(extendsTo(b)).hasSize(2);
        assertThat(extendsTo(b).get(0).isByNumber()).isTrue();
        assertThat(extendsTo(b).get(1).extensions())
                .extracting(Extension::resource)
                .containsExactly("r0", "r1");
    }

    /** RenewalBatches that are renewed with another one absorb each other, as they would by themselves. */
    @Test
    void smallBundlesBecomeOneAlsoBesideALargeOne() {
        for (int i = 0; i < 400; i++) {
            cell.acquire(a, "large" + i, 300, true);
        }
        cell.deliverAll();
        cell.pass(millis(104));
        for (int i = 0; i < 12; i++) {
            cell.acquire(a, "r" + i, 300, true);
            cell.deliverAll();
            cell.pass(millis(101));
        }
        cell.pass(millis(12_000));
        listen(1_200);
        assertThat(extendsTo(b)).as("of two batches, in four lease times").hasSizeLessThanOrEqualTo(2 * 13);
        assertThat(cell.all(a, Lost.class)).isEmpty();
    }

    @Test
    void bundlesThatAreRenewedAtOnceAreRetriedEachAndLostAtTheirDeadline() {
        holdsFullBundles(3);
        cell.pass(millis(250));
        assertThat(cell.all(a, ExtendedTogether.class)).hasSizeGreaterThanOrEqualTo(6);
        Set<Long> asked = new HashSet<>();
        cell.pass(millis(150), m -> {
            if (m.message() instanceof Extend extend) {
                asked.add(extend.attempt());
            }
            return false;
        });
        assertThat(asked).as("each at least once more").hasSizeGreaterThanOrEqualTo(6);
        cell.pass(millis(200), m -> false);
        assertThat(cell.all(a, Lost.class)).hasSize(3 * 512);
    }

    @Test
    void bundlesThatAreDueAtAboutTheSameTimeAreRenewedAtOnceButFourAtMost() {
        holdsFullBundles(6);
        cell.pass(millis(500));
        Map<Long, Integer> roundsAt = new TreeMap<>();
        cell.pass(millis(300), m -> {
            if (m.to().equals(b) && m.message() instanceof Extend) {
                roundsAt.merge(cell.nanos(), 1, Integer::sum);
            }
            return true;
        });
        assertThat(roundsAt.values()).contains(4).allMatch(rounds -> rounds <= 4);
        assertThat(roundsAt.values().stream().mapToInt(rounds -> rounds).sum()).isBetween(3 * 6, 4 * 6);
        assertThat(cell.all(a, Lost.class)).isEmpty();
    }

    @Test
    void anAcceptorThatHasNotAcknowledgedTheListIsSentItAgain() {
        holds(2);
        cell.pass(millis(150), m -> !m.to().equals(c));
        listen(100);
        assertThat(extendsTo(b)).hasSize(1).allMatch(Extend::isByNumber);
        assertThat(extendsTo(c)).hasSize(1).noneMatch(Extend::isByNumber);
    }

    @Test
    void theNewDeadlineCountsFromBeforeTheMessageWasSent() {
        holds(1);
        cell.pass(millis(112), m -> false);
        assertThat(cell.network).isEmpty();
        cell.jump(millis(1));
        cell.step(a, new Event.Woken());
        Moment asked = cell.now(a).moment();
        cell.jump(millis(10));
        cell.deliverAll();
        Extended extended = cell.last(a, Extended.class);
        assertThat(extended.until().moment()).isEqualTo(asked.plusNanos(300_000_000));
        assertThat(extended.token()).isEqualTo(token("r0"));
    }

    @Test
    void oneAcceptorThatAnswersTwiceIsNoMajority() {
        ProtocolTestCell five = new ProtocolTestCell(5, millis(1_000));
        NodeId holder = five.id(0);
        five.pass(millis(1));
        five.acquire(holder, "r", 300, true);
        five.deliverAll();
        five.pass(millis(150), m -> {
            if (m.message() instanceof PaxosMessage.Extended && m.from().equals(five.id(1))) {
                five.step(holder, new Event.Received(m.from(), m.message()));
                five.step(holder, new Event.Received(m.from(), m.message()));
            }
            return !(m.message() instanceof PaxosMessage.Extended);
        });
        assertThat(five.all(holder, Extended.class)).isEmpty();
    }

    @Test
    void answersThatComeAfterTheDeadlineExtendNothing() {
        holds(1);
        cell.jump(millis(113));
        cell.step(a, new Event.Woken());
        cell.jump(millis(13));
        cell.step(a, new Event.Woken());
        List<InFlight> asked = cell.hold(m -> m.message() instanceof Extend);
        assertThat(asked).hasSize(2);
        cell.jump(millis(200));
        asked.forEach(m -> cell.step(m.to(), new Event.Received(a, m.message())));
        assertThat(cell.network).anyMatch(m -> m.message() instanceof PaxosMessage.Extended);
        cell.deliverAll();
        assertThat(cell.all(a, Extended.class)).isEmpty();
        assertThat(cell.last(a, Lost.class).reason()).isEqualTo(Loss.EXPIRED);
    }

    @Test
    void withoutAMajorityTheBundleIsRetriedAsAWholeAndLostAtItsDeadline() {
        holds(5);
        said.clear();
        cell.pass(millis(299), m -> {
            said.add(m);
            return false;
        });
        assertThat(extendsTo(b).size()).isBetween(2, 6);
        assertThat(extendsTo(b)).allMatch(extend -> extend.extensions().size() == 5);
        assertThat(proposedTo(b)).isEmpty();
        assertThat(cell.all(a, Lost.class)).isEmpty();
        cell.pass(millis(1), m -> false);
        assertThat(cell.all(a, Lost.class)).hasSize(5).allMatch(lost -> lost.reason() == Loss.EXPIRED);
        assertThat(cell.node(a).nextDeadline()).isNotNull();
    }

    @Test
    void aBundleThatFailedOnceIsSavedByTheNextRound() {
        holds(5);
        cell.pass(millis(150), m -> false);
        cell.pass(millis(150));
        assertThat(cell.all(a, Lost.class)).isEmpty();
        assertThat(cell.all(a, Extended.class)).hasSizeGreaterThanOrEqualTo(5);
    }

    @Test
    void aBundleThatFailedIsAskedForAtOnceWhenSomebodyCanBeReachedAgain() {
        cell.acquire(a, "long", 1_000, true);
        cell.deliverAll();
        cell.pass(millis(334 + 42 + 126), m -> false);
        said.clear();
        cell.step(a, new Event.Reachable(b));
        listen(2);
        assertThat(extendsTo(b)).hasSize(1);
        assertThat(cell.all(a, Extended.class)).hasSize(1);
    }

    @Test
    void aLeaseThatAnAcceptorHasNoRecordOfLeavesAndIsProposedByItself() {
        holds(3);
        forgets(b, "r1");
        listen(120);
        assertThat(extendsTo(b)).hasSize(1);
        assertThat(proposedTo(b)).as("which makes the record anew").containsExactly("r1");
        assertThat(new NodeProbe(cell.node(b)).live("r1", cell.now(b).moment())).isNotNull();
        listen(1_000);
        assertThat(proposedTo(b)).isEmpty();
        assertThat(cell.all(a, Lost.class)).isEmpty();
        Extend last = extendsTo(b).get(extendsTo(b).size() - 1);
        assertThat(last.isByNumber()).isTrue();
    }

    @Test
    void aLeaseThatAMajorityHasNoRecordOfIsMadeAnew() {
        holds(2);
        forgets(b, "r1");
        forgets(c, "r1");
        listen(400);
        assertThat(proposedTo(b)).containsExactly("r1");
        assertThat(cell.all(a, Lost.class)).isEmpty();
    }

    @Test
    void anAcceptorThatRestartedDoesNotKnowTheListAndTheLeasesHeal() {
        holds(3);
        listen(150);
        cell.restart(b);
        cell.pass(Duration.ofNanos(cell.timing.quarantineNanos()));
        listen(150);
        List<Extend> toB = extendsTo(b);
        assertThat(toB.get(0).isByNumber()).isTrue();
        assertThat(toB.get(1).extensions())
                .as("unlisted, so the same attempt again")
                .hasSize(3);
        assertThat(toB.get(1).attempt()).isEqualTo(toB.get(0).attempt());
        assertThat(proposedTo(b)).containsExactly("r0", "r1", "r2");
        listen(600);
        assertThat(proposedTo(b)).isEmpty();
        for (int i = 0; i < 3; i++) {
            assertThat(new NodeProbe(cell.node(b)).live("r" + i, cell.now(b).moment()))
                    .isNotNull();
        }
        assertThat(cell.all(a, Lost.class)).isEmpty();
    }

    @Test
    void aLeaseThatIsGivenUpLeavesTheBundle() {
        holds(3);
        listen(150);
        long list = extendsTo(b).get(0).batchId();
        cell.step(a, new Event.GiveUp("r1", token("r1")));
        listen(300);
        assertThat(extendsTo(b)).allMatch(extend -> extend.batchId() != list);
        assertThat(extendsTo(b).get(0).extensions())
                .extracting(Extension::resource)
                .containsExactly("r0", "r2");
        assertThat(cell.all(a, Extended.class).stream()
                        .filter(extended -> extended.resource().equals("r1")))
                .hasSize(1);
        assertThat(cell.all(a, Lost.class)).isEmpty();
    }

    /** Its answer is under way: it must not be counted for whoever has come in its place. */
    @Test
    void aLeaseThatIsGivenUpDuringTheRoundIsNotExtended() {
        holds(3);
        cell.jump(millis(100));
        cell.step(a, new Event.Woken());
        cell.jump(millis(13));
        cell.step(a, new Event.Woken());
        assertThat(cell.network).hasSize(2).allMatch(m -> m.message() instanceof Extend);
        cell.step(a, new Event.GiveUp("r0", token("r0")));
        cell.deliverAll();
        assertThat(cell.all(a, Extended.class)).extracting(Extended::resource).containsExactly("r1", "r2");
        assertThat(new NodeProbe(cell.node(b)).live("r0", cell.now(b).moment())).isNull();
    }

    @Test
    void aLeaseWhoseHolderAsksForMoreTimeIsProposedByItselfAndComesBack() {
        holds(2);
        listen(150);
        cell.step(a, new Event.Renew("r0", token("r0"), 300_000_000, 77));
        listen(600);
        assertThat(cell.last(a, Effect.Renewed.class)).isEqualTo(new Effect.Renewed(77, true));
        Extend last = extendsTo(b).get(extendsTo(b).size() - 1);
        assertThat(last.isByNumber()).isTrue();
        assertThat(extendsTo(b).stream()
                        .filter(extend -> !extend.isByNumber())
                        .flatMap(extend -> extend.extensions().stream())
                        .filter(extension -> extension.resource().equals("r0")))
                .isNotEmpty()
                .allMatch(extension -> extension.lowestCounter() > token("r0"));
    }

    @Test
    void suspectLeasesLeaveAndAreConfirmedOneByOne() {
        holds(3);
        listen(150);
        cell.step(a, new Event.ClocksDisagree(false));
        List<Extend> confirmations = cell.network.stream()
                .filter(m -> m.to().equals(b))
                .map(m -> (Extend) m.message())
                .toList();
        assertThat(confirmations)
                .hasSize(3)
                .allMatch(extend -> extend.batchId() == Extend.UNNUMBERED
                        && extend.extensions().size() == 1);
        listen(600);
        assertThat(cell.all(a, Lost.class)).isEmpty();
        assertThat(extendsTo(b).get(extendsTo(b).size() - 1).isByNumber()).isTrue();
    }

    /** The answers to a round that was measured by the old clock mean nothing any more. */
    @Test
    void answersToARoundBeforeASuspicionExtendNothing() {
        holds(1);
        cell.jump(millis(100));
        cell.step(a, new Event.Woken());
        cell.jump(millis(13));
        cell.step(a, new Event.Woken());
        List<InFlight> asked = cell.hold(m -> m.message() instanceof Extend);
        cell.step(a, new Event.ClocksDisagree(false));
        cell.network.clear();
        asked.forEach(m -> cell.step(m.to(), new Event.Received(a, m.message())));
        cell.deliverAll();
        assertThat(cell.all(a, Extended.class)).isEmpty();
        assertThat(Objects.requireNonNull(cell.node(a).view("r0", cell.now(a))).state())
                .isNotEqualTo(LeaseView.State.HELD);
    }

    @Test
    void theHolderHearsThatOthersWantOneOfThem() {
        holds(3);
        cell.acquire(b, "r1", 300, true);
        cell.deliver(m -> !m.to().equals(a)); // only c hears of it, and b itself
        cell.pass(millis(120), m -> !(m.message() instanceof Propose));
        assertThat(cell.all(a, Wanted.class)).isNotEmpty().allMatch(wanted -> wanted.resource()
                .equals("r1"));
    }

    @Test
    void bundlesThatAreDueSoonBecomeOne() {
        for (int i = 0; i < 12; i++) {
            cell.acquire(a, "r" + i, 300, true);
            cell.pass(millis(20));
        }
        cell.pass(millis(1_000));
        listen(300);
        assertThat(extendsTo(b).size()).as("in a lease time, for twelve leases").isLessThanOrEqualTo(3 * 4);
        assertThat(cell.all(a, Lost.class)).isEmpty();
    }

    @Test
    void leasesOfDifferentTimesAreRenewedApart() {
        cell.acquire(a, "short", 300, true);
        cell.acquire(a, "long", 900, true);
        cell.deliverAll();
        listen(900);
        assertThat(extendsTo(b)).extracting(Extend::leaseNanos).contains(300_000_000L, 900_000_000L);
        assertThat(extendsTo(b)).allMatch(extend -> extend.extensions().size() <= 1);
        assertThat(cell.all(a, Lost.class)).isEmpty();
    }

    /** The longest names: a batch stays far below what a frame can take. */
    @Test
    void aBundleOfLongNamesIsSmall() {
        for (int i = 0; i < 200; i++) {
            cell.acquire(a, "%03d".formatted(i) + "x".repeat(252), 300, true);
        }
        cell.deliverAll();
        listen(150);
        assertThat(extendsTo(b))
                .hasSizeGreaterThan(1)
                .allMatch(extend -> extend.extensions().size() <= 40);
        assertThat(cell.all(a, Lost.class)).isEmpty();
    }
}
