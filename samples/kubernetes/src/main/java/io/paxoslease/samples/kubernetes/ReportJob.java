package io.paxoslease.samples.kubernetes;

import io.paxoslease.election.Leadership;
import io.paxoslease.spring.leader.OnLeader;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/** Every pod schedules it, one runs it. */
@Component
class ReportJob {

    private static final Logger log = LoggerFactory.getLogger(ReportJob.class);

    @Scheduled(fixedRate = 5000)
    @OnLeader("reports")
    void report() {
        log.info("Reporting (fencing token {})", Leadership.current().fencingToken());
    }
}
