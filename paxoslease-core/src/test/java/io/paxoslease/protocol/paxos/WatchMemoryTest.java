package io.paxoslease.protocol.paxos;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.protocol.ConfigurationGuard;
import io.paxoslease.protocol.Effect;
import io.paxoslease.protocol.Event;
import io.paxoslease.protocol.Generation;
import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.MemberList;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Reading;
import io.paxoslease.protocol.Timing;
import io.paxoslease.protocol.paxos.PaxosMessage.Accepted;
import io.paxoslease.protocol.paxos.PaxosMessage.Propose;
import io.paxoslease.protocol.paxos.PaxosMessage.QueueMode;
import io.paxoslease.protocol.paxos.PaxosMessage.Refusal;
import io.paxoslease.protocol.paxos.PaxosMessage.Refused;
import io.paxoslease.protocol.paxos.PaxosMessage.Release;
import io.paxoslease.protocol.paxos.PaxosMessage.Reply;
import io.paxoslease.protocol.watch.WatchMessage.Changes;
import io.paxoslease.protocol.watch.WatchMessage.Watch;
import io.paxoslease.protocol.watch.WatchedRecord;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** V1, V4, Q12: what watches may take of a member's heap, and what happens beyond it. */
class WatchMemoryTest {

    private static final long SMALL = 2 << 20;
    private static final long DEFAULT = 64 << 20;
    private static final long WALL = 1_700_000_000_000_000L;
    private static final long LEASE = 60_000_000_000L;
    private static final Timing TIMING = new Timing(Duration.ofSeconds(60), 0.1);
    private static final Incarnation OWN = new Incarnation(1, 1);
    private static final Incarnation NO_BOOT = new Incarnation(0, 0);
    private static final NodeId CLIENT = new NodeId("client");
    private static final NodeId WATCHING = new NodeId("b");

    private Reading now = at(0);

    private static Reading at(long nanos) {
        return new Reading(new Moment(nanos), WALL + nanos / 1_000);
    }

    private Acceptor acceptor(long heap) {
        return TestAcceptors.acceptor(TIMING, WATCHING::equals, null, heap, now);
    }

    private @Nullable Reply proposes(Acceptor acceptor, NodeId from, String resource, String note) {
        return proposes(acceptor, from, resource, note, QueueMode.NONE);
    }

    private @Nullable Reply proposes(
            Acceptor acceptor, NodeId from, String resource, String note, QueueMode queueMode) {
        Ballot ballot = new Ballot(now.wallMicros() + 1, OWN);
        long enqueued = queueMode == QueueMode.NONE ? 0 : ballot.counter();
        Propose proposal = new Propose(resource, ballot, LEASE, 1, queueMode, enqueued).withNote(note);
        Reply reply = acceptor.propose(from, proposal, now);
        told(acceptor);
        return reply;
    }

    private List<Changes> told(Acceptor acceptor) {
        List<Changes> told = new ArrayList<>();
        acceptor.tellWatchers(now, (to, message) -> told.add((Changes) message));
        return told;
    }

    private List<Changes> hears(Acceptor acceptor, Watch request) {
        acceptor.watchers().serve(WATCHING, request, now.moment());
        now = at(now.moment().nanos() + 20_000_000);
        return told(acceptor);
    }

    /** What a new subscriber is told. */
    private Map<String, WatchedRecord> snapshot(Acceptor acceptor, String prefix) {
        Map<String, WatchedRecord> known = new LinkedHashMap<>();
        List<Changes> pages = hears(acceptor, new Watch(prefix, NO_BOOT, 0, true));
        while (!pages.isEmpty()) {
            Changes page = pages.get(0);
            page.changes().forEach(each -> {
                if (each.record() != null) {
                    known.put(each.resource(), each.record());
                }
            });
            pages = hears(acceptor, new Watch(prefix, page.boot(), page.to(), false));
        }
        return known;
    }

    /** At the end of its quarantine. */
    private Acceptor restarted() {
        Acceptor acceptor = TestAcceptors.acceptor(TIMING, WATCHING::equals, new Moment(0), SMALL, now);
        told(acceptor);
        return acceptor;
    }

