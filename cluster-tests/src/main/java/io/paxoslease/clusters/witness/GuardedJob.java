package io.paxoslease.clusters.witness;

import io.paxoslease.election.Leadership;
import io.paxoslease.spring.leader.OnLeader;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.springframework.scheduling.annotation.Scheduled;

/**
 * Work that must never be done twice at a time, on a file that all instances share: {@code enter NODE TOKEN T} and
 * {@code exit NODE TOKEN T}. In between it does in steps what may be done by the leader only, and asks before each. T of the exit is
 * read before the last yes: what comes after it, in a process that was paused, no lease can prevent.
 */
class GuardedJob {

    static final String ROLE = "billing";

    private static final int STEPS = 5;

    private final LineFile file;
    private final String node;

    GuardedJob(Path directory, String node) {
        this.file = new LineFile(directory.resolve("work"));
        this.node = node;
    }

    @Scheduled(fixedDelay = 10)
    @OnLeader(ROLE)
    void work() throws InterruptedException {
        Leadership leadership = Leadership.current();
        if (!leadership.isLeader()) {
            return;
        }
        long lastYes = System.nanoTime();
        file.append("enter", node, leadership.fencingToken(), lastYes);
        try {
            for (int step = 0; step < STEPS; step++) {
                TimeUnit.MILLISECONDS.sleep(2);
                long asked = System.nanoTime();
                if (!leadership.isLeader()) {
                    return;
                }
                lastYes = asked;
            }
        } finally {
            file.append("exit", node, leadership.fencingToken(), lastYes);
        }
    }
}
