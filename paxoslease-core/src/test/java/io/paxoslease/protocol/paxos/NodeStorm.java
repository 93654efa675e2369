package io.paxoslease.protocol.paxos;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.paxoslease.protocol.Effect;
import io.paxoslease.protocol.Effect.Send;
import io.paxoslease.protocol.Event;
import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Quorum;
import io.paxoslease.protocol.Reading;
import io.paxoslease.protocol.Timing;
import io.paxoslease.transport.MessageCodec;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * One production node that is told random things, on clocks that leap, wrap and are set. The monotonic clock never goes
 * back and the wall clock shows what an operating system can show: that much a node may rely on.
 */
final class NodeStorm {

    static final Timing TIMING = new Timing(Duration.ofMillis(1_000), 0.10);

    private static final long MILLI = 1_000_000;
    private static final long WALL = 1_700_000_000_000_000L;
    /** A clock of 64 bits of nanoseconds since 1970 ends here, in 2262. */
    private static final long LAST_WALL = Long.MAX_VALUE / 1_000;

    private static final long[] ORIGINS = {0, Long.MAX_VALUE, Long.MAX_VALUE - 500 * MILLI, Long.MIN_VALUE, -1};
    private static final int REMEMBERED = 40;
    private static final int MAX_WAITERS = 64;
    private static final int MAX_RELEASES = 1_024;
    /** What a storm of this length can name; in the end none is left. */
    private static final int MAX_SIGHTINGS = 64;

    private static final int MAX_MEMBERS = 63;
    private static final int MAX_LISTS = 1_000;

    private static final int MAX_BUNDLED = 1_024;
    private static final int MAX_CONFIRMING = 1_025;
    /** As many nodes as can wait, two milliseconds each, and one more. */
    private static final long LONGEST_YIELD = (2 * MAX_WAITERS + 1) * MILLI;

    private record Step(Reading now, Event event) {

        @Override
        public String toString() {
            return now.moment().nanos() + " " + now.wallMicros() + " " + event;
        }
    }

    private final SplittableRandom random;
    private final Quorum quorum;
    private final RandomEvents events;
    private final HoldingWitness witness;
    private final int resources;
    private final boolean decoded;
    private final ArrayDeque<Step> history = new ArrayDeque<>();
    private long wallOffsetMicros;
    private long lastGiveUp;
    private long incarnations;
    private int mostClaims;

    final NodeId self;
    final boolean wallClockIsSet;
    final LocalUsers users = new LocalUsers();
    final Node node;
    private final long origin;
    private long elapsed;

    NodeStorm(SplittableRandom random, NodeId self, Quorum quorum, int resources) {
        this.random = random;
        this.self = self;
        this.quorum = quorum;
        this.resources = resources;
        this.decoded = random.nextBoolean();
        this.wallClockIsSet = random.nextInt(4) == 0;
        this.origin = random.nextBoolean() ? random.nextLong() : ORIGINS[random.nextInt(ORIGINS.length)];
        this.events = new RandomEvents(random, self, quorum, TIMING, users, resources, decoded);
        this.witness = new HoldingWitness(self, quorum);
        this.node = newNode(self, random.nextBoolean() ? TIMING.quarantineNanos() : 0);
    }

    Node newNode(NodeId id, long quarantineNanos) {
        Reading now = now();
        Moment end = quarantineNanos == 0 ? null : now.moment().plusNanos(quarantineNanos);
        return new Node(
                id, quorum, TIMING, end, () -> new Incarnation(7, ++incarnations), new SplittableRandom(1), now);
    }

    Reading now() {
        long wall = WALL + elapsed / 1_000 + wallOffsetMicros;
        return new Reading(new Moment(origin + elapsed), Math.max(0, Math.min(LAST_WALL, wall)));
    }

    String history() {
        StringBuilder text = new StringBuilder("node %s of %s".formatted(self, quorum.acceptors()));
        history.forEach(step -> text.append('\n').append(step));
        return text.toString();
    }

    void rage(int steps) {
        for (int i = 0; i < steps; i++) {
            step(events.next(now()));
            if (i % (16 * resources) == 0) {
                assertMemoryIsBounded();
            }
            letTimePass();
        }
        assertMemoryIsBounded();
    }

