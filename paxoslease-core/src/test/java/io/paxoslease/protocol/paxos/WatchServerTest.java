package io.paxoslease.protocol.paxos;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.protocol.Effect;
import io.paxoslease.protocol.EffectBuffer;
import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.Message;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Quorum;
import io.paxoslease.protocol.Reading;
import io.paxoslease.protocol.Timing;
import io.paxoslease.protocol.paxos.PaxosMessage.Accepted;
import io.paxoslease.protocol.paxos.PaxosMessage.Propose;
import io.paxoslease.protocol.paxos.PaxosMessage.QueueMode;
import io.paxoslease.protocol.paxos.PaxosMessage.Release;
import io.paxoslease.protocol.watch.WatchMessage.Changes;
import io.paxoslease.protocol.watch.WatchMessage.Request;
import io.paxoslease.protocol.watch.WatchMessage.Watch;
import io.paxoslease.protocol.watch.WatchedResource;
import io.paxoslease.protocol.watch.WatchedResource.State;
import io.paxoslease.protocol.watch.Watches;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** V1: one acceptor, which is a whole cell, and one node that watches it. */
class WatchServerTest {

    private static final Timing TIMING = new Timing(Duration.ofSeconds(60), 0.1);
    private static final long WALL = 1_700_000_000_000_000L;
    private static final long LEASE = 60_000_000_000L;
    private static final NodeId MEMBER = new NodeId("a");
    private static final NodeId OWNER = new NodeId("o");
    private static final NodeId WATCHING = new NodeId("w");
    private static final Incarnation OWN = new Incarnation(1, 1);
    private static final Incarnation NO_BOOT = new Incarnation(0, 0);

    private final Quorum quorum = new Quorum(List.of(MEMBER));
    private final EffectBuffer effects = new EffectBuffer(WATCHING);
    private Watches watches = new Watches(effects, Long.MAX_VALUE);
    private int notices;
    private final Map<String, WatchedResource> view = new HashMap<>();
    private Reading now = new Reading(new Moment(0), WALL);
    private final Acceptor acceptor = TestAcceptors.acceptor(TIMING, null, now);
    private boolean current;
    private final Map<String, Boolean> currentOf = new HashMap<>();

    private void pass(Duration time) {
        long nanos = now.moment().nanos() + time.toNanos();
        now = new Reading(new Moment(nanos), WALL + nanos / 1_000);
    }

    private void holds(String resource) {
        Ballot ballot = new Ballot(now.wallMicros() + 1, OWN);
        Propose proposal = new Propose(resource, ballot, LEASE, 1, QueueMode.NONE, 0);
        assertThat(acceptor.propose(OWNER, proposal, now)).isInstanceOf(Accepted.class);
        told();
    }

    private void holds(String prefix, int count) {
        for (int i = 0; i < count; i++) {
            holds(prefix + i);
        }
    }

    private void releases(String resource) {
        acceptor.release(OWNER, new Release(resource, OWN, now.wallMicros() + 1), now, (to, message) -> {});
        told();
    }

    /** More ends than the acceptor remembers. */
    private void endsAreForgotten() {
        for (int i = 0; i < RecordLog.MOST_ENDED + 100; i++) {
            holds("role:" + i);
            releases("role:" + i);
        }
    }

    /** What the acceptor tells now: at the end of a step, and of the steps for which it wakes at once. */
    private List<Changes> told() {
        List<Changes> told = new ArrayList<>();
        Moment next = now.moment();
        while (next != null && !now.moment().isBefore(next)) {
            acceptor.tellWatchers(now, (to, message) -> told.add((Changes) message));
            next = acceptor.watchers().next();
        }
        return told;
    }

    /** Each hears what the other says, until both are silent. Answers how many messages of changes there were. */
    private int talk() {
        int count = 0;
        boolean silent = false;
        for (int round = 0; round < 1_000 && !silent; round++) {
            List<Request> requests = requests();
            requests.forEach(request -> acceptor.watchers().serve(WATCHING, request, now.moment()));
            pass(Duration.ofMillis(20));
            List<Changes> told = told();
            told.forEach(each -> watches.hear(MEMBER, each, now.moment()));
            count += told.size();
            silent = requests.isEmpty() && told.isEmpty();
        }
        return count;
    }

