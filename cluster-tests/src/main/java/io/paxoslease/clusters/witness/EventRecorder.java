package io.paxoslease.clusters.witness;

import io.paxoslease.spring.leader.LeadershipEvent;
import io.paxoslease.spring.leader.LeadershipGrantedEvent;
import io.paxoslease.spring.leader.LeadershipRevokedEvent;
import io.paxoslease.spring.leader.OnGranted;
import io.paxoslease.spring.leader.OnRevoked;
import java.nio.file.Path;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.context.event.EventListener;

/** Writes down what this instance was told, and when: {@code ready}, {@code granted}, {@code revoked}, {@code told-to-stop}. */
class EventRecorder {

    private final LineFile file;

    EventRecorder(Path directory, String node) {
        this.file = new LineFile(directory.resolve(node + ".events"));
    }

    @EventListener
    void ready(ApplicationReadyEvent event) {
        file.append("ready", 0, System.nanoTime());
    }

    @OnGranted(GuardedJob.ROLE)
    void granted(LeadershipGrantedEvent event) {
        record("granted", event);
    }

    @OnRevoked(GuardedJob.ROLE)
    void revoked(LeadershipRevokedEvent event) {
        record("revoked", event);
    }

    /** The first thing that happens on SIGTERM. */
    @EventListener
    void told(ContextClosedEvent event) {
        file.append("told-to-stop", 0, System.nanoTime());
    }

    private void record(String what, LeadershipEvent event) {
        file.append(what, event.leadership().fencingToken(), System.nanoTime());
    }
}
