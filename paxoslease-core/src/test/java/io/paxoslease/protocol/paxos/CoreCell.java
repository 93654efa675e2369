package io.paxoslease.protocol.paxos;

import io.paxoslease.protocol.Generation;
import io.paxoslease.protocol.MemberList;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Reading;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.IntStream;

/**
 * The shape and the bounds of a world of {@link CorePart}s whose members change by generations (section 9). Time is in whole units, and all
 * clocks run alike. Wall clocks stand still, so counters say nothing about time, and tokens are not judged.
 */
public final class CoreCell {

    /** In nanoseconds. */
    static final long UNIT = 10_000_000;

    static final String RESOURCE = "r";
    static final long WALL = 1_700_000_000_000_000L;

    public final String name;
    private final List<Generation> generations = new ArrayList<>();
    private int acceptors;

    /** Of each proposer the counters that it draws, one after the other: so often it asks. */
    int[][] counters = {{1}, {2}};
    /** How often one of them gives up what it has or has asked for. */
    int releases;
    /** They renew by EXTEND as well. */
    boolean extendsToo;
    /** Acceptors move to the next generation by a restart. */
    boolean movesByRestart = true;
    /** They move while they run. */
    boolean movesLive;
    /**
     * They go back to the generation before, by a restart, as long as theirs is not sealed; and who is silent below a sealed generation hears of
     * the seal before it would serve (R7).
     */
    boolean goesBack;
    /**
     * An acceptor knows at once that its own generation is sealed, and never that the next one is. Where lease times do not change that leaves
     * nothing out: who knows of its own takes more, and who knows of the next takes less.
     */
    boolean learnsAtOnce;
    /** Acceptors are asked where they stand now and then; else all the time. */
    boolean asksNowAndThen;
    /**
     * With {@link #asksNowAndThen}: a question takes any time to an acceptor, and so does its answer. Those of the next list, without which no node takes
     * the generation for sealed, come at any time. One question at a time is under way to an acceptor.
     */
    boolean answersLate;
    /** A restart may give an acceptor another content of its generation, which R6 forbids. */
    public boolean changesContents;
    /** How many units the silence after a restart is short of what it must be. */
    public int quarantineShortBy;

    CoreCell(String name) {
        this.name = name;
    }

    /** The first generation, or the one that follows the last one. */
    CoreCell then(int longestLeaseUnits, int... members) {
        MemberList list = list(longestLeaseUnits, members);
        int number = generations.isEmpty() ? 1 : last().number() + 1;
        generations.add(number == 1 ? Generation.first(list) : new Generation(number, list, last().current()));
        return this;
    }

    /** Another content of the last generation, to which acceptors move instead. */
    CoreCell or(int longestLeaseUnits, int... members) {
        generations.add(new Generation(last().number(), list(longestLeaseUnits, members), last().previous()));
        return this;
    }

    private MemberList list(int longestLeaseUnits, int... members) {
        List<NodeId> ids = new ArrayList<>();
        for (int member : members) {
            ids.add(id(member));
            acceptors = Math.max(acceptors, member + 1);
        }
        return new MemberList(ids, Duration.ofNanos(longestLeaseUnits * UNIT), 0);
    }

    private Generation last() {
        return generations.get(generations.size() - 1);
    }

    int acceptors() {
        return acceptors;
    }

    /** How many there are, contents of one generation counted each. They are numbered in this order from one on. */
    int contents() {
        return generations.size();
    }

    Generation content(int number) {
        return generations.get(number - 1);
    }

    /** The contents of the generation that follows. */
    List<Integer> after(int content) {
        return numbers(other -> content(content).isFollowedBy(other));
    }

    /** The generation before. */
    List<Integer> before(int content) {
        return numbers(other -> other.isFollowedBy(content(content)));
    }

    /** The other contents of the same generation. */
    List<Integer> others(int content) {
        Generation own = content(content);
        return numbers(other -> other.number() == own.number() && !other.equals(own));
    }

    private List<Integer> numbers(Predicate<Generation> condition) {
        return IntStream.rangeClosed(1, contents())
                .filter(number -> condition.test(content(number)))
                .boxed()
                .toList();
    }

    /** The first one that names the acceptor, which it is of from the start. */
    int firstOf(int acceptor) {
        int number = 1;
        while (!content(number).current().members().contains(id(acceptor))) {
            number++;
        }
        return number;
    }

    static NodeId id(int acceptor) {
        return new NodeId(String.valueOf((char) ('a' + acceptor)));
    }

    static NodeId proposerId(int number) {
        return new NodeId(String.valueOf((char) ('x' + number)));
    }

    static Reading reading(Moment now) {
        return new Reading(now, WALL);
    }
}
