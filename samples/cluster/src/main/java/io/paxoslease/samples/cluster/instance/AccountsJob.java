package io.paxoslease.samples.cluster.instance;

import io.paxoslease.shards.ShardGroup;
import io.paxoslease.spring.shards.ShardGroups;
import java.util.concurrent.atomic.AtomicLong;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/**
 * Work that all instances share: each one serves the accounts of the shards that it owns. A call keeps its shard until it has ended. The
 * algorithms without shards have no group.
 */
@Component
class AccountsJob {

    private final ShardGroups groups;
    private final AtomicLong calls = new AtomicLong();

    AccountsJob(ShardGroups groups) {
        this.groups = groups;
    }

    @Scheduled(fixedDelay = 500)
    void serve() throws Exception {
        for (ShardGroup group : groups.all()) {
            for (int index : group.ownedIndexes()) {
                group.callIfOwned(index, calls::incrementAndGet);
            }
        }
    }
}
