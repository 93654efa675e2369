package io.paxoslease.spring.shards;

import io.paxoslease.PaxosLease;
import io.paxoslease.shards.ShardGroup;
import io.paxoslease.spring.leader.ElectionSettings;
import io.paxoslease.spring.leader.HealthGroups;
import java.util.Map;
import java.util.concurrent.ThreadFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.boot.thread.Threading;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.env.Environment;
import org.springframework.core.task.VirtualThreadTaskExecutor;

/** Spreads the shards of {@code paxoslease.shards} over the instances, and refuses {@link OnShard} methods that would never be called. */
@AutoConfiguration(afterName = "io.paxoslease.spring.autoconfigure.PaxosLeaseAutoConfiguration")
final class PaxosLeaseShardsAutoConfiguration {

    /** Each context looks at its own beans. */
    @Bean
    @ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
    @Lazy(false) // no bean depends on it
    ShardMethods shardMethods() {
        return new ShardMethods();
    }

    /** What works on shards. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnBooleanProperty(name = "paxoslease.enabled", matchIfMissing = true)
    @ConditionalOnMissingBean(ShardGroups.class)
    static class Groups {

        @Bean
        ShardGroups shardGroups(
                ObjectProvider<PaxosLease> node, ObjectProvider<ShardSettings> settings, Environment environment) {
            return new ShardGroups(
                    node::getObject, settings.getIfAvailable(() -> new ShardSettings(Map.of())), threads(environment));
        }

        private static @Nullable ThreadFactory threads(Environment environment) {
            return Threading.VIRTUAL.isActive(environment)
                    ? new VirtualThreadTaskExecutor("paxoslease-shard-").getVirtualThreadFactory()
                    : null;
        }

        @Bean
        @Lazy(false) // no bean depends on it
        ShardGroupsLifecycle shardGroupsLifecycle(
                ShardGroups groups,
                ObjectProvider<ShardGroup> others,
                ObjectProvider<HealthGroups> health,
                ObjectProvider<ElectionSettings> elections) {
            return new ShardGroupsLifecycle(groups, others, health, phase(elections));
        }

        /** The phase of the elections. */
        private static int phase(ObjectProvider<ElectionSettings> elections) {
            return elections.stream().findFirst().map(ElectionSettings::phase).orElse(ElectionSettings.DEFAULT_PHASE);
        }

        @Bean
        @Lazy(false) // no bean depends on it
        ShardsStopBarrier shardsStopBarrier(
                ObjectProvider<ShardGroupsLifecycle> lifecycle, ObjectProvider<ElectionSettings> elections) {
            return new ShardsStopBarrier(phase(elections), lifecycle::getObject);
        }

        @Bean
        ShardsStart shardsStart(
                ApplicationContext context,
                ShardGroupsLifecycle lifecycle,
                ObjectProvider<ElectionSettings> elections) {
            boolean startsReady = elections.stream()
                    .findFirst()
                    .map(ElectionSettings::startsReady)
                    .orElse(true);
            return new ShardsStart(context, lifecycle, startsReady);
        }
    }
}
