package io.paxoslease.node;

import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The elections that a node takes part in. Any thread. */
public final class NodeElections {

    private final Set<NodeElection> all = ConcurrentHashMap.newKeySet();
    private final Observers observers;

    NodeElections(Observers observers) {
        this.observers = observers;
    }

    public List<NodeElection> all() {
        return List.copyOf(all);
    }

    /** From now on the node gives the role up by asking the contest; observers are told of it. */
    public void add(NodeElection contest) {
        if (all.add(contest)) {
            observers.tell(observer -> observer.candidateAdded(contest.role()));
        }
    }

    public void remove(NodeElection contest) {
        all.remove(contest);
    }

    /** Those for the resource. */
    List<NodeElection> of(String resource) {
        return all.stream()
                .filter(contest -> contest.resource().equals(resource))
                .toList();
    }
}