    private void renews(Acceptor acceptor, NodeId client, String prefix, int count) {
        for (int i = 0; i < count; i++) {
            assertThat(proposes(acceptor, client, prefix + i, ""))
                    .as("%s%d", prefix, i)
                    .isInstanceOf(Accepted.class);
        }
    }

    /** Answers how many leases the client is granted until one is refused. */
    private int fill(Acceptor acceptor) {
        return fill(acceptor, CLIENT, "role:");
    }

    private int fill(Acceptor acceptor, NodeId client, String prefix) {
        int count = 0;
        while (proposes(acceptor, client, prefix + count, "") instanceof Accepted) {
            count++;
            assertThat(count).isLessThan(1_000);
        }
        return count;
    }

    @Test
    void aRecordThatWatchersCouldNotBeToldOfIsRefused() {
        Acceptor acceptor = acceptor(SMALL);
        int count = fill(acceptor);

        assertThat(count).as("a tenth of a sixteenth of the heap").isBetween(30, 45);
        assertThat(proposes(acceptor, CLIENT, "role:more", ""))
                .isInstanceOfSatisfying(
                        Refused.class, refused -> assertThat(refused.reason()).isEqualTo(Refusal.TOO_MANY));
        assertThat(acceptor.live("role:more", now.moment())).isNull();
        assertThat(snapshot(acceptor, "role:")).as("each live record is told").hasSize(count);
        assertThat(proposes(acceptor, new NodeId("other"), "role:more", ""))
                .as("another client has room")
                .isInstanceOf(Accepted.class);
    }

    /** The first client has had more than it could get beside the second one. Members that restart hear of both at a time. */
    @Test
    void whatWasGrantedFitsInAnyOrderIntoAMemberThatHasForgottenIt() {
        NodeId second = new NodeId("second");
        Acceptor before = acceptor(SMALL);
        int ofFirst = fill(before, CLIENT, "role:a");
        int ofSecond = fill(before, second, "role:b");
        assertThat(ofSecond).isBetween(10, ofFirst - 1);

        Acceptor after = restarted();
        renews(after, second, "role:b", ofSecond);
        renews(after, CLIENT, "role:a", ofFirst);
        assertThat(proposes(after, CLIENT, "role:more", ""))
                .as("no more than before")
                .isInstanceOf(Refused.class);
    }

    @Test
    void notesOfThoseThatReturnAreTold() {
        NodeId second = new NodeId("second");
        Acceptor before = acceptor(SMALL);
        proposes(before, CLIENT, "role:seat", "n".repeat(100));
        int ofFirst = fill(before, CLIENT, "role:a");
        int ofSecond = fill(before, second, "role:b");

        Acceptor after = restarted();
        renews(after, second, "role:b", ofSecond);
        renews(after, CLIENT, "role:a", ofFirst);
        proposes(after, CLIENT, "role:seat", "n".repeat(100));
        assertThat(snapshot(after, "role:seat").values()).singleElement().satisfies(record -> assertThat(record.note())
                .hasSize(100));
    }

    @Test
    void newRequestsDoNotTakeTheRoomOfThoseThatReturn() {
        int had = fill(acceptor(SMALL));

        Acceptor after = restarted();
        for (int client = 0; client < 5; client++) {
            NodeId greedy = new NodeId("greedy-" + client);
            for (int i = 0; i < had; i++) {
                proposes(after, greedy, "role:g" + client + "-" + i, "", QueueMode.QUEUE);
            }
        }
        assertThat(proposes(after, CLIENT, "role:0", "", QueueMode.QUEUE)).isInstanceOf(Accepted.class);
        renews(after, CLIENT, "role:", had - 1);
        Ballot ballot = new Ballot(now.wallMicros() + 1, OWN);
        assertThat(after.propose(CLIENT, new Propose("role:" + (had - 1), ballot, LEASE, 1, QueueMode.QUEUE, 0), now))
                .as("a renewal that has waited by Q13")
                .isInstanceOf(Accepted.class);
    }

