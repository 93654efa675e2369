package io.paxoslease.protocol.paxos;

import io.paxoslease.protocol.AcquireRequest;
import io.paxoslease.protocol.AcquireRequest.WaitMode;
import io.paxoslease.protocol.Event;
import io.paxoslease.protocol.Event.Received;
import io.paxoslease.protocol.Incarnation;
import io.paxoslease.protocol.Message;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Quorum;
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
import io.paxoslease.protocol.paxos.PaxosMessage.Refusal;
import io.paxoslease.protocol.paxos.PaxosMessage.Refused;
import io.paxoslease.protocol.paxos.PaxosMessage.Release;
import io.paxoslease.protocol.paxos.PaxosMessage.Released;
import io.paxoslease.protocol.paxos.PaxosMessage.Stale;
import io.paxoslease.protocol.paxos.PaxosMessage.UnknownBatch;
import io.paxoslease.testing.RandomFrames;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Draws events of every kind for one node: what members, strangers and the node itself might say, often as a forged answer
 * to what the node has just asked, with fields at their extremes.
 */
final class RandomEvents {

    private static final List<Refusal> REFUSALS = List.of(Refusal.values());

    private static final int STRANGERS = 80;
    private static final int REMEMBERED = 48;
    private static final int FEW = 1_000;
    private static final Duration LONGEST_WAIT = Duration.ofDays(365);

    private final SplittableRandom random;
    private final RandomFrames extremes;
    private final List<NodeId> nodes = new ArrayList<>();
    private final int members;
    private final Timing timing;
    private final LocalUsers users;
    private final int resources;
    /** What came over a connection has been decoded, so that amounts are not negative. */
    private final boolean decoded;

    /** Its users take and give up many leases, and nothing makes it forget that it did. */
    private final boolean busy;

    private final ArrayDeque<Event> planned = new ArrayDeque<>();
    private final ArrayDeque<Message> asked = new ArrayDeque<>();
    private long ids;
    private long questions;
    /** Apart, so that what else is drawn does not depend on it. */
    private final SplittableRandom nominations = new SplittableRandom(14);

    private final RandomWatches watches = new RandomWatches(nodes);

    RandomEvents(
            SplittableRandom random,
            NodeId self,
            Quorum quorum,
            Timing timing,
            LocalUsers users,
            int resources,
            boolean decoded) {
        this.random = random;
        this.extremes = new RandomFrames(random);
        this.timing = timing;
        this.users = users;
        this.resources = resources;
        this.decoded = decoded;
        this.busy = resources > FEW;
        nodes.addAll(quorum.acceptors());
        if (!quorum.contains(self)) {
            nodes.add(self);
        }
        members = nodes.size();
        IntStream.range(0, STRANGERS).forEach(i -> nodes.add(new NodeId("stranger-" + i)));
    }

    /** How many different nodes there are. */
    int nodes() {
        return nodes.size();
    }

    /** What the node says is what answers can be forged to. */
    void overhear(Message message) {
        asked.add(message);
        if (asked.size() > REMEMBERED) {
            asked.remove();
        }
    }

    Event next(Reading now) {
        Event next = planned.poll();
        if (next == null && !busy) {
            next = watches.next(now);
        }
        if (next != null) {
            return next;
        }
        if (busy && random.nextInt(16) > 0) {
            return random.nextBoolean() ? new Event.Acquire(request(now)) : giveUp();
        }
        if (random.nextInt(300) == 0) {
            planCrowd(now);
        }
        int kind = random.nextInt(100);
        if (kind < 60) {
            return new Received(node(), message(now));
        } else if (kind < 70) {
            return new Event.Woken();
        } else if (kind < 80) {
            return new Event.Acquire(request(now));
        } else if (kind < 83) {
            return withdraw();
        } else if (kind < 88) {
            return giveUp();
        } else if (kind < 90) {
            String resource = pick(users.tenures().keySet(), this::resource);
            return new Event.InUse(resource, token(resource));
        } else if (kind < 93) {
            String resource = pick(users.tenures().keySet(), this::resource);
            return random.nextInt(3) == 0
                    ? new Event.Annotate(resource, token(resource), note())
                    : new Event.Renew(resource, token(resource), duration(), ++ids);
        } else if (kind < 96) {
            return busy ? new Event.Woken() : new Event.Reachable(node());
        } else if (kind < 98) {
            return busy ? new Event.Woken() : new Event.Unreachable(node());
        } else if (kind < 99) {
            List<NodeId> members = List.of(node(), node(), new NodeId("n" + random.nextInt(200)));
            return new Event.OtherConfiguration(node(), members, duration(), "something differs", false);
        }
        return new Event.ClocksDisagree(!busy && random.nextBoolean());
    }

