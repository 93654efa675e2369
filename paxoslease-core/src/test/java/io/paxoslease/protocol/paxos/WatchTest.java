package io.paxoslease.protocol.paxos;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.protocol.Effect;
import io.paxoslease.protocol.Event;
import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.paxos.ProtocolTestCell.InFlight;
import io.paxoslease.protocol.watch.WatchMessage;
import io.paxoslease.protocol.watch.WatchMessage.Changes;
import io.paxoslease.protocol.watch.WatchMessage.Watch;
import io.paxoslease.protocol.watch.WatchedResource;
import io.paxoslease.protocol.watch.WatchedResource.State;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

/** Section 10: watches, from the acceptors' records to what a node is told. */
class WatchTest {

    private static final Duration MAX = Duration.ofSeconds(3);
    private static final Duration SOON = Duration.ofMillis(50);
    /** M x gamma of three seconds, and a little. */
    private static final Duration OVER = Duration.ofMillis(3_700);

    private final ProtocolTestCell cell = new ProtocolTestCell(3, 1, MAX);
    private final NodeId a = cell.id(0);
    private final NodeId b = cell.id(1);
    private final NodeId c = cell.id(2);
    private final NodeId client = cell.id(3);

    private static boolean isOfWatches(InFlight each) {
        return each.message() instanceof WatchMessage;
    }

    private void watch(NodeId node, String prefix) {
        cell.step(node, new Event.Watch(prefix));
        cell.pass(SOON);
    }

    private void acquire(NodeId node, String resource) {
        cell.acquire(node, resource, 3_000, true);
        cell.pass(SOON);
    }

    private void release(NodeId node, String resource) {
        long token = cell.all(node, Effect.Granted.class).stream()
                .filter(granted -> granted.resource().equals(resource))
                .reduce((first, second) -> second)
                .orElseThrow()
                .token();
        cell.step(node, new Event.GiveUp(resource, token));
        cell.pass(SOON);
    }

    /** What the node has been told of each lease last. */
    private Map<String, WatchedResource> view(NodeId node) {
        Map<String, WatchedResource> view = new HashMap<>();
        cell.all(node, Effect.Watched.class)
                .forEach(told -> told.changes().forEach(each -> view.put(each.resource(), each)));
        return view;
    }

    private boolean isCurrent(NodeId node) {
        return cell.last(node, Effect.Watched.class).current();
    }

    private static WatchedResource held(String resource, NodeId owner) {
        return new WatchedResource(resource, State.HELD, owner, "");
    }

    private static WatchedResource free(String resource) {
        return new WatchedResource(resource, State.FREE, null, "");
    }

    @Test
    void membersAndClientsAreToldWhoHoldsWhatAndWhatChanges() {
        acquire(a, "role:x");
        watch(client, "role:");
        watch(a, "role:");
        assertThat(view(client)).containsOnly(Map.entry("role:x", held("role:x", a)));
        assertThat(view(a)).containsOnly(Map.entry("role:x", held("role:x", a)));
        acquire(client, "role:y");
        release(a, "role:x");
        acquire(b, "role:x");
        release(client, "role:y");

        assertThat(view(client)).containsEntry("role:x", held("role:x", b)).containsEntry("role:y", free("role:y"));
        assertThat(view(a)).isEqualTo(view(client));
    }

    @Test
    void whoWatchesWhatIsWatchedAlreadyIsToldAll() {
        watch(client, "role:");
        acquire(a, "role:x");
        acquire(b, "role:y");
        cell.effects(client).clear();
        watch(client, "role:");

        Effect.Watched told = cell.last(client, Effect.Watched.class);
        assertThat(cell.all(client, Effect.Watched.class)).containsExactly(told);
        assertThat(told.all()).isTrue();
        assertThat(told.current()).isTrue();
        assertThat(told.changes()).containsExactlyInAnyOrder(held("role:x", a), held("role:y", b));
        acquire(c, "role:z");
        assertThat(cell.last(client, Effect.Watched.class))
                .as("after that, only changes")
                .isEqualTo(new Effect.Watched("role:", false, true, List.of(held("role:z", c))));
    }