    private List<Request> requests() {
        watches.finish(quorum, LEASE, now.moment());
        List<Request> requests = new ArrayList<>();
        for (Effect effect : effects.take()) {
            if (effect instanceof Effect.Send send) {
                requests.add((Request) send.message());
            } else if (effect instanceof Effect.Notice) {
                notices++;
            } else if (effect instanceof Effect.Watched told) {
                current = told.current();
                currentOf.put(told.prefix(), told.current());
                told.changes().forEach(each -> view.put(each.resource(), each));
            }
        }
        return requests;
    }

    private Set<String> held() {
        Set<String> held = new HashSet<>();
        view.values().stream().filter(each -> each.state() == State.HELD).forEach(each -> held.add(each.resource()));
        return held;
    }

    /** A greedy client may hold more leases than a small node that watches them has memory for. */
    @Test
    void aNodeWithoutMemoryForAllLeasesKeepsNoneAndTriesAgainLater() {
        watches = new Watches(effects, 4 * 300 * 270 / 3);
        holds("role:", 200);
        watches.watch("role:", quorum, now.moment());
        talk();
        assertThat(current).isTrue();
        holds("role:x", 150);
        pass(Duration.ofSeconds(1));
        assertThat(talk()).isLessThan(10);
        assertThat(current).isFalse();
        assertThat(notices).isEqualTo(1);

        assertThat(talk()).as("it is not told anything").isZero();
        pass(Duration.ofSeconds(61));
        talk();
        assertThat(current).as("there is no room yet").isFalse();
        for (int i = 0; i < 150; i++) {
            releases("role:x" + i);
        }
        pass(Duration.ofSeconds(58));
        assertThat(talk()).as("it is tried once a minute").isZero();
        pass(Duration.ofSeconds(2));
        holds("role:", 200);
        talk();
        assertThat(current).isTrue();
        assertThat(held()).hasSize(200);
    }

    private void watchesHeld(String prefix, int count) {
        holds(prefix, count);
        watches.watch(prefix, quorum, now.moment());
        talk();
    }

    private void talkAfter(Duration time, int shards, int roles) {
        pass(time);
        holds("shard:g/", shards);
        holds("role:", roles);
        talk();
    }

    @Test
    void aSmallPrefixHasRoomBesideALargeOneThatIsFull() {
        watches = new Watches(effects, 4 * 300 * 270 / 3);
        holds("shard:g/", 30);
        watchesHeld("role:", 400);
        for (int i = 0; i < 3; i++) {
            talkAfter(Duration.ofMinutes(20), 0, 400);
        }
        assertThat(current).isFalse();
        watchesHeld("shard:g/", 30);
        assertThat(current).isTrue();
        assertThat(held()).hasSize(30);
    }

    @Test
    void aFullPrefixIsTriedAgainAfterAMinuteHoweverOftenItHadNoRoom() {
        watches = new Watches(effects, 4 * 300 * 270 / 3);
        watchesHeld("shard:g/", 200);
        watchesHeld("role:", 200);
        for (int i = 0; i < 4; i++) {
            talkAfter(Duration.ofMinutes(20), 200, 200);
        }
        watches.unwatch("shard:g/");
        talk();
        assertThat(currentOf).doesNotContainEntry("role:", true);
        talkAfter(Duration.ofSeconds(61), 0, 200);
        assertThat(currentOf).containsEntry("role:", true);
    }

    /** Leases that have not changed for long have versions below that of an end which is forgotten. */
    @Test
    void aSnapshotOfSeveralPagesEndsThoughEndsHaveBeenForgotten() {
        holds("shard:g/", 200);
        endsAreForgotten();
        watches.watch("shard:g/", quorum, now.moment());

        assertThat(talk()).isBetween(4, 10);
        assertThat(current).isTrue();
        assertThat(held()).hasSize(200);
    }

