package io.paxoslease.clusters.witness;

import io.paxoslease.LossReason;
import io.paxoslease.PaxosLease;
import io.paxoslease.monitor.NodeObserver;
import java.nio.file.Path;

/** Writes down each lease that was lost, which is not to happen while a majority serves: {@code lost RESOURCE REASON T}. */
final class LossRecorder implements NodeObserver {

    private final LineFile file;

    LossRecorder(PaxosLease node, Path directory, String name) {
        this.file = new LineFile(directory.resolve(name + ".losses"));
        node.monitor().addObserver(this);
    }

    @Override
    public void lost(String resource, LossReason reason) {
        file.append("lost", resource, reason, System.nanoTime());
    }
}