    private void letTimePass() {
        int kind = random.nextInt(1_000);
        if (kind == 0) {
            pass(random.nextLong(Duration.ofDays(365).toNanos()));
        } else if (kind < 10) {
            pass(random.nextLong(3_000 * MILLI));
        } else if (kind < 100) {
            pass(random.nextLong(100 * MILLI));
        } else if (kind < 400) {
            pass(random.nextLong(3 * MILLI));
        } else if (kind < 420) {
            Moment due = node.nextDeadline();
            pass(due == null ? 0 : Math.max(0, now().moment().nanosUntil(due)) + random.nextInt(2));
        } else if (kind < 430 && wallClockIsSet) {
            wallOffsetMicros = switch (random.nextInt(4)) {
                case 0 -> -WALL;
                case 1 -> LAST_WALL - WALL;
                case 2 -> random.nextLong(-3_600_000_000L, 3_600_000_000L);
                default -> 0;
            };
        }
    }

    void pass(long nanos) {
        elapsed += nanos;
    }

    List<Effect> step(Event event) {
        Reading now = now();
        note(now, event);
        users.ask(event);
        witness.hear(event);
        int claims = users.claims();
        mostClaims = Math.max(mostClaims, claims);
        int bound = mostEffects(claims);
        List<Effect> effects = node.step(event, now);
        check(effects.size() <= bound, "more effects than " + bound, event);
        for (Effect effect : OneByOne.of(effects)) {
            users.hear(effect);
            witness.see(effect, now);
            if (effect instanceof Send send) {
                events.overhear(send.message());
                assertCanBeSent(send);
            }
        }
        users.done(event);
        if (event instanceof Event.GiveUp || event instanceof Event.GiveUpTo) {
            lastGiveUp = elapsed;
        } else if (event instanceof Event.Woken && elapsed - lastGiveUp > LONGEST_YIELD) {
            users.yieldsAreOver();
        }
        return effects;
    }

    private void note(Reading now, Event event) {
        history.add(new Step(now, event));
        if (history.size() > REMEMBERED) {
            history.remove();
        }
    }

    /**
     * No time passes in a step, so per resource at most one tenure ends and three attempts begin: each prepares, proposes
     * and releases. A release that the own acceptor takes wakes those that wait there. Beyond that, each request and each
     * renewal is answered once, and the recent releases are repeated once.
     */
    private int mostEffects(int claims) {
        int perClaim = 10 * quorum.size() + 4 * MAX_WAITERS + 4;
        int ofWatches = RandomWatches.PREFIXES.size() * (events.nodes() + quorum.size() + 1);
        return (claims + 1) * perClaim + users.requests() + users.renewals() + MAX_RELEASES + ofWatches;
    }

    /** What a node makes of what the codec let through passes the codec. */
    private void assertCanBeSent(Send send) {
        check(!send.to().equals(self), "a node sends itself nothing", send);
        if (decoded) {
            ByteBuf out = Unpooled.buffer();
            MessageCodec.encode(out, send.message());
            check(MessageCodec.decode(out).equals(send.message()), "a message changes on its way", send);
        }
    }

    private static void check(boolean holds, String what, Object subject) {
        if (!holds) {
            throw new AssertionError(what + ": " + subject);
        }
    }

    private void assertMemoryIsBounded() {
        Map<String, Integer> sizes = NodeMemory.of(node);
        sizes.forEach((name, size) -> assertThat(size).as(name).isBetween(0, bound(name)));
    }