    @Test
    void onlyThePrefixIsWatchedAndNoLock() {
        watch(client, "shard:g/");
        watch(client, "lock:");
        acquire(a, "shard:h/1");
        acquire(a, "shard:g/1");
        acquire(a, "lock:x");

        assertThat(view(client)).containsOnlyKeys("shard:g/1");
    }

    @Test
    void atRestNothingIsSentAlsoWhileLeasesAreRenewed() {
        watch(client, "role:");
        acquire(a, "role:x");
        int[] sent = {0};
        cell.pass(Duration.ofSeconds(10), each -> {
            sent[0] += isOfWatches(each) ? 1 : 0;
            return true;
        });

        assertThat(sent[0]).isZero();
    }

    @Test
    void theEndOfALeaseWhoseHolderHasCrashedIsToldAsItExpires() {
        watch(client, "role:");
        acquire(a, "role:x");
        cell.step(b, new Event.Unreachable(a));
        cell.step(c, new Event.Unreachable(a));
        cell.step(client, new Event.Unreachable(a));
        Predicate<InFlight> withoutA =
                each -> !each.from().equals(a) && !each.to().equals(a);
        cell.pass(Duration.ofSeconds(2), withoutA);
        assertThat(view(client)).containsEntry("role:x", held("role:x", a));
        cell.pass(Duration.ofSeconds(2), withoutA);

        assertThat(isCurrent(client)).isTrue();
        assertThat(view(client)).containsEntry("role:x", free("role:x"));
    }

    /** A member that has just been restarted knows of nothing; two must say so. */
    @Test
    void oneMemberAloneIsNotBelieved() {
        acquire(a, "role:x");
        cell.restart(c);
        cell.step(client, new Event.Unreachable(c));
        cell.pass(OVER, each -> !each.to().equals(c) || isOfWatches(each));
        cell.step(client, new Event.Reachable(c));
        watch(client, "role:");

        assertThat(view(client)).containsOnly(Map.entry("role:x", held("role:x", a)));
        assertThat(isCurrent(client)).isTrue();
    }

    @Test
    void withoutAMajorityTheViewIsStalledAndNothingChanges() {
        watch(client, "role:");
        acquire(a, "role:x");
        cell.step(client, new Event.Unreachable(a));
        assertThat(isCurrent(client)).isTrue();
        cell.step(client, new Event.Unreachable(b));
        assertThat(isCurrent(client)).isFalse();
        release(a, "role:x");
        assertThat(view(client)).containsEntry("role:x", held("role:x", a));
        cell.step(client, new Event.Reachable(b));
        cell.pass(SOON);

        assertThat(isCurrent(client)).isTrue();
        assertThat(view(client)).containsEntry("role:x", free("role:x"));
    }

    /** One of the two that answer has the record, the other has not. */
    @Test
    void whenMembersDisagreeTheLastOwnerIsKeptForAsLongAsItsLeaseCanLast() {
        watch(client, "role:");
        acquire(a, "role:x");
        cell.step(client, new Event.Unreachable(c));
        cell.step(b, new Event.Received(a, releaseOf(a, "role:x")));
        Predicate<InFlight> noRenewal = WatchTest::isOfWatches;
        cell.pass(SOON, noRenewal);
        assertThat(view(client)).containsEntry("role:x", new WatchedResource("role:x", State.UNKNOWN, a, ""));
        cell.pass(OVER, noRenewal);

        assertThat(view(client)).containsEntry("role:x", free("role:x"));
    }

    private PaxosMessage.Release releaseOf(NodeId holder, String resource) {
        Incarnation incarnation = cell.node(holder).view(cell.now(holder)).incarnation();
        return new PaxosMessage.Release(
                resource, incarnation, cell.last(holder, Effect.Granted.class).token());
    }

