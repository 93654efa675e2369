package io.paxoslease.spring.test;

import io.paxoslease.PaxosLease;
import io.paxoslease.PaxosLeaseOptions;
import io.paxoslease.spring.leader.LeaderElections;
import io.paxoslease.spring.shards.ShardGroups;
import io.paxoslease.spring.shards.ShardSettings;
import io.paxoslease.testing.InMemoryCell;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.env.Environment;

/** Replaces the node by an in-memory node. */
@Configuration(proxyBeanMethods = false)
class TestLeadershipConfiguration {

    private static final String NODE_ID = "test";

    @Bean
    InMemoryCell paxosLeaseTestCell(Environment environment) {
        Duration leaseTime = duration(environment, "lease-time", PaxosLeaseOptions.DEFAULT_LEASE_TIME);
        Duration atLeast = leaseTime.compareTo(PaxosLeaseOptions.DEFAULT_MAX_LEASE_TIME) > 0
                ? leaseTime
                : PaxosLeaseOptions.DEFAULT_MAX_LEASE_TIME;
        Duration maxLeaseTime = duration(environment, "max-lease-time", atLeast);
        String id = nodeId(environment);
        return InMemoryCell.of(leaseTime, maxLeaseTime, id, peer(id), id + "-peer-2");
    }

    @Bean
    Grants paxosLeaseTestGrants(InMemoryCell cell, Environment environment) {
        return new Grants(cell, nodeId(environment));
    }

    /**
     * Closed by its cell.
     *
     * @param grants not only for {@link TestLeadership}: with lazy initialization the node may be used before there is one
     */
    @Bean(destroyMethod = "")
    PaxosLease paxosLease(InMemoryCell cell, Grants grants, Environment environment) {
        return cell.node(nodeId(environment));
    }

    @Bean
    TestLeadership testLeadership(
            InMemoryCell cell, PaxosLease node, Grants grants, ObjectProvider<LeaderElections> elections) {
        return new TestLeadership(cell, node.monitor().options().nodeId(), grants, elections);
    }

    /** Before the groups start. */
    @Bean
    @Lazy(false)
    TestShards testShards(
            InMemoryCell cell,
            PaxosLease node,
            Grants grants,
            ObjectProvider<ShardSettings> settings,
            ObjectProvider<ShardGroups> groups) {
        String id = node.monitor().options().nodeId();
        UngrantedShards ungranted = new UngrantedShards(cell.node(peer(id)), grants);
        settings.ifAvailable(all -> all.groups().forEach((name, group) -> ungranted.add(name, group.count())));
        return new TestShards(cell, node, grants, ungranted, groups);
    }

    /** The test says who owns a shard, so a group waits for no other instance. */
    @Bean
    static BeanPostProcessor paxosLeaseTestShardSettings() {
        return new BeanPostProcessor() {
            @Override
            public Object postProcessAfterInitialization(Object bean, String beanName) {
                return bean instanceof ShardSettings settings ? withoutStartWait(settings) : bean;
            }
        };
    }

    private static ShardSettings withoutStartWait(ShardSettings settings) {
        Map<String, ShardSettings.Group> groups = new LinkedHashMap<>();
        settings.groups()
                .forEach((name, group) -> groups.put(
                        name,
                        new ShardSettings.Group(
                                group.count(),
                                group.options().toBuilder()
                                        .startWait(Duration.ZERO)
                                        .build(),
                                group.healthGroup())));
        return new ShardSettings(groups);
    }

    /** The node that holds what is not granted. */
    private static String peer(String nodeId) {
        return nodeId + "-peer-1";
    }

    private static String nodeId(Environment environment) {
        String id = environment.getProperty("paxoslease.node-id", NODE_ID);
        return id.isBlank() ? NODE_ID : id;
    }

    private static Duration duration(Environment environment, String property, Duration byDefault) {
        return Binder.get(environment)
                .bind("paxoslease." + property, Duration.class)
                .orElse(byDefault);
    }
}
