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
import io.paxoslease.protocol.paxos.PaxosMessage.Propose;
import io.paxoslease.protocol.paxos.PaxosMessage.QueueMode;
import io.paxoslease.protocol.paxos.PaxosMessage.Release;
import io.paxoslease.protocol.watch.WatchMessage.Changes;
import io.paxoslease.protocol.watch.WatchMessage.Request;
import io.paxoslease.protocol.watch.WatchedResource;
import io.paxoslease.protocol.watch.WatchedResource.State;
import io.paxoslease.protocol.watch.Watches;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * V1 by chance: an acceptor that remembers few ends and tells in many pages, and a node that watches it over a connection which loses messages
 * and is lost itself. In the end the node knows what the acceptor has.
 */
class WatchStormTest {

    /** For about 150 records and 45 ends. */
    private static final long HEAP = 1 << 20;

    private static final long WALL = 1_700_000_000_000_000L;
    private static final Timing TIMING = new Timing(Duration.ofSeconds(20), 0.1);
    private static final String PREFIX = "shard:g/";
    private static final NodeId MEMBER = new NodeId("a");
    private static final NodeId OWNER = new NodeId("o");
    private static final NodeId WATCHING = new NodeId("w");
    private static final Incarnation OWN = new Incarnation(1, 1);

    private final Quorum quorum = new Quorum(List.of(MEMBER));
    private final EffectBuffer effects = new EffectBuffer(WATCHING);
    private final Watches watches = new Watches(effects, Long.MAX_VALUE);
    private final Map<String, WatchedResource> view = new HashMap<>();
    private final Queue<Message> up = new ArrayDeque<>();
    private final Queue<Message> down = new ArrayDeque<>();
    private Reading now = new Reading(new Moment(0), WALL);
    private final Acceptor acceptor = TestAcceptors.acceptor(TIMING, node -> true, null, HEAP, now);
    private boolean connected = true;
    private boolean current;
    private int snapshots;
    private int pages;

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
    void inTheEndTheNodeKnowsWhatTheAcceptorHas(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        watches.watch(PREFIX, quorum, now.moment());
        for (int i = 0; i < 20_000; i++) {
            step(random);
            work();
        }
        connected(true);
        for (int i = 0; i < 5_000; i++) {
            deliver(up, false);
            deliver(down, false);
            pass(1_000_000);
            work();
        }
        assertThat(current).isTrue();
        Set<String> held = new TreeSet<>();
        view.values().stream().filter(each -> each.state() == State.HELD).forEach(each -> held.add(each.resource()));
        Set<String> live = new TreeSet<>();
        acceptor.addLive(0, Integer.MAX_VALUE, now.moment(), live);
        live.removeIf(each -> !each.startsWith(PREFIX));
        assertThat(held).isEqualTo(live).hasSizeGreaterThan(10);
        assertThat(snapshots).as("all was told so often").isGreaterThan(5);
        assertThat(pages).as("with others in between").isGreaterThan(2 * snapshots);
    }

    private void step(SplittableRandom random) {
        switch (random.nextInt(16)) {
            case 0, 1, 2, 3 -> proposes(name(random), random.nextInt(8) == 0 ? 2 : 18);
            case 4, 5 -> releases(name(random));
            case 6, 7, 8 -> deliver(up, random.nextInt(50) == 0);
            case 9, 10, 11 -> deliver(down, random.nextInt(50) == 0);
            case 12, 13 -> {
                if (random.nextInt(100) == 0) {
                    connected(!connected);
                }
            }
            default -> pass(random.nextLong(12_000_000));
        }
    }

    private void proposes(String resource, int seconds) {
        Ballot ballot = new Ballot(now.wallMicros(), OWN);
        long nanos = Duration.ofSeconds(seconds).toNanos();
        acceptor.propose(OWNER, new Propose(resource, ballot, nanos, 1, QueueMode.NONE, 0), now);
    }

    /** Of leases that are watched, and of others. */
    private static String name(SplittableRandom random) {
        return (random.nextInt(3) == 0 ? "role:" : PREFIX) + random.nextInt(150);
    }

    private void releases(String resource) {
        acceptor.release(OWNER, new Release(resource, OWN, now.wallMicros()), now, (to, message) -> {});
    }

    private void connected(boolean isConnected) {
        up.clear();
        down.clear();
        if (isConnected) {
            watches.reachable(MEMBER, now.moment());
        } else if (connected) {
            acceptor.watchers().unreachable(WATCHING);
            watches.unreachable(MEMBER);
        }
        connected = isConnected;
    }

    private void deliver(Queue<Message> queue, boolean isLost) {
        Message message = queue.poll();
        if (message == null || isLost) {
            return;
        }
        if (message instanceof Changes changes) {
            snapshots += changes.reset() ? 1 : 0;
            pages++;
            watches.hear(MEMBER, changes, now.moment());
        } else {
            acceptor.watchers().serve(WATCHING, (Request) message, now.moment());
        }
    }

    private void pass(long nanos) {
        long at = now.moment().nanos() + nanos;
        now = new Reading(new Moment(at), WALL + at / 1_000);
    }

    /** What both do at the end of a step. */
    private void work() {
        acceptor.notice(now, (to, message) -> {});
        acceptor.tellWatchers(now, (to, message) -> down.add(message));
        watches.finish(quorum, TIMING.quarantineNanos(), now.moment());
        for (Effect effect : effects.take()) {
            if (effect instanceof Effect.Send send) {
                up.add(send.message());
            } else if (effect instanceof Effect.Watched told) {
                current = told.current();
                if (told.all()) {
                    view.clear();
                }
                told.changes().forEach(each -> view.put(each.resource(), each));
            }
        }
    }
}