    @Test
    void aSnapshotBehindManyOtherLeasesEndsThoughEndsHaveBeenForgotten() {
        holds("shard:h/", 1_100);
        holds("shard:g/", 10);
        endsAreForgotten();
        watches.watch("shard:g/", quorum, now.moment());

        assertThat(talk()).isBetween(1, 10);
        assertThat(current).isTrue();
        assertThat(held()).hasSize(10);
    }

    @Test
    void whatEndsWhileASnapshotRunsIsToldThoughEndsHaveBeenForgotten() {
        holds("shard:g/", 200);
        endsAreForgotten();
        Changes first = hears(new Watch("shard:g/", NO_BOOT, 0, true)).get(0);
        releases("shard:g/0");
        releases("shard:g/199");
        Set<String> known = new HashSet<>();
        takeAll(first, known);

        assertThat(known).hasSize(198).doesNotContain("shard:g/0", "shard:g/199");
    }

    /** After the snapshot an old version is not enough again: the ends since then are not known any more. */
    @Test
    void anOldVersionIsNotContinuedOnceItsSnapshotIsOver() {
        holds("shard:g/", 200);
        endsAreForgotten();
        Changes first = hears(new Watch("shard:g/", NO_BOOT, 0, true)).get(0);
        takeAll(first, new HashSet<>());
        List<Changes> answer = hears(new Watch("shard:g/", first.boot(), first.to(), true));

        assertThat(answer).hasSize(1).allMatch(Changes::reset);
    }

    /** It was sent before the snapshot that runs now, in which what has ended since is left out. */
    @Test
    void aConfirmationOfAnEarlierSnapshotHearsOfTheEndsSince() {
        holds("shard:g/", 100);
        Changes lost = hears(new Watch("shard:g/", NO_BOOT, 0, true)).get(0);
        Set<String> known = new HashSet<>();
        take(lost, known);
        releases("shard:g/0");
        assertThat(hears(new Watch("shard:g/", NO_BOOT, 0, true)))
                .as("a second snapshot, which is lost")
                .hasSize(1)
                .allMatch(Changes::reset);
        hears(new Watch("shard:g/", lost.boot(), lost.to(), false)).forEach(each -> takeAll(each, known));

        assertThat(known).hasSize(99).doesNotContain("shard:g/0");
    }

    @Test
    void allPrefixesOfANameAreToldOfIt() {
        List<String> prefixes = List.of("role:", "role:b", "role:c", "role:bi", "role:billing");
        prefixes.forEach(prefix -> watches.watch(prefix, quorum, now.moment()));
        talk();
        watches.unwatch("role:c"); // as long as another that stays
        talk();
        Set<String> told = new HashSet<>();
        pass(Duration.ofSeconds(1));
        Ballot ballot = new Ballot(now.wallMicros() + 1, OWN);
        acceptor.propose(OWNER, new Propose("role:billing", ballot, LEASE, 1, QueueMode.NONE, 0), now);
        told().forEach(each -> told.add(each.prefix()));

        assertThat(told).containsExactlyInAnyOrder("role:", "role:b", "role:bi", "role:billing");
    }

    private List<Changes> hears(Message request) {
        acceptor.watchers().serve(WATCHING, (Request) request, now.moment());
        pass(Duration.ofMillis(20));
        return told();
    }

    private static void take(Changes page, Set<String> known) {
        if (page.reset()) {
            known.clear();
        }
        page.changes().forEach(change -> {
            known.remove(change.resource());
            if (change.record() != null) {
                known.add(change.resource());
            }
        });
    }

    /** Takes the page, and what follows as each page is confirmed. */
    private void takeAll(Changes page, Set<String> known) {
        take(page, known);
        hears(new Watch(page.prefix(), page.boot(), page.to(), false)).forEach(next -> takeAll(next, known));
    }
}