    @Test
    void renewalsAndLeasesThatCannotBeWatchedAreNotRefused() {
        Acceptor acceptor = acceptor(SMALL);
        fill(acceptor);

        assertThat(proposes(acceptor, CLIENT, "role:0", "")).isInstanceOf(Accepted.class);
        assertThat(proposes(acceptor, CLIENT, "lock:x", "")).isInstanceOf(Accepted.class);
        acceptor.release(CLIENT, new Release("role:0", OWN, now.wallMicros() + 1), now, (to, message) -> {});
        told(acceptor);
        assertThat(proposes(acceptor, CLIENT, "role:n", ""))
                .as("what has ended makes room")
                .isInstanceOf(Accepted.class);
    }

    @Test
    void aNoteWithoutRoomLeavesTheRecord() {
        Acceptor acceptor = acceptor(SMALL);
        int count = fill(acceptor);
        assertThat(proposes(acceptor, CLIENT, "role:0", "n".repeat(255))).isInstanceOf(Accepted.class);
        assertThat(acceptor.noteOf("role:0")).isNotEmpty();

        Map<String, WatchedRecord> known = snapshot(acceptor, "role:");
        assertThat(known).hasSize(count).containsKey("role:0");
        assertThat(known.get("role:0"))
                .satisfies(record -> assertThat(record.note()).isEmpty());
    }

    @Test
    void twoClientsWith256ShardsEachFitIntoASmallMember() {
        Acceptor acceptor = acceptor(DEFAULT);
        for (NodeId client : List.of(new NodeId("c1"), new NodeId("c2"))) {
            assertThat(proposes(acceptor, client, "shards:invoices/" + client, "n".repeat(100)))
                    .isInstanceOf(Accepted.class);
            for (int i = 0; i < 256; i++) {
                assertThat(proposes(acceptor, client, "shard:invoices/" + client + i, ""))
                        .isInstanceOf(Accepted.class);
            }
        }
        assertThat(snapshot(acceptor, "shard:invoices/")).hasSize(512);
    }

    /** As many as {@code paxoslease.clients.max} admits with that heap. */
    @Test
    void allClientsCanWatchAPrefix() {
        Acceptor acceptor = acceptor(DEFAULT);
        for (int i = 0; i < DEFAULT / (32 << 10); i++) {
            Watch watch = new Watch("shards:invoices/", NO_BOOT, 0, true);
            assertThat(acceptor.watchers().serve(new NodeId("client-" + i), watch, now.moment()))
                    .as("client %d", i)
                    .isTrue();
        }
    }

    @Test
    void endsAreBoundedInBytes() {
        Acceptor acceptor = acceptor(SMALL);
        proposes(acceptor, CLIENT, "role:x", "");
        Changes known = hears(acceptor, new Watch("role:x", NO_BOOT, 0, true)).get(0);
        for (int i = 0; i < 100; i++) {
            String resource = "role:" + i + "x".repeat(240);
            assertThat(proposes(acceptor, CLIENT, resource, "")).isInstanceOf(Accepted.class);
            acceptor.release(CLIENT, new Release(resource, OWN, now.wallMicros() + 1), now, (to, message) -> {});
            told(acceptor);
        }
        assertThat(hears(acceptor, new Watch("role:", known.boot(), known.to(), true)))
                .as("it has forgotten some of them")
                .hasSize(1)
                .allMatch(Changes::reset);
    }

    @Test
    void aSubscriberWithoutRoomIsReportedOnceAMinute() {
        NodeId self = new NodeId("a");
        MemberList members = new MemberList(List.of(self, WATCHING), TIMING.maxLeaseTime(), TIMING.drift());
        Node node = new Node(
                self,
                Generation.first(members),
                null,
                ConfigurationGuard.none(self),
                false,
                () -> new Incarnation(7, 7),
                new SplittableRandom(1),
                64 << 10,
                now);
        assertThat(reports(node, 100)).isEqualTo(1);
        now = at(61_000_000_000L);
        assertThat(reports(node, 100)).isEqualTo(1);
    }

    private long reports(Node node, int questions) {
        List<Effect> effects = new ArrayList<>();
        for (int i = 0; i < questions; i++) {
            Watch watch = new Watch("role:", NO_BOOT, 0, true);
            effects.addAll(node.step(new Event.Received(new NodeId("client-" + i), watch), now));
        }
        return effects.stream()
                .filter(each ->
                        each instanceof Effect.Notice notice && notice.text().contains("client-"))
                .count();
    }
}
