package io.paxoslease.spring.test;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.shards.Shard;
import io.paxoslease.spring.leader.OnLeader;
import io.paxoslease.spring.shards.OnShardGranted;
import io.paxoslease.spring.shards.OnShardRevoked;
import io.paxoslease.spring.shards.ShardGroups;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.Import;
import org.springframework.integration.support.locks.LockRegistry;
import org.springframework.test.context.ContextConfiguration;
import org.springframework.test.context.TestPropertySource;
import org.springframework.test.context.junit.jupiter.SpringExtension;

/** The test support where nothing else is configured automatically, as in the tests of a part of an application. */
@ExtendWith(SpringExtension.class)
@ContextConfiguration(classes = TestLeadershipSliceTest.Part.class)
@TestPropertySource(properties = "paxoslease.shards.invoices.count=4")
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

    @Test
    void shardsAreThere(@Autowired TestShards shards, @Autowired ShardGroups groups) {
        assertThat(job.shards()).isEmpty();
        shards.grant("invoices", 2);
        assertThat(job.shards()).containsExactly(2);
        assertThat(groups.get("invoices").ownedIndexes()).containsExactly(2);
        shards.revoke("invoices", 2);
        assertThat(job.shards()).isEmpty();
    }

    @Import(Job.class)
    static class Part {}

    static class Job {

        private final Set<Integer> shards = ConcurrentHashMap.newKeySet();

        /** By a method: the bean is a proxy. */
        Set<Integer> shards() {
            return shards;
        }

        @OnShardGranted("invoices")
        void granted(Shard shard) {
            shards.add(shard.index());
        }

        @OnShardRevoked("invoices")
        void revoked(Shard shard) {
            shards.remove(shard.index());
        }

        @OnLeader
        public @Nullable String work() {
            return "worked";
        }
    }
}