    /** Everybody wants what one of them has just been given. */
    private void planCrowd(Reading now) {
        String resource = resource();
        Ballot first = new Ballot(now.wallMicros(), new Incarnation(9, 100));
        planned.add(new Received(node(), new Propose(resource, first, timing.maxLeaseNanos(), 1)));
        Ballot later = new Ballot(now.wallMicros() + 1, new Incarnation(9, 101));
        long lease = timing.maxLeaseNanos();
        nodes.forEach(node -> planned.add(new Received(
                node,
                random.nextBoolean()
                        ? new Prepare(resource, later, 1)
                        : new Propose(resource, later, lease, 1, queueMode(), counter(now), after(now), note()))));
    }

    private Event withdraw() {
        long id = pick(users.open().keySet(), () -> random.nextLong(ids + 2));
        String resource = users.open().get(id);
        return new Event.Withdraw(resource == null || random.nextInt(8) == 0 ? resource() : resource, id);
    }

    private Event giveUp() {
        String resource = pick(users.tenures().keySet(), this::resource);
        long token = token(resource);
        return switch (nominations.nextInt(4)) {
            case 0 -> new Event.GiveUpTo(resource, token, nominee());
            case 1 -> new Event.Nominate(resource, token, anyNominee(), nominations.nextLong(), ++questions);
            default -> new Event.GiveUp(resource, token);
        };
    }

    private NodeId nominee() {
        return nodes.get(nominations.nextInt(nodes.size()));
    }

    private @Nullable NodeId anyNominee() {
        return nominations.nextBoolean() ? null : nominee();
    }

    private long token(String resource) {
        Long token = users.tenures().get(resource);
        return token == null || random.nextInt(8) == 0 ? extremes.number() : token;
    }

    private AcquireRequest request(Reading now) {
        Moment giveUpAt =
                switch (random.nextInt(4)) {
                    case 0 -> now.moment().plusNanos(random.nextLong(-1_000_000_000, 3_000_000_000L));
                    case 1 -> now.moment().plusNanos(LONGEST_WAIT.toNanos());
                    default -> null;
                };
        WaitMode waitMode = random.nextInt(4) == 0 ? WaitMode.TRY_ONCE : WaitMode.WAIT;
        long held = random.nextInt(4) == 0 ? duration() : 0;
        return new AcquireRequest(
                ++ids, resource(), duration(), random.nextBoolean(), waitMode, giveUpAt, false, note(), held);
    }

    /** A member most of the time, be it the node itself. */
    private NodeId node() {
        return nodes.get(random.nextInt(4) == 0 ? random.nextInt(nodes.size()) : random.nextInt(members));
    }

    private Message message(Reading now) {
        Message question = pick(asked, () -> null);
        if (question != null && random.nextInt(3) > 0) {
            return answer(question, now);
        }
        return random.nextInt(3) > 0 ? request(question, now) : answer(request(question, now), now);
    }

    private Message request(@Nullable Message about, Reading now) {
        String resource = about instanceof Prepare prepare ? prepare.resource() : resource();
        Ballot ballot = ballot(now);
        return switch (random.nextInt(6)) {
            case 0 -> new Prepare(resource, ballot, attempt());
            case 5 -> new PaxosMessage.StillInUse(resource, ballot.incarnation());
            case 1, 2 ->
                new Propose(resource, ballot, duration(), attempt(), queueMode(), counter(now), after(now), note());
            case 3 ->
                new Extend(
                        ballot.incarnation(),
                        attempt(),
                        duration(),
                        random.nextInt(6),
                        many(() -> new Extension(resource(), counter(now))));
            default -> release(new Release(resource, ballot.incarnation(), ballot.counter()));
        };
    }

    private Message release(Release release) {
        return switch (nominations.nextInt(4)) {
            case 0 -> new PaxosMessage.ReleaseTo(release, nominee());
            case 1 ->
                new PaxosMessage.Nominate(
                        release.resource(),
                        release.incarnation(),
                        release.upToCounter(),
                        nominations.nextInt(4),
                        anyNominee());
            default -> release;
        };
    }

    private PaxosMessage.Nominated nominated(String resource, long question) {
        return new PaxosMessage.Nominated(
                resource,
                question,
                Stream.generate(() -> new Candidate(
                                nominee(), nominations.nextLong(Long.MAX_VALUE), nominations.nextBoolean()))
                        .limit(nominations.nextInt(PaxosMessage.Nominated.MOST))
                        .toList());
    }

