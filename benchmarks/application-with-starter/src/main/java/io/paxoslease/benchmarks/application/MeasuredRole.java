package io.paxoslease.benchmarks.application;

import io.paxoslease.spring.leader.OnLeader;
import org.springframework.stereotype.Component;

/** One role, which the application contests as soon as it is ready. */
@Component
class MeasuredRole {

    @OnLeader
    void runsOnTheLeader() {
        // What costs is that the role is contested.
    }
}
