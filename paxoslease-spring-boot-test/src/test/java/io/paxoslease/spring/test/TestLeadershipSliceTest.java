package io.paxoslease.spring.test;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.spring.leader.OnLeader;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.Import;
import org.springframework.integration.support.locks.LockRegistry;
import org.springframework.test.context.ContextConfiguration;
import org.springframework.test.context.junit.jupiter.SpringExtension;

/** The test support where nothing else is configured automatically, as in the tests of a part of an application. */
@ExtendWith(SpringExtension.class)
@ContextConfiguration(classes = TestLeadershipSliceTest.Part.class)
@AutoConfigureTestLeadership
class TestLeadershipSliceTest {

    @Autowired
    private TestLeadership leadership;

    @Autowired
    private Job job;

    @Test
    void methodsAreGuardedAndLocksAreThere(@Autowired LockRegistry<?> locks) throws Exception {
        assertThat(job.work()).isNull();
        leadership.grant();
        assertThat(job.work()).isEqualTo("worked");
        assertThat(locks.executeLocked("k", () -> "locked")).isEqualTo("locked");
    }

    @Import(Job.class)
    static class Part {}

    static class Job {

        @OnLeader
        public @Nullable String work() {
            return "worked";
        }
    }
}
