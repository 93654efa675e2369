package io.paxoslease.shards.plan;

import io.paxoslease.protocol.Moment;
import io.paxoslease.shards.plan.Participant.State;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** One instance, n1 of revision r1, whose view, leases and clock a test moves by hand. */
final class HandGroup {

    final Participation participation;
    final BitSet unknown = new BitSet();

    private final Map<String, Participant> participants = new TreeMap<>();
    private final @Nullable String[] owners;
    private final TreeSet<Integer> asked = new TreeSet<>();
    private final TreeSet<Integer> held = new TreeSet<>();
    private long millis;

    HandGroup(int count) {
        this(count, count, 0);
    }

    HandGroup(int count, int maxOwned, int expected) {
        GroupSettings settings = new GroupSettings(
                "g", count, maxOwned, expected, Duration.ofSeconds(3), Duration.ofSeconds(60), Duration.ofSeconds(20));
        this.owners = new String[count];
        this.participation = new Participation(settings, "n1", "r1", 1, now());
    }

    /** Alone, of eight shards, after the start wait: it owns all. */
    static HandGroup owningAll() {
        HandGroup group = new HandGroup(8);
        group.join();
        group.pass(3_000);
        group.grantAsked();
        return group;
    }

    /** It owns eight, and n2, as old, owns none: four are to move. */
    static HandGroup unbalanced() {
        HandGroup group = owningAll();
        group.see("n2", State.ACTIVE, 0, 2, "r1");
        group.pass(60_000);
        return group;
    }

    /** Close to where the clock wraps. */
    Moment now() {
        return new Moment(Long.MAX_VALUE - 5_000_000_000L + millis * 1_000_000);
    }

    List<Decision> decide() {
        List<Decision> decisions = participation.decide(now());
        for (Decision decision : decisions) {
            if (decision instanceof Decision.Publish publish) {
                participants.put("n1", publish.note());
            } else if (decision instanceof Decision.Claim claim) {
                asked.add(claim.shard());
            } else if (decision instanceof Decision.Withdraw withdraw) {
                participation.refused(withdraw.shard(), now());
            } else if (decision instanceof Decision.Release release) {
                held.remove(release.shard());
            }
        }
        return decisions;
    }

    /** Time passes; the instance looks whenever it wanted to. All decisions, but for notes while they only repeat the state. */
    List<Decision> pass(long duration) {
        List<Decision> decisions = new ArrayList<>(decide());
        long end = millis + duration;
        Moment next = participation.nextLook();
        while (next != null && now().nanosUntil(next) <= (end - millis) * 1_000_000) {
            millis += Math.max(1, now().nanosUntil(next) / 1_000_000);
            decisions.addAll(decide());
            next = participation.nextLook();
        }
        millis = Math.max(millis, end);
        return decisions;
    }

    /** Time passes, and the instance does not look. */
    void skip(long duration) {
        millis += duration;
    }

    /** The states of which it tells in that time. */
    List<State> states(long duration) {
        return pass(duration).stream()
                .filter(each -> each instanceof Decision.Publish)
                .map(each -> ((Decision.Publish) each).note().state())
                .toList();
    }

    /** Of 8 shards, n2 owns all. n1 is active, and has just started. */
    static HandGroup withAnOwner() {
        HandGroup group = new HandGroup(8);
        for (int shard = 0; shard < 8; shard++) {
            group.own(shard, "n2");
        }
        group.see("n2", State.ACTIVE, 0, 1, "r1");
        group.join();
        return group;
    }

    @SuppressWarnings("NullAway") // javac 17 does not read annotations of type arguments from class files
    void show() {
        List<@Nullable String> seen = Arrays.asList(owners.clone());
        participation.view(new GroupView(participants, seen, unknown), now());
    }

    /** It becomes active, and is seen to be. Returns what it decides then. */
    List<Decision> join() {
        participation.ready();
        decide();
        pass(1_000);
        show();
        List<Decision> decisions = new ArrayList<>(decide());
        if (decisions.stream().anyMatch(each -> each instanceof Decision.Publish)) {
            show();
            return decide();
        }
        return decisions;
    }

    Participant note() {
        return seen("n1");
    }

    Participant seen(String node) {
        return Objects.requireNonNull(participants.get(node));
    }

    void see(String node, State state, long age, int order, String revision) {
        see(node, state, age, order, revision, node.hashCode());
    }

    void see(String node, State state, long age, int order, String revision, int boot) {
        see(node, new Participant(state, boot, age, order, revision, owners.length, owners.length));
    }

    void see(String node, Participant note) {
        participants.put(node, note);
        show();
    }

    /** Its participant lease has ended. */
    void disappear(String node) {
        participants.remove(node);
        show();
    }

    void own(int shard, String node) {
        owners[shard] = node;
        show();
    }

    void free(int shard) {
        owners[shard] = null;
        show();
    }

    /** The cell grants what was asked for, and the view shows it. */
    void grantAsked() {
        for (int shard : asked) {
            participation.granted(shard, now());
            owners[shard] = "n1";
            held.add(shard);
        }
        asked.clear();
        show();
        decide();
    }

    Set<Integer> held() {
        return held;
    }

    /** Leases of this instance end, and the view shows that. */
    void lose(int... shards) {
        for (int shard : shards) {
            participation.lost(shard);
            owners[shard] = null;
            held.remove(shard);
        }
        show();
    }

    void want(int shard, @Nullable String node) {
        participation.wanted(shard, node);
    }

    void wantAll(String node) {
        IntStream.range(0, owners.length).forEach(shard -> want(shard, node));
    }

    /** The shards that its plan moves, or would move. */
    List<Integer> moves() {
        return IntStream.range(0, owners.length)
                .filter(shard -> switch (participation.why(shard, now()).kind()) {
                    case PARTICIPANTS_CHANGE, SETTLING, REVISIONS_DIFFER, ITS_TURN, RECEIVER_AWAITED, WORK_ENDS -> true;
                    default -> false;
                })
                .boxed()
                .toList();
    }
}