    /** Nothing that others say makes a node remember more of its own work than its users asked for. */
    private int bound(String collection) {
        return switch (collection) {
            case "Quorum.acceptors", "Quorum.index", "AttemptDriver.unreachable" -> quorum.size();
            case "Question.ready",
                    "Question.behind",
                    "Seal.standings",
                    "SealAwareness.known",
                    "MemberList.members",
                    "PendingGenerations.runners" -> quorum.size();
            case "Nominations.open" -> Nominations.MOST;
            case "Question.answers" -> quorum.size();
            case "Question.ofOne" -> PaxosMessage.Nominated.MOST;
            case "GenerationPolls.asked" -> 16;
            case "PendingGenerations.others" -> 64;
            case "SlotTable.size" -> resources + RandomWatches.LEASES;
            // One for the promise and one for the record of each, and the number of none.
            case "Incarnations.numbers" -> 2 * (resources + RandomWatches.LEASES);
            case "RecordLog.entries", "RecordLog.byVersion", "RecordLog.ended", "WatchServer.changed" ->
                RandomWatches.LEASES;
            case "WatchServer.subscribers" -> events.nodes();
            case "WatchServer.byPrefix", "WatchServer.lengths", "Subscriber.subscriptions" ->
                RandomWatches.PREFIXES.size();
            // With those that are over, until it is their turn.
            case "WatchServer.due" -> 64 * RandomWatches.PREFIXES.size() * events.nodes();
            case "Waiters.byResource", "QueueTimers.queues", "OverflowQueue.byResource", "RecordNotes.byPlace" ->
                resources + RandomWatches.LEASES;
            case "OfOne.inOrder", "OfOne.places" -> events.nodes();
            case "Waiters.ofOne" -> MAX_WAITERS;
            case "KnownBatches.proposers", "OfOne.lists" -> MAX_LISTS;
            case "Waiters.reached", "Share.accounts", "ConfigurationGuard.running" -> events.nodes();
            case "ConfigurationGuard.sightings" -> MAX_SIGHTINGS;
            case "ConfigurationGuard.members", "Other.members", "OtherConfiguration.members" -> MAX_MEMBERS;
            case "RenewalBatches.all", "RenewalRounds.byAttempt", "RenewalBatches.gathering" -> users.claims();
            case "RenewalBatch.members", "TenureList.resources" -> MAX_BUNDLED;
            case "Confirmations.claims" -> MAX_CONFIRMING + 2 * mostClaims;
            case "RecentReleases.entries" -> MAX_RELEASES;
            case "ReportedWaiters.asking" -> quorum.size();
            case "ResourceTable.states" -> users.claims();
            case "Timers.queue" -> 4 * mostClaims + MAX_WAITERS + 1 + 4 * Nominations.MOST + 8 * events.nodes();
            case "RequestQueue.queue", "RequestQueue.limited" -> users.requests();
            case "Claim.renewals", "AttemptHints.renewals" -> users.renewals();
            case "EffectBuffer.toSelf", "EffectBuffer.effects" -> 0;
            default -> throw new AssertionError("Give a bound for " + collection);
        };
    }

    /** The users leave, the clock is set right, the network heals; then nobody says anything for long enough. */
    void calmDown() {
        wallOffsetMicros = 0;
        for (List<Event> last = users.endAll(); !last.isEmpty(); last = users.endAll()) {
            last.forEach(this::step); // which may make room for a request that is withdrawn only later
        }
        quorum.acceptors().forEach(acceptor -> step(new Event.Reachable(acceptor)));
        long end = elapsed + 5 * TIMING.quarantineNanos();
        for (int wakes = 0; elapsed < end; wakes++) {
            assertThat(wakes).as("times that an idle node wakes").isLessThan(1_000);
            Moment due = node.nextDeadline();
            pass(due == null ? end - elapsed : Math.max(0, now().moment().nanosUntil(due)));
            step(new Event.Woken());
        }
        users.assertAllAnswered();
    }

    /** Two quarantines after the last word about it, and after the longest exclusion, a resource costs nothing. */
    void assertNothingIsLeft() {
        Map<String, Integer> sizes = NodeMemory.of(node);
        for (String name : List.of(
                "SlotTable.size",
                "Incarnations.numbers",
                "KnownBatches.proposers",
                "ResourceTable.states",
                "RenewalBatches.all",
                "RenewalRounds.byAttempt",
                "RenewalBatches.gathering")) {
            assertThat(sizes.getOrDefault(name, 0)).as(name).isZero();
        }
    }

    /** A node that has stopped has answered everybody, and says nothing any more. */
    void stop() {
        step(new Event.Shutdown());
        users.assertAllAnswered();
        assertThat(node.nextDeadline()).isNull();
        for (int i = 0; i < 10; i++) {
            assertThat(node.step(events.next(now()), now())).isEmpty();
            letTimePass();
        }
    }
}
