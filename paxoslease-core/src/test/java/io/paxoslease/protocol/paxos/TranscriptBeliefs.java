package io.paxoslease.protocol.paxos;

import io.paxoslease.protocol.LeaseView;
import io.paxoslease.protocol.NodeId;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/** Who believes that it holds what, as a transcript tells it: whenever that changes, and never two at once. */
final class TranscriptBeliefs {

    private final TranscriptCell cell;
    private final TreeMap<String, String> beliefs = new TreeMap<>();

    TranscriptBeliefs(TranscriptCell cell) {
        this.cell = cell;
    }

    void watch(String resource) {
        beliefs.putIfAbsent(resource, "nobody holds " + resource);
    }

    /** What has changed since the last time. A node that is asleep believes nothing. */
    List<String> changes() {
        List<String> changes = new ArrayList<>();
        beliefs.replaceAll((resource, before) -> {
            String now = belief(resource);
            if (!now.equals(before)) {
                changes.add(now);
            }
            return now;
        });
        return changes;
    }

    private String belief(String resource) {
        List<NodeId> holders = new ArrayList<>();
        StringBuilder doubts = new StringBuilder();
        for (NodeId id : cell.ids()) {
            LeaseView view = cell.isAsleep(id) ? null : cell.node(id).view(resource, cell.now(id));
            if (view != null && view.state() == LeaseView.State.HELD && view.remainingNanos() > 0) {
                holders.add(id);
            } else if (view != null && view.state() == LeaseView.State.SUSPECT) {
                doubts.append(", ").append(id).append(" is in doubt");
            }
        }
        if (holders.size() > 1) {
            throw new AssertionError("Two hold " + resource + ": " + holders);
        }
        return (holders.isEmpty() ? "nobody" : holders.get(0)) + " holds " + resource + doubts;
    }
}
