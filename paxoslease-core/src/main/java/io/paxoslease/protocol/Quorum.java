package io.paxoslease.protocol;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The acceptors of a cell, and which sets of them intersect every other such set: the majorities. Immutable. */
public final class Quorum {

    private final List<NodeId> acceptors;
    private final Map<NodeId, Integer> index = new HashMap<>();

    /** @param acceptors one to 63 distinct members */
    public Quorum(List<NodeId> acceptors) {
        this.acceptors = List.copyOf(acceptors);
        for (NodeId acceptor : acceptors) {
            index.put(acceptor, index.size());
        }
        if (index.size() != acceptors.size() || acceptors.isEmpty() || acceptors.size() >= Long.SIZE) {
            throw new IllegalArgumentException("A cell has 1 to 63 distinct acceptors, not " + acceptors);
        }
    }

    public List<NodeId> acceptors() {
        return acceptors;
    }

    public int size() {
        return acceptors.size();
    }

    /** The least number of distinct acceptors of which any two sets intersect. */
    public int majority() {
        return acceptors.size() / 2 + 1;
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
