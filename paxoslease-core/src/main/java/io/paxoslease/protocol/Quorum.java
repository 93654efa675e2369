package io.paxoslease.protocol;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The acceptors that decide, and which sets of them do: the majorities of one list, any two of which intersect; or, while one list
 * follows another, the sets that have a majority of each (section 9). Immutable.
 */
public final class Quorum {

    /** The mode of a cell that has never changed. */
    public static final int FIRST = 2;

    private final int mode;
    private final long content;
    private final List<NodeId> acceptors;
    private final Map<NodeId, Integer> index = new HashMap<>();
    /** The members of each list, by index. */
    private final long[] lists;

    /** @param acceptors one to 63 distinct members, of a cell that has never changed */
    public Quorum(List<NodeId> acceptors) {
        this(FIRST, 0, List.of(acceptors));
    }

    private Quorum(int mode, long content, List<List<NodeId>> lists) {
        this.mode = mode;
        this.content = content;
        this.acceptors = lists.stream().flatMap(List::stream).distinct().toList();
        acceptors.forEach(acceptor -> index.put(acceptor, index.size()));
        for (List<NodeId> list : lists) {
            if (list.isEmpty()
                    || index.size() >= Long.SIZE
                    || list.size() != list.stream().distinct().count()) {
                throw new IllegalArgumentException("A cell has 1 to 63 distinct acceptors, not " + list);
            }
        }
        this.lists = lists.stream()
                .mapToLong(list ->
                        list.stream().mapToLong(member -> 1L << indexOf(member)).sum())
                .toArray();
    }

    /** The majorities of the list of a generation with that {@link Generation#content}. */
    public static Quorum ofList(int generation, long content, List<NodeId> members) {
        return new Quorum(alone(generation), content, List.of(members));
    }

    /** The sets that have a majority of each list: they meet every majority of either. */
    public static Quorum joint(int generation, long content, List<NodeId> previous, List<NodeId> current) {
        return new Quorum(joint(generation), content, List.of(previous, current));
    }

    /** The mode in which the list of a generation decides alone: NEW of this generation, OLD of the next. */
    public static int alone(int generation) {
        return 2 * generation;
    }

    /** The mode in which a generation's list decides with the one before it: JOINT. */
    public static int joint(int generation) {
        return alone(generation) - 1;
    }

    /** Names which acceptors decide: {@link #alone} or {@link #joint} of a generation. */
    public int mode() {
        return mode;
    }

    /** The {@link Generation#content} of the generation. */
    public long content() {
        return content;
    }

    public List<NodeId> acceptors() {
        return acceptors;
    }

    public int size() {
        return acceptors.size();
    }

    /** The least number of distinct acceptors of which any two sets intersect, where one list decides. */
    public int majority() {
        return acceptors.size() / 2 + 1;
    }

    /**
     * Whether they can decide.
     *
     * @param chosen a set of acceptors, as bits by index
     */
    public boolean isMajority(long chosen) {
        return majorities(chosen) == lists.length;
    }

    /** Whether nothing can be decided without one of them, because they are a majority of a list. */
    public boolean isMajorityOfOneList(long chosen) {
        return majorities(chosen) > 0;
    }

    private int majorities(long chosen) {
        int majorities = 0;
        for (long list : lists) {
            majorities += 2 * Long.bitCount(list & chosen) > Long.bitCount(list) ? 1 : 0;
        }
        return majorities;
    }

    /** Whether the node is one of the acceptors. */
    public boolean contains(NodeId node) {
        return index.containsKey(node);
    }

    public int indexOf(NodeId acceptor) {
        Integer i = index.get(acceptor);
        if (i == null) {
            throw new IllegalArgumentException(acceptor + " is no acceptor of this cell");
        }
        return i;
    }
}
