package io.paxoslease.samples.cluster.instance;

import io.paxoslease.election.Leadership;
import io.paxoslease.spring.leader.OnLeader;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/** Work that one instance does: every instance schedules it, and only the leader's calls get through. */
@Component
class BillingJob {

    private final LauncherReports reports;
    private int ticks;

    BillingJob(LauncherReports reports) {
        this.reports = reports;
    }

    /** Each tick carries the fencing token, as a real job would pass it to whatever it writes to. */
    @Scheduled(fixedRate = 1000)
    @OnLeader("billing")
    void tick() {
        // Read before the leadership is read: any later leader was granted later than this.
        long at = System.currentTimeMillis();
        Leadership leadership = Leadership.current();
        if (leadership.isLeader()) {
            reports.tick(++ticks, leadership.fencingToken(), at);
        }
    }
}