    /** An answer that fits the question, save that now and then one field does not. */
    private Message answer(Message question, Reading now) {
        if (question instanceof Prepare m) {
            boolean agrees = random.nextInt(3) > 0;
            return agrees
                    ? new Open(m.resource(), near(m.ballot()), near(m.attempt()))
                    : reply(m.resource(), near(m.ballot()), near(m.attempt()), now);
        } else if (question instanceof Propose m) {
            if (random.nextInt(8) == 0) {
                Ballot ballot = near(m.ballot());
                return new PaxosMessage.Wanted(
                        m.resource(), ballot.incarnation(), ballot.counter(), counter(now), random.nextBoolean());
            }
            boolean agrees = random.nextInt(3) > 0;
            return agrees
                    ? new Accepted(m.resource(), near(m.ballot()), near(m.attempt()))
                    : reply(m.resource(), near(m.ballot()), near(m.attempt()), now);
        } else if (question instanceof Extend m) {
            if (random.nextInt(8) == 0) {
                return new UnknownBatch(m.incarnation(), near(m.attempt()));
            }
            boolean knows = random.nextInt(3) > 0;
            return new Extended(
                    m.incarnation(),
                    near(m.attempt()),
                    knows ? List.of() : many(this::position),
                    random.nextBoolean() ? List.of() : many(this::position));
        } else if (question instanceof PaxosMessage.Nominate m) {
            return nominated(m.resource(), m.question());
        } else if (question instanceof Release m) {
            return new Released(m.resource(), (int) amount(random.nextInt(-2, 0x1_0000)));
        }
        return reply(resource(), ballot(now), attempt(), now);
    }

    private String note() {
        return random.nextInt(3) > 0 ? "" : "note " + random.nextInt(4);
    }

    private long after(Reading now) {
        return random.nextBoolean() ? 0 : counter(now);
    }

    private PaxosMessage.QueueMode queueMode() {
        PaxosMessage.QueueMode[] all = PaxosMessage.QueueMode.values();
        return all[random.nextInt(all.length)];
    }

    private int position() {
        return random.nextInt(8) == 0 ? 0xFFFF : random.nextInt(8);
    }

    private Message reply(String resource, Ballot ballot, long attempt, Reading now) {
        return switch (random.nextInt(6)) {
            case 0 -> new Open(resource, ballot, attempt);
            case 1 -> new Accepted(resource, ballot, attempt, random.nextBoolean());
            case 2 ->
                new Held(
                        resource,
                        ballot,
                        attempt,
                        ballot(now),
                        node(),
                        duration(),
                        counter(now),
                        random.nextBoolean(),
                        random.nextInt(4) == 0 ? duration() : 0,
                        note());
            case 4 -> new PaxosMessage.InUse(resource, ballot, attempt);
            case 3 -> new Stale(resource, ballot, attempt, counter(now));
            default -> {
                Refusal reason = REFUSALS.get(random.nextInt(REFUSALS.size()));
                yield new Refused(resource, ballot, attempt, reason, counter(now));
            }
        };
    }

    private Ballot near(Ballot ballot) {
        return switch (random.nextInt(24)) {
            case 0 -> new Ballot(amount(ballot.counter() + 1), ballot.incarnation());
            case 1 -> new Ballot(ballot.counter(), incarnation());
            default -> ballot;
        };
    }

    private long near(long attempt) {
        return random.nextInt(12) == 0 ? attempt() : attempt;
    }

    private Ballot ballot(Reading now) {
        return new Ballot(counter(now), incarnation());
    }

    /** Now and then the node's own. */
    private Incarnation incarnation() {
        Message said = pick(asked, () -> null);
        if (said instanceof Prepare prepare) {
            return prepare.ballot().incarnation();
        }
        return new Incarnation(9, random.nextInt(4));
    }

    private long counter(Reading now) {
        long guard = timing.aheadGuardNanos() / 1_000;
        return amount(
                switch (random.nextInt(5)) {
                    case 0 -> extremes.number();
                    case 1 -> now.wallMicros() + guard + random.nextInt(-1, 2);
                    case 2 -> now.wallMicros() + random.nextLong(-3 * guard, 3 * guard);
                    case 3 ->
                        pick(asked, () -> null) instanceof Propose said
                                ? said.ballot().counter()
                                : 0;
                    default -> now.wallMicros();
                });
    }

    private long attempt() {
        return random.nextInt(4) == 0 ? extremes.number() : random.nextInt(64);
    }

    private long duration() {
        long longest = timing.maxLeaseNanos();
        return amount(
                switch (random.nextInt(10)) {
                    case 0 -> extremes.number();
                    case 1 -> longest + random.nextInt(-1, 2);
                    case 2 -> random.nextInt(4);
                    default -> random.nextLong(longest);
                });
    }

    private long amount(long number) {
        return decoded ? number & Long.MAX_VALUE : number;
    }

    private String resource() {
        return "r" + random.nextInt(resources);
    }

    private <T> List<T> many(Supplier<T> element) {
        int size = random.nextInt(4) == 0 ? 64 : random.nextInt(3);
        return Stream.generate(element).limit(size).toList();
    }

    /** One of the elements, rather a late one, or what the alternative yields. */
    private <T> T pick(Iterable<T> all, Supplier<? extends T> alternative) {
        List<T> list = new ArrayList<>();
        for (Iterator<T> i = all.iterator(); i.hasNext() && list.size() < REMEMBERED; ) {
            list.add(i.next());
        }
        return list.isEmpty() || random.nextInt(8) == 0
                ? alternative.get()
                : list.get(Math.max(random.nextInt(list.size()), random.nextInt(list.size())));
    }
}
