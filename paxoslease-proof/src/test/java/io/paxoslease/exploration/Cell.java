package io.paxoslease.exploration;

import io.paxoslease.protocol.Generation;
import io.paxoslease.protocol.MemberList;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Timing;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The shape and the bounds of a small world. Times are in units, each node's clock runs at a whole number of local units
 * per unit of real time, and the bound on the rates is such that gamma is a whole number.
 */
final class Cell {

    /** A unit of time, in nanoseconds: no shorter than what the production constants round to. */
    static final long UNIT = 10_000_000;

    /** Wall clock at time zero, in microseconds. */
    static final long WALL = 1_700_000_000_000_000L;

    final String name;
    /** Explored in the deep build only. */
    boolean deep;

    int acceptors = 3;
    int proposers;
    /** How often each node may ask, nodes in order; none beyond the end. */
    int[] acquires = {1, 0, 1};

    int leaseUnits = 2;
    /** What a holder asks for when it wishes to hold on; zero for the same as before. */
    int renewalUnits;

    int maxLeaseUnits = 2;
    int gamma = 1;
    /** Epsilon; zero: the cell runs PaxosLease. */
    int boundUnits;
    /** Clocks are compared by messages as others are; else at once, with what the others' clocks show when nobody sets them. */
    boolean comparesByMessage;

    int[] rates = {};
    long[] origins = {};
    /** How far the wall clocks are ahead; an acceptor's floor is below what others draw at the same time when it is behind. */
    int[] wallOffsetsMillis = {};

    boolean renewed;
    int horizon = 6;
    int releases;
    int renewals;
    int restarts;
    int repetitions;
    int suspicions;
    int withdrawals;
    /** How many attempts each life of a node makes: what would come after is not looked at. */
    int attempts = 2;
    /** The same for single nodes, in order; the number of all beyond the end. */
    int[] attemptsOf = {};

    int wallSteps;
    /** By how many units a wall clock is set back by each step; negative: forward. */
    int wallStepUnits;

    int sleeps;
    /** Which machine may be suspended. */
    int sleeper;
    /** How long a machine is suspended. */
    int sleepUnits;

    /** A restarted process is wrongly given its old incarnation; two processes wrongly share one. */
    boolean keepsIncarnation;

    boolean sharesIncarnation;
    boolean checksTokens;
    /** How many units the silence after a restart is short of what it must be. */
    int quarantineShortBy;
    /** What users do, and which processes die, in this order; empty when that is left to chance as well. */
    List<Action> story = List.of();

    /**
     * Messages that are always held back for a while: the sender's number and the kind, as in {@code 0 Release}, and for
     * those to one node only its number as well, as in {@code 0 Release 2}.
     */
    Set<String> late = Set.of();

    /** The acceptors that each node believes in; empty for the same everywhere. */
    int[][] members = {};

    /** The same after a node was restarted; restarted again, it is back at the first. Empty: as before. */
    int[][] membersAfter = {};

    /** The same after one restart more, where that changes the content of a generation. Empty: a node is back at the first. */
    int[][] membersThen = {};

    /** Which nodes may restart; empty: every one. */
    Set<Integer> restarting = Set.of();

    /** What happens without the guard. */
    boolean unguarded;

    /** The change is marked: it is a generation that follows another (section 9, R1 to R8), and nothing is guarded against. */
    boolean marked;

    /**
     * Contents of one generation differ. Nodes connect with those that production takes, and acceptors that start are guarded against the
     * others (R6).
     */
    boolean contested;

    /** Nodes that are not there before they are started, which counts as a restart. */
    Set<Integer> startedLater = Set.of();

    /** Nodes that move to the next generation while they run, as a store says that it follows: what is a restart of others. */
    Set<Integer> live = Set.of();

    /** Nodes that run a third generation from the start, each alone in its list. */
    Set<Integer> ofThird = Set.of();

    /** Nodes that hear of no generation but their own. */
    Set<Integer> deaf = Set.of();

    /** Nodes go back to the list before also after the seal: what nothing protects against. */
    boolean returns;

    /** From which node on nodes have only just started at the beginning, beside the others, which have served for long. */
    int firstNewcomer = Integer.MAX_VALUE;

    /** The longest lease of a node that was restarted; zero: as before. */
    int maxLeaseUnitsAfter;

    private final Map<List<Integer>, Generation> generations = new HashMap<>();
    private @Nullable Contests contests;

    Cell(String name) {
        this.name = name;
    }