    @Test
    void manyLeasesComeInPagesAndChangesInBetweenAreNotMissed() {
        for (int i = 0; i < 1_000; i++) {
            cell.acquire(i % 2 == 0 ? a : b, "shard:g/" + i, 3_000, true);
            cell.deliverAll();
        }
        int[] pages = {0};
        Predicate<InFlight> counts = each -> {
            pages[0] += each.message() instanceof Changes ? 1 : 0;
            return true;
        };
        cell.step(client, new Event.Watch("shard:g/"));
        cell.pass(Duration.ofMillis(1), counts);
        assertThat(pages[0]).isBetween(3, 47);
        Effect.Granted first = cell.all(a, Effect.Granted.class).get(0);
        cell.step(a, new Event.GiveUp(first.resource(), first.token()));
        cell.pass(Duration.ofSeconds(1), counts);

        assertThat(pages[0]).isGreaterThanOrEqualTo(48);
        assertThat(view(client)).hasSizeGreaterThanOrEqualTo(999);
        assertThat(view(client).values().stream().filter(each -> each.state() == State.HELD))
                .hasSize(999);
    }

    /** A member looks at 1,024 changes at once, and finds none to tell in the first ones. */
    @Test
    void aNarrowPrefixIsAnsweredThoughThousandsOfOtherLeasesHaveChanged() {
        for (int i = 0; i < 3_000; i++) {
            cell.acquire(a, "shard:g/" + i, 3_000, true);
            cell.deliverAll();
        }
        acquire(b, "role:x");
        watch(client, "role:");
        assertThat(view(client)).containsOnly(Map.entry("role:x", held("role:x", b)));
        watch(client, "shard:h/");
        assertThat(cell.last(client, Effect.Watched.class))
                .as("of a prefix without leases")
                .isEqualTo(new Effect.Watched("shard:h/", true, true, List.of()));
    }

    @Test
    void whatIsLostIsToldAgain() {
        SplittableRandom random = new SplittableRandom(1);
        watch(client, "role:");
        watch(b, "role:");
        for (int i = 0; i < 40; i++) {
            acquire(a, "role:" + i);
            cell.pass(SOON, each -> !isOfWatches(each) || random.nextInt(100) < 40);
            if (i % 3 == 0) {
                release(a, "role:" + i);
            }
        }
        cell.pass(Duration.ofSeconds(3));
        for (int i = 0; i < 40; i++) {
            WatchedResource known = view(client).get("role:" + i);
            State state = known == null ? State.FREE : known.state();
            assertThat(state).as("role %d", i).isEqualTo(i % 3 == 0 ? State.FREE : State.HELD);
        }
    }

    @Test
    void afterAnInterruptionOnlyWhatHasChangedIsTold() {
        for (int i = 0; i < 100; i++) {
            cell.acquire(a, "role:" + i, 3_000, true);
            cell.deliverAll();
        }
        watch(client, "role:");
        assertThat(isCurrent(client)).isTrue();
        for (NodeId member : List.of(a, b, c)) {
            cell.step(client, new Event.Unreachable(member));
            cell.step(member, new Event.Unreachable(client));
        }
        release(a, "role:7");
        int[] told = {0};
        List.of(a, b, c).forEach(member -> cell.step(client, new Event.Reachable(member)));
        cell.pass(SOON, each -> {
            told[0] += each.message() instanceof Changes changes
                    ? changes.changes().size()
                    : 0;
            return true;
        });

        assertThat(told[0]).isEqualTo(3);
        assertThat(view(client)).containsEntry("role:7", free("role:7"));
    }

    @Test
    void whoWatchesNoMoreIsToldNothing() {
        watch(client, "role:");
        cell.step(client, new Event.Unwatch("role:"));
        cell.deliverAll();
        acquire(a, "role:x");
        assertThat(view(client)).isEmpty();
        cell.step(client, new Event.Watch("role:"));
        cell.step(client, new Event.Unwatch("role:"));
        cell.deliver(each -> !(each.message() instanceof WatchMessage.Unwatch)); // the members do not hear of it
        cell.pass(Duration.ofSeconds(1));
        int[] sent = {0};
        release(a, "role:x");
        cell.pass(Duration.ofSeconds(3), each -> {
            sent[0] += isOfWatches(each) ? 1 : 0;
            return true;
        });

        assertThat(sent[0]).isZero();
    }

