package io.paxoslease.samples.cluster.instance;

import io.paxoslease.spring.leader.LeaderElections;
import io.paxoslease.spring.leader.OnLeader;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/** Work that one instance does: every instance schedules it, and only the leader's calls get through. */
@Component
class BillingJob {

    private static final String ROLE = "billing";

    private final LeaderElections elections;
    private final LauncherReports reports;
    private int ticks;

    BillingJob(LeaderElections elections, LauncherReports reports) {
        this.elections = elections;
        this.reports = reports;
    }

    /** Each tick carries the fencing token, as a real job would pass it to whatever it writes to. */
    @Scheduled(fixedRate = 1000)
    @OnLeader(ROLE)
    void tick() {
        // Read before leadership is asked for: whoever leads later was granted later than this.
        long at = System.currentTimeMillis();
        elections.leadership(ROLE).ifPresent(leadership -> reports.tick(++ticks, leadership.fencingToken(), at));
    }
}