    /** Chance decides only what becomes of messages and time; each line is one of a {@link Script}. */
    void story(String lines) {
        story = Script.parse(lines.lines().map(String::strip).toList());
        acquires = new int[size()];
        releases = renewals = restarts = suspicions = withdrawals = wallSteps = sleeps = 0;
        for (Action action : story) {
            if (action instanceof Action.Acquire acquire) {
                acquires[acquire.node()]++;
            }
            releases += action instanceof Action.Release ? 1 : 0;
            renewals += action instanceof Action.Renew ? 1 : 0;
            restarts += action instanceof Action.Restart ? 1 : 0;
            suspicions += action instanceof Action.Suspect ? 1 : 0;
            withdrawals += action instanceof Action.Withdraw ? 1 : 0;
            wallSteps += action instanceof Action.SetBack ? 1 : 0;
            sleeps += action instanceof Action.Sleep ? 1 : 0;
        }
    }

    /** The same bounds for the release, which draws incarnations as it must. */
    Cell withProperIncarnations() {
        keepsIncarnation = false;
        sharesIncarnation = false;
        return this;
    }

    boolean allows(Action action) {
        return !(action instanceof Action.Restart restart)
                || restarting.isEmpty()
                || restarting.contains(restart.node());
    }

    boolean isFlease() {
        return boundUnits > 0;
    }

    int size() {
        return acceptors + proposers;
    }

    int rate(int node) {
        return node < rates.length ? rates[node] : 1;
    }

    long origin(int node) {
        return node < origins.length ? origins[node] : 0;
    }

    long wallOffsetMicros(int node) {
        return node < wallOffsetsMillis.length ? wallOffsetsMillis[node] * 1_000L : 0;
    }

    int acquires(int node) {
        return node < acquires.length ? acquires[node] : 0;
    }

    int attempts(int node) {
        return node < attemptsOf.length ? attemptsOf[node] : attempts;
    }

    long renewalNanos() {
        return (renewalUnits == 0 ? leaseUnits : renewalUnits) * UNIT;
    }

    /** Whether the nodes do not all run one configuration all the time, and are guarded against that. */
    boolean changes() {
        return membersAfter.length > 0 && !marked;
    }

    /** Whether nodes tell each other what they run. */
    boolean meets() {
        return membersAfter.length > 0;
    }

    /** Who can talk with whom, where contents differ. */
    Contests contests() {
        if (contests == null) {
            contests = new Contests(this);
        }
        return contests;
    }

    /** Whether a message that was sent by such a node reaches such a node: both as {@link Peer#configuration}. */
    boolean reaches(Flight flight, int configuration) {
        if (contested) {
            boolean isThere = isStarted(flight.to(), ExploredMeeting.life(configuration));
            return isThere && contests().connects(flight.to(), configuration, flight.from(), flight.configuration());
        }
        return !changes() || flight.configuration() == configuration;
    }

    boolean isStarted(int node, int life) {
        return life > 0 || !startedLater.contains(node);
    }

    /** What a node runs in that life, where changes are marked. */
    Generation generation(int node, int life) {
        return generations.computeIfAbsent(List.of(node, life), key -> newGeneration(node, life));
    }

    private Generation newGeneration(int node, int life) {
        MemberList before = list(0, 0);
        boolean isGuest = node >= acceptors;
        if (ofThird.contains(node)) {
            MemberList alone = new MemberList(
                    List.of(ExploredWorld.id(node)),
                    timing(1).maxLeaseTime(),
                    timing(1).drift());
            return new Generation(3, alone, list(0, 1));
        }
        return configuration(life) == 0 && (node < firstNewcomer || isGuest)
                ? Generation.first(before)
                : new Generation(2, list(isGuest ? 0 : node, Math.max(1, configuration(life))), before);
    }

    /** What that node is told to run in that life: contents of one generation may differ. */
    private MemberList list(int node, int life) {
        List<NodeId> ids = members(node, life).stream().map(ExploredWorld::id).toList();
        return new MemberList(ids, timing(life).maxLeaseTime(), timing(life).drift());
    }

    /** Which configuration a life runs: the first one, what comes after it, and what comes after that, if there is such a thing. */
    int configuration(int life) {
        return life % (membersThen.length > 0 ? 3 : 2);
    }

    /** The acceptors as that node knows them in that life, by number. */
    List<Integer> members(int node, int life) {
        int changes = meets() ? configuration(life) : 0;
        int[][] lists = changes == 0 ? members : changes == 1 ? membersAfter : membersThen;
        List<Integer> known = new ArrayList<>();
        if (node < lists.length) {
            for (int member : lists[node]) {
                known.add(member);
            }
        } else {
            for (int i = 0; i < acceptors; i++) {
                known.add(i);
            }
        }
        return known;
    }

    Timing timing() {
        return timing(0);
    }

    Timing timing(int life) {
        int units = configuration(life) > 0 && maxLeaseUnitsAfter > 0 ? maxLeaseUnitsAfter : maxLeaseUnits;
        return new Timing(Duration.ofNanos(units * UNIT), (gamma - 1.0) / (gamma + 1.0));
    }
}