    @Test
    void aMemberThatHasForgottenTheEndsTellsAllAgain() {
        watch(client, "role:");
        acquire(a, "role:stays");
        acquire(a, "role:ends");
        for (NodeId member : List.of(a, b, c)) {
            cell.step(client, new Event.Unreachable(member));
            cell.step(member, new Event.Unreachable(client));
        }
        release(a, "role:ends");
        for (int i = 0; i <= RecordLog.MOST_ENDED; i++) {
            cell.acquire(a, "role:" + i, 3_000, false);
            cell.deliverAll();
            cell.step(
                    a,
                    new Event.GiveUp(
                            "role:" + i, cell.last(a, Effect.Granted.class).token()));
            cell.deliverAll();
            cell.effects(a).clear();
        }
        List.of(a, b, c).forEach(member -> cell.step(client, new Event.Reachable(member)));
        cell.pass(Duration.ofSeconds(4));

        assertThat(view(client))
                .containsEntry("role:stays", held("role:stays", a))
                .containsEntry("role:ends", free("role:ends"));
    }

    @Test
    void aNodeHasAtMostSoManySubscriptionsAndOneWhoIsNotReachedHasNone() {
        for (int i = 0; i < 2 * WatchServer.MOST_OF_ONE; i++) {
            cell.step(a, new Event.Received(client, new Watch("role:" + i, new Incarnation(0, 0), 0, true)));
        }
        assertThat(watchers(a)).isEqualTo(WatchServer.MOST_OF_ONE);
        cell.step(a, new Event.Unreachable(client));

        assertThat(watchers(a)).isZero();
    }

    /** One that has lost its memory, one that is not reached, and one that serves are no majority. */
    @Test
    void aMemberThatFallsSilentIsNotCurrentUntilItHasToldAllAgain() {
        watch(client, "role:");
        acquire(b, "role:x");
        cell.step(client, new Event.Unreachable(c));
        assertThat(isCurrent(client)).isTrue();
        cell.step(a, new Event.ClocksDisagree(true));
        cell.pass(SOON);
        assertThat(isCurrent(client)).isFalse();
        cell.pass(Duration.ofSeconds(2));
        assertThat(isCurrent(client)).isFalse();
        cell.pass(OVER);

        assertThat(isCurrent(client)).isTrue();
        assertThat(view(client)).containsEntry("role:x", held("role:x", b));
    }

    @Test
    void aMemberThatFallsSilentTellsEachSubscriptionOnce() {
        watch(client, "role:");
        watch(client, "shard:g/");
        int[] told = {0};
        cell.step(a, new Event.ClocksDisagree(true));
        cell.step(a, new Event.ClocksDisagree(true));
        cell.pass(Duration.ofSeconds(2), each -> {
            told[0] += each.from().equals(a) && each.message() instanceof Changes ? 1 : 0;
            return true;
        });
        assertThat(told[0]).isEqualTo(2);
    }

    /** After the last of them serves again, as after a restart of all members. */
    @Test
    void aMemberThatDoesNotAnswerIsAskedEachSecond() {
        cell.step(client, new Event.Watch("role:"));
        cell.deliver(each -> !isOfWatches(each));
        int[] asked = {0};
        cell.pass(Duration.ofSeconds(20), each -> {
            asked[0] += each.to().equals(a) && each.message() instanceof Watch ? 1 : 0;
            return !isOfWatches(each);
        });
        assertThat(asked[0]).isBetween(19, 21);
        cell.pass(Duration.ofMillis(1_050));
        assertThat(isCurrent(client)).isTrue();
    }

    private int watchers(NodeId member) {
        return Objects.requireNonNull(new NodeProbe(cell.node(member)).acceptor())
                .watchers()
                .size();
    }

    /** What a subscriber says that it knows costs only itself. */
    @Test
    void aSubscriberThatLiesIsToldAllAgainAndNotFasterThanItMay() {
        for (int i = 0; i < 60; i++) {
            cell.acquire(b, "role:" + "x".repeat(200) + i, 3_000, true);
            cell.deliverAll();
        }
        int[] told = {0};
        for (int i = 0; i < 2_000; i++) {
            cell.step(a, new Event.Received(client, new Watch("role:", new Incarnation(9, i), Long.MAX_VALUE, true)));
            told[0] += cell.hold(WatchTest::isOfWatches).size();
            cell.jump(Duration.ofMillis(1));
        }

        assertThat(told[0]).isBetween(1, 200);
    }
}
